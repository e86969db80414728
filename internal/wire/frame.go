// Package wire is frames on the wire: server-sent events and JSON arrays, read
// and written whole, data URLs, and times. It must not know what they say.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"sync"
)

// ErrTooLong says that a line or an event is longer than may be held.
var ErrTooLong = errors.New("a frame is longer than may be held")

// Frame is one event of a stream. Its slices are valid until the next one is read.
type Frame struct {
	Event []byte // the event's name; empty where it has none
	Data  []byte // its data lines, joined
	Raw   []byte // all its bytes, the blank line that ends it included
}

// bufferSize is how much is read at once: some sixty small frames. Half as much costs a
// stream that comes as fast as it can 7 % more, for twice the calls into the system.
const bufferSize = 16 << 10

// buffer is what a reader works with. It is kept from one stream to the next.
type buffer struct {
	r   *bufio.Reader
	raw []byte
}

var buffers = sync.Pool{New: func() any { return &buffer{r: bufio.NewReaderSize(nil, bufferSize), raw: make([]byte, 0, 1<<10)} }}

// SSE reads server-sent events: lines may end in LF, CRLF or CR, a byte order
// mark, comments, ids and retry times are passed over.
type SSE struct {
	*buffer

	max   int
	bom   bool
	whole int  // bytes of whole events that are known to be here; not more than 0: look again
	end   byte // of a line: LF, with a CR before it or not, or CR alone; 0: not known yet
	ahead int  // bytes of raw that begin the next event
	room  func(bytes int) error
}

// NewSSE makes a reader that refuses events longer than most bytes.
func NewSSE(r io.Reader, most int) *SSE {
	s := &SSE{buffer: buffers.Get().(*buffer), max: most}
	s.r.Reset(r)
	return s
}

// Ask has room asked for what long events take, before it is taken. An error ends the
// reading.
func (s *SSE) Ask(room func(bytes int) error) { s.room = room }

// Close gives the reader's memory back. The reader must not be used afterwards,
// nor any frame it gave.
func (s *SSE) Close() {
	if s.buffer == nil {
		return
	}
	s.r.Reset(nil)
	if cap(s.raw) <= longEvent { // one huge event must not keep its memory for ever
		buffers.Put(s.buffer)
	}
	s.buffer = nil
}

// Run gives all whole events that are already here, as their bytes, waiting for
// one if there is none. Its bytes are valid until the next is read. An event that
// is too long to be looked at this way gives none: then Next reads it.
func (s *SSE) Run() ([]byte, error) {
	if s.end == '\r' || s.ahead > 0 {
		return nil, nil
	}
	for {
		here, _ := s.r.Peek(s.r.Buffered())
		if end := lastEvent(here); end > 0 {
			_, _ = s.r.Discard(end)
			s.bom, s.whole = true, 0
			return here[:end], nil
		}
		if len(here) == s.r.Size() {
			return nil, nil
		}
		if _, err := s.r.Peek(len(here) + 1); err != nil {
			if len(here) > 0 {
				return nil, nil // the rest, whole or not, is Next's
			}
			return nil, err
		}
	}
}

// lastEvent is the length of the whole events at the beginning of b.
func lastEvent(b []byte) int {
	// A blank line is at least two bytes, and one of any two neighbours in it ends a line.
	for at := len(b) - 2; at >= 0; at -= 2 {
		if c := b[at]; c != '\n' && c != '\r' {
			continue
		}
		for end := min(at+3, len(b)); end > at && end > 1; end-- {
			if b[end-1] == '\n' && (b[end-2] == '\n' || b[end-2] == '\r' && end > 2 && b[end-3] == '\n') {
				return end
			}
		}
	}
	return 0
}

// Tail is the last n of a run of whole events, or all of them if there are fewer.
func Tail(run []byte, n int) []byte {
	start := len(run)
	for range n {
		// The line that ends the event before is the one to find, not its own.
		start = lastEvent(bytes.TrimRight(run[:start], "\r\n"))
		if start == 0 {
			break
		}
	}
	return run[start:]
}

// Events counts the events of a run, all of them taken to be like the last.
func Events(run []byte) int {
	end := []byte{'\n'} // one byte is counted many times faster than a word
	return bytes.Count(run, end) / max(1, bytes.Count(Tail(run, 1), end))
}

// Cut takes the first event off a run of whole events. The frame is made of the
// run's own bytes.
func Cut(run []byte) (frame Frame, rest []byte) {
	for at := 0; at < len(run); {
		end := at + bytes.IndexByte(run[at:], '\n')
		if end < at {
			break
		}
		line := bytes.TrimSuffix(run[at:end], []byte{'\r'})
		at = end + 1
		if len(line) == 0 {
			if at <= len("\r\n") { // nothing but that
				at += blankLines(run[at:], '\n')
			}
			frame.Raw = run[:at:at]
			return frame, run[at:]
		}
		frame.takeField(line)
	}
	frame.Raw = run
	return frame, nil
}

// Waiting reports whether no whole event more has arrived yet.
func (s *SSE) Waiting() bool {
	if s.whole <= 0 {
		here, _ := s.r.Peek(s.r.Buffered())
		s.whole = lastEvent(here)
	}
	return s.whole == 0
}

