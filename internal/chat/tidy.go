package chat

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// ErrCut says that a stream ended before its upstream said that the answer was
// complete. It is never turned into a short answer.
var ErrCut = fmt.Errorf("the upstream's answer was cut off: %w", io.ErrUnexpectedEOF)

// ErrHeld says that an upstream mixed more tool calls at once than can be held.
var ErrHeld = errors.New("the upstream interleaved more than can be held back")

// BrokenError says that an upstream failed in its answer.
func BrokenError(err error) *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider broke off in its answer.").Because(err)
}

// TooMuchError says that an upstream sent more than is taken of an answer.
func TooMuchError() *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider sent more than can be taken.")
}

// What may be held back while a call's arguments are not whole.
const (
	mostHeld    = 32 << 20 // bytes
	mostWaiting = 1024     // blocks
	mostBlocks  = 1 << 14  // of an answer: each call is looked for among all
)

// Tidy turns loose events into strict ones: Start (Open Delta* Close)* Finish,
// one block open at a time. Frames ride along with what they meant; events that
// only the end brings come in a last chunk without a frame.
func Tidy(loose Stream) Stream { return tidyStream(loose, false) }

// TidyPart is Tidy for what is only a part of an answer, or is only looked at: nothing but calls
// that name no tool is no error there.
func TidyPart(loose Stream) Stream { return tidyStream(loose, true) }

func tidyStream(loose Stream, part bool) Stream {
	return func(yield func(Chunk, error) bool) {
		t := tidy{part: part}
		for chunk, err := range loose {
			if err != nil {
				yield(Chunk{}, err)
				return
			}
			t.out = t.out[:0]
			for i := range chunk.Events {
				if err := t.take(&chunk.Events[i]); err != nil {
					yield(Chunk{}, err)
					return
				}
			}
			chunk.Events = t.out
			if !yield(chunk, nil) {
				return
			}
		}
		t.out = t.out[:0]
		if err := t.end(); err != nil {
			yield(Chunk{}, err)
			return
		}
		yield(Chunk{Events: t.out}, nil)
	}
}

// tidy is the only stream state machine.
type tidy struct {
	out     []Event
	started bool
	next    int      // number of the next strict block
	open    *block   // what the client is being told now
	waiting []*block // begun while open was not whole, in the order they began
	held    int      // bytes that are not told yet, of open and in waiting
	pieces  int      // and in how many pieces
	called  bool
	useful  bool            // something was told that is no thought
	unnamed bool            // a call was left out that does not say of which tool
	part    bool            // there is more of the answer than this stream
	ids     map[string]bool // of the calls so far
	ended   bool            // the upstream said why it stopped
	stop    Stop
	usage   Usage
	notes   []Loss
	answer  int // the one that is being told
	later   later
}

// block is one loose block: what belongs together by the decoder's word.
type block struct {
	key     int
	kind    Kind
	id      string
	name    string
	custom  bool
	number  int
	shown   bool   // Open was emitted
	closed  bool   // the decoder said that nothing more comes
	pending []Part // pieces not emitted yet
	json    jsonscan.Pieces
	seam    seam
}

func (t *tidy) take(e *Event) error {
	if e.Answer != t.answer && (e.Kind == Delta || e.Kind == Open || e.Kind == Close || e.Kind == Finish) {
		return t.takeOther(e)
	}
	t.notes = append(t.notes, e.Notes...)
	switch e.Kind {
	case Start:
		if !t.started {
			t.started = true
			t.usage = e.Usage
			t.tell(*e)
		}
	case Delta, Open:
		return t.takeDelta(e)
	case Close:
		t.close(e.Block)
	case Counted:
		t.usage = e.Usage
	case Finish:
		t.ended = true
		if e.Stop.Reason != 0 {
			t.stop = e.Stop
		}
		if e.Usage != (Usage{}) {
			t.usage = e.Usage
		}
	}
	return nil
}

func (t *tidy) takeDelta(e *Event) error {
	p := &e.Part
	if empty(p) {
		return nil
	}
	b := t.find(e.Block, p)
	if b == nil {
		b = &block{key: e.Block, kind: p.Kind, custom: p.Custom}
		if t.open != nil && !t.mayLeave() {
			if t.waiting = append(t.waiting, b); len(t.waiting) > mostWaiting {
				return BrokenError(ErrHeld)
			}
		} else {
			t.finishOpen()
			t.open = b
		}
	}
	b.id = cmp.Or(b.id, p.ID)
	if strings.TrimSpace(b.name) == "" {
		b.name = p.Name
	}
	p.Text = b.seam.join(p.Text)
	b.json.Add(p.Text)
	b.pending = append(b.pending, *p)
	t.held, t.pieces = t.held+len(p.Text)+len(p.Proof), t.pieces+1
	t.flush(t.open)
	if t.held > mostHeld || t.pieces > mostPieces || t.next > mostBlocks {
		return BrokenError(ErrHeld)
	}
	if len(t.waiting) > 0 && t.mayLeave() {
		t.advance()
	}
	return nil
}

// find is the block a delta belongs to, or nil where it begins a new one. Text
// that goes on after something else came is a new block; a call's arguments
// always belong to the call.
func (t *tidy) find(key int, p *Part) *block {
	if t.open != nil && t.open.key == key && t.open.kind == p.Kind && !t.open.closed {
		return t.open
	}
	for i, b := range slices.Backward(t.waiting) {
		if b.key == key && b.kind == p.Kind && !b.closed && (p.Kind == ToolCall || i == len(t.waiting)-1) {
			return b
		}
	}
	return nil
}

