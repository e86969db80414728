package upstream

import (
	"bytes"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// Reply is an HTTP answer, ready to be written.
type Reply struct {
	Status int
	Header http.Header
	Frames []Frame // each is written and flushed by itself
	End    End
}

// Frame is bytes that are written at once. The headers go out with the first
// one, also if that is empty.
type Frame struct {
	Pause time.Duration // before it
	Bytes []byte
}

// End is what follows the last frame.
type End int

// The ends of a reply.
const (
	Finish End = iota // the answer is complete, as HTTP sees it
	Break             // the connection is cut
	Hang              // nothing, until the client leaves
	Repeat            // the last frame again and again, until the client leaves
)

func newReply(status int, contentType string, frames ...[]byte) Reply {
	r := Reply{Status: status, Header: http.Header{"Content-Type": {contentType}}}
	for _, f := range frames {
		r.Frames = append(r.Frames, Frame{Bytes: f})
	}
	return r
}

func jsonReply(status int, v any) Reply {
	return newReply(status, "application/json", encode(v)).sized()
}

// sized announces the length of the body, as an answer in one piece does.
func (r Reply) sized() Reply {
	r.Header.Set("Content-Length", strconv.Itoa(len(r.bytes())))
	return r
}

func (r Reply) bytes() []byte {
	var b bytes.Buffer
	for _, f := range r.Frames {
		b.Write(f.Bytes)
	}
	return b.Bytes()
}

// each is the reply with every frame changed. A length that was announced is
// announced anew.
func (r Reply) each(change func(i int, b []byte) []byte) Reply {
	frames := make([]Frame, len(r.Frames))
	for i, f := range r.Frames {
		frames[i] = Frame{Pause: f.Pause, Bytes: change(i, f.Bytes)}
	}
	r.Frames = frames
	if r.Header.Get("Content-Length") != "" {
		r.Header = r.Header.Clone()
		return r.sized()
	}
	return r
}

// send writes the reply. The request is over when it returns or panics.
func (r *Recorded) send(s *Server, w http.ResponseWriter, request *http.Request, reply Reply) {
	gone := request.Context().Done()
	flush := http.NewResponseController(w)
	write := func(f Frame) bool {
		if !s.pause(f.Pause, gone) {
			return false
		}
		if _, err := w.Write(f.Bytes); err != nil || flush.Flush() != nil {
			return false
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent += len(f.Bytes)
		r.frames++
		return true
	}
	if len(reply.Frames) > 0 || reply.End == Finish {
		if !s.head(w, reply, gone) {
			r.left(s)
			panic(http.ErrAbortHandler)
		}
	}
	for i, f := range reply.Frames {
		if i == 0 {
			f.Pause = 0 // head has paused
		}
		if !write(f) {
			r.left(s)
			panic(http.ErrAbortHandler)
		}
	}
	switch reply.End {
	case Finish:
		return
	case Hang:
		select {
		case <-gone:
		case <-s.closing:
		}
		r.left(s)
	case Repeat:
		for write(reply.Frames[len(reply.Frames)-1]) {
		}
		r.left(s)
	case Break:
	}
	panic(http.ErrAbortHandler)
}

// head writes status and headers, when it is time for the first frame.
func (s *Server) head(w http.ResponseWriter, reply Reply, gone <-chan struct{}) bool {
	if len(reply.Frames) > 0 && !s.pause(reply.Frames[0].Pause, gone) {
		return false
	}
	maps.Copy(w.Header(), reply.Header)
	w.WriteHeader(reply.Status)
	return true
}

// pause waits, unless the client or the server leaves.
func (s *Server) pause(d time.Duration, gone <-chan struct{}) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-gone:
	case <-s.closing:
	}
	return false
}