// Next reads one event. Events without data, such as comments, come as frames
// with an empty Data, so that a caller that passes bytes on misses none. Where the stream
// ends inside a line, the frame is what there is of it: the caller may know whether that
// is all.
func (s *SSE) Next() (Frame, error) {
	var frame Frame
	if s.raw = append(s.raw[:0], s.raw[len(s.raw)-s.ahead:]...); s.ahead > 0 {
		line := bytes.TrimRight(s.raw, "\r\n")
		s.ahead = 0
		if frame.takeField(line); len(line) == len(s.raw) { // the stream ended inside it
			frame.Raw = append(s.raw, '\n', '\n')
			return frame, io.ErrUnexpectedEOF
		}
	}
	for {
		at := len(s.raw)
		line, err := s.line()
		if frame.endsBefore(line) {
			s.ahead, frame.Raw = len(s.raw)-at, append(s.raw[:at:at], s.end) // with the line that is missing
			return frame, nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) && len(s.raw) > 0 {
				// Some servers leave out the last blank line: what came is an event if it is
				// whole. A caller that passes it on needs the line, or the client loses the event.
				if len(line) == 0 && (len(frame.Event) == 0 || len(frame.Data) > 0) {
					s.raw = append(s.raw, '\n')
					frame.Raw = s.raw
					return frame, nil
				}
				frame.takeField(line)
				frame.Raw = append(s.raw, '\n', '\n')
				return frame, io.ErrUnexpectedEOF
			}
			return Frame{}, err
		}
		if len(line) == 0 {
			if len(s.raw) <= len("\r\n") { // nothing but that
				here, _ := s.r.Peek(s.r.Buffered())
				n := blankLines(here, s.end)
				s.raw = append(s.raw, here[:n]...)
				s.whole -= n
				_, _ = s.r.Discard(n)
			}
			frame.Raw = s.raw
			return frame, nil
		}
		frame.takeField(line)
	}
}

// blankLines is the length of the blank lines that b begins with. A stream of nothing else has one frame for as many as
// are there: each by itself would be a million frames for a megabyte.
func blankLines(b []byte, end byte) int {
	return bytes.LastIndexByte(b[:len(b)-len(bytes.TrimLeft(b, "\r\n"))], end) + 1
}

// endsBefore reports whether a line begins another event although no blank line ended this one: some servers
// leave those out. No JSON has an object or a list behind the end of an object with nothing between them, and no
// event has two names. A name may stand behind its data.
func (f *Frame) endsBefore(line []byte) bool {
	if !bytes.HasSuffix(bytes.TrimRight(f.Data, " "), []byte("}")) {
		return false
	}
	value, isData := bytes.CutPrefix(line, []byte("data:"))
	if value = bytes.TrimLeft(value, " "); isData {
		return len(value) > 0 && (value[0] == '{' || value[0] == '[')
	}
	return len(f.Event) > 0 && bytes.HasPrefix(line, []byte("event:"))
}

// takeField takes one line over. What is not copied stays where the line is.
func (f *Frame) takeField(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if len(f.Data) == 0 {
			f.Data = slices.Clip(value) // nearly always all there is: not copied
			break
		}
		f.Data = append(append(f.Data, '\n'), value...)
	case "event":
		f.Event = value
	}
}

// longEvent is how many bytes an event may have before room is asked for it.
const longEvent = 64 << 10

// grow makes room for n bytes more. Long events grow in few large steps, and never
// beyond what they may fill: what append leaves behind on the way is many times that.
func (s *SSE) grow(n int) error {
	need := len(s.raw) + n
	if need <= cap(s.raw) || need <= longEvent {
		return nil
	}
	size := max(need, min(2*cap(s.raw), s.max))
	if s.room != nil {
		if err := s.room(size - cap(s.raw)); err != nil {
			return err
		}
	}
	s.raw = append(make([]byte, 0, size), s.raw...)
	return nil
}

// lineEnd finds out how lines end, from the first one.
func (s *SSE) lineEnd() byte {
	for {
		here, _ := s.r.Peek(s.r.Buffered())
		lf := bytes.IndexByte(here, '\n')
		switch cr := bytes.IndexByte(here, '\r'); {
		case cr >= 0 && cr+1 < len(here) && here[cr+1] != '\n' && (lf < 0 || cr < lf):
			return '\r'
		case lf >= 0, len(here) == s.r.Size():
			return '\n'
		}
		if _, err := s.r.Peek(len(here) + 1); err != nil {
			return '\n'
		}
	}
}

// line reads one line, appends its bytes to raw and returns it without its end.
func (s *SSE) line() ([]byte, error) {
	start := len(s.raw)
	if s.end == 0 {
		s.end = s.lineEnd()
	}
	for {
		piece, err := s.r.ReadSlice(s.end)
		s.whole -= len(piece)
		if len(s.raw)+len(piece) > s.max {
			return nil, ErrTooLong
		}
		if err := s.grow(len(piece)); err != nil {
			return nil, err
		}
		s.raw = append(s.raw, piece...)
		line := s.raw[start:]
		if err != nil {
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			return bytes.TrimRight(line, "\r"), err
		}
		line = bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'})
		if !s.bom {
			s.bom = true
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		return line, nil
	}
}