// mayLeave reports whether the open block can be closed for another: always,
// except for a call whose arguments are not whole yet.
func (t *tidy) mayLeave() bool {
	b := t.open
	return b == nil || b.kind != ToolCall || b.custom || b.closed || b.json.IsWhole()
}

func (t *tidy) close(key int) {
	if t.open != nil && t.open.key == key {
		t.open.closed = true
		t.advance()
		return
	}
	for _, b := range t.waiting {
		if b.key == key {
			b.closed = true
		}
	}
}

// advance closes the open block and lets those that waited follow, as far as
// each may be left for the next.
func (t *tidy) advance() {
	for {
		if len(t.waiting) == 0 {
			if t.open != nil && t.open.closed {
				t.finishOpen()
			}
			return
		}
		if !t.mayLeave() {
			return
		}
		t.finishOpen()
		t.open = t.waiting[0]
		t.waiting = t.waiting[1:]
		t.flush(t.open)
	}
}

// flush emits what is pending of a block that is open. A call is not shown
// before its name is known, and not at all where it has none.
func (t *tidy) flush(b *block) {
	if !b.shown {
		if b.kind == ToolCall && strings.TrimSpace(b.name) == "" {
			if b.closed {
				t.leaveOut(b)
			}
			return
		}
		t.show(b)
	}
	for i := range b.pending {
		p := b.pending[i]
		t.held, t.pieces = t.held-len(p.Text)-len(p.Proof), t.pieces-1
		if p.Text == "" && p.Proof == "" && len(p.Citations) == 0 && p.Media == nil && p.Raw == nil && p.Logprobs == nil {
			continue
		}
		t.tell(Event{Kind: Delta, Block: b.number, Part: p})
	}
	b.pending = b.pending[:0]
}

// leaveOut forgets a call that no client can make.
func (t *tidy) leaveOut(b *block) {
	for i := range b.pending {
		t.held, t.pieces = t.held-len(b.pending[i].Text)-len(b.pending[i].Proof), t.pieces-1
	}
	b.pending = nil
	if !t.unnamed {
		t.unnamed = true
		t.notes = append(t.notes, Unnamed)
	}
}

// Unnamed is what is lost where a model calls a tool and does not say which.
var Unnamed = Lost(FieldAnswer, Dropped, "a call that does not name its tool")

// ErrUnnamed is an answer that is nothing but such calls.
func ErrUnnamed() *fault.Error {
	return fault.New(fault.UpstreamError, "The model called a tool and did not say which.")
}

func (t *tidy) show(b *block) {
	if !t.started {
		t.started = true
		t.tell(Event{Kind: Start})
	}
	t.useful = t.useful || b.kind != Thought && b.kind != Redacted
	if b.kind == ToolCall {
		t.called = true
		if b.id == "" || t.ids[b.id] { // a result must find its call
			b.id = NewCallID()
		}
		if t.ids == nil {
			t.ids = make(map[string]bool)
		}
		t.ids[b.id] = true
	}
	b.number, b.shown = t.next, true
	t.next++
	t.tell(Event{Kind: Open, Block: b.number, Part: Part{Kind: b.kind, ID: b.id, Name: b.name, Custom: b.custom}})
}

func (t *tidy) finishOpen() {
	if t.open == nil {
		return
	}
	t.open.closed = true
	if t.flush(t.open); t.open.shown {
		t.tell(Event{Kind: Close, Block: t.open.number, Part: Part{Kind: t.open.kind}})
	}
	t.open = nil
}

// tell emits an event of the answer that is being told.
func (t *tidy) tell(e Event) {
	e.Answer = t.answer
	t.out = append(t.out, e)
}

func (t *tidy) end() error {
	for len(t.later.answers) > 0 {
		if err := t.goToNextAnswer(); err != nil {
			return err
		}
	}
	if !t.ended {
		return BrokenError(ErrCut)
	}
	return t.finish(&Event{Kind: Finish, Usage: t.usage})
}

// finish tells what is left of an answer, and its end; the last one's also what was lost.
func (t *tidy) finish(last *Event) error {
	for t.open != nil || len(t.waiting) > 0 {
		if t.open != nil {
			t.open.closed = true
		}
		t.advance()
	}
	if !t.started {
		t.tell(Event{Kind: Start})
	}
	if t.unnamed && !t.useful && !t.part && t.stop.Reason != Paused {
		return ErrUnnamed()
	}
	if last.Stop = Settle(t.stop, t.called); !last.More {
		last.Notes = t.notes
	}
	t.tell(*last)
	return nil
}

// Settle makes a reason agree with what was said: a model that called a tool stopped
// for it, whatever the upstream calls that, unless it ran out of tokens or was cut short.
func Settle(stop Stop, called bool) Stop {
	switch {
	case called && (stop.Reason == EndTurn || stop.Reason == Other || stop.Reason == 0):
		stop.Reason, stop.Odd = ToolUse, stop.Reason == Other
	case !called && stop.Reason == ToolUse, stop.Reason == 0:
		stop.Reason = EndTurn
	}
	return stop
}

// empty reports whether a piece carries nothing, as placeholders do. A call is
// never empty: that it was made is news.
func empty(p *Part) bool {
	switch p.Kind {
	case ToolCall, Opaque, Redacted, Image, Audio, Video, Document:
		return false
	}
	return p.Text == "" && p.Proof == "" && len(p.Citations) == 0 && p.Logprobs == nil
}

// NewCallID makes an id for a tool call that every dialect takes.
func NewCallID() string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	var b [20]byte
	rand.Read(b[:])
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return "call_" + string(b[:])
}
