package provider

import (
	"errors"
	"io"
	"slices"
	"sync"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// stream waits for the first frame, so that an upstream that fails right away
// can still be replaced by another, and makes the rest of the reply.
func (c *Chat) stream(x *exchange) error {
	if !x.streams() {
		return c.replay(x)
	}
	x.reply.Seen = new(chat.Seen)
	src := c.source(x, x.reply.Seen)
	first, err := src.first()
	if err != nil {
		src.close()
		return x.orWhole(err, c.replay)
	}
	var once sync.Once
	release := func() {
		once.Do(func() {
			x.close()
			src.close()
		})
	}
	x.reply.Close = release
	loose := func(yield func(chat.Chunk, error) bool) {
		defer release() // and not what else the reply's reader does at its end, which is not yet
		give := func(chunk chat.Chunk, err error) bool {
			x.dog.pause()
			defer x.dog.goOn()
			return yield(chunk, err)
		}
		if !give(first, nil) {
			return
		}
		for chunk, err := range src.all() {
			if err != nil {
				err = c.hidePrivate(x.dog.explain(err))
			}
			if !give(chunk, err) {
				return
			}
		}
	}
	if x.reply.Stream = loose; !src.light { // otherwise there is nothing to put in order
		x.reply.Stream = x.cutAtStops(x.dropForbidden(x.tidy(c.withoutTags(x, loose))))
	}
	return nil
}

// tidy puts a loose stream in order. What only passes is not judged, and what goes on with an
// answer that was paused is not all of it.
func (x *exchange) tidy(loose chat.Stream) chat.Stream {
	if x.reply.Passed || x.resumes {
		return chat.TidyPart(loose)
	}
	return chat.Tidy(loose)
}

// withoutTags is a loose stream without the tags and marks that servers of open models leave in words, and without what they tell
// again, of which an author's own API has none, and without the marks of code around JSON.
func (c *Chat) withoutTags(x *exchange, loose chat.Stream) chat.Stream {
	if x.reply.Passed {
		return loose
	}
	if !c.authors {
		loose = chat.Unmark(chat.Untag(chat.Untell(loose)))
	}
	if x.wantsJSON() {
		loose = chat.Unfence(loose)
	}
	return loose
}

// wantsJSON reports whether the answer is to be JSON and nothing else.
func (x *exchange) wantsJSON() bool {
	talk, err := x.req.Conversation()
	return err == nil && talk.Format != nil && talk.Format.Kind != chat.EnumText
}

// replay makes a stream of a whole answer that came where one was asked for.
func (c *Chat) replay(x *exchange) error {
	x.reply.Passed = false
	if err := c.readWhole(x); err != nil {
		return err
	}
	x.reply.Seen = x.reply.Whole.Seen()
	x.reply.Stream, x.reply.Whole = chat.Replay(x.reply.Whole), nil
	x.reply.Close = func() {}
	return nil
}

// source reads an upstream's frames one by one.
type source struct {
	*exchange
	c       *Chat
	reader  *wire.SSE
	decoder dialect.Decoder
	light   bool   // the frames pass through and are read only as far as metering needs
	skims   bool   // runs of frames that pass through are not looked at one by one
	run     []byte // the frames of a run that have to be looked at
	counts  bool   // the client wants usage
	seen    *chat.Seen
	events  []chat.Event  // of the last frame
	spare   *[]chat.Event // where they are put
	kept    int64         // bytes that the decoder has gathered and are held for
	over    bool          // the upstream said why it stopped
	answers int           // how many were asked for

	unwanted bool // more than that came
	split    split
	wrapped  bool // a gateway puts something around every frame
}

func (c *Chat) source(x *exchange, seen *chat.Seen) *source {
	light := x.reply.Passed && !x.target.Watched
	x.torrent = torrent{Reader: x.answer.Body, dog: x.dog}
	reader := wire.NewSSE(&x.torrent, mostAnswer)
	reader.Ask(func(bytes int) error { return x.portion.grow(x.dog.ctx, 2*int64(bytes)) }) // as it came, and as it is understood
	return &source{
		answers: x.askedAnswers(), counts: x.req.Origin.Usage || x.req.Origin.Cost,
		exchange: x, c: c, seen: seen, reader: reader,
		decoder: c.dialect.NewDecoder(light), light: light, skims: light && !x.target.Rename,
		spare: eventLists.Get().(*[]chat.Event),
	}
}

// askedAnswers is how many answers were asked for, as far as that is known.
func (x *exchange) askedAnswers() int {
	if !x.reply.Passed {
		if talk, err := x.req.Conversation(); err == nil {
			return max(1, talk.N)
		}
	}
	return mostAnswers
}

// cutAtStops ends answers at the stop sequences that the upstream was not told.
func (x *exchange) cutAtStops(strict chat.Stream) chat.Stream {
	if x.reply.Passed {
		return chat.Cut(strict, x.call.Stops, false)
	}
	asked := x.askedAnswers()
	return chat.Cut(x.tellMissing(strict, asked), x.call.Stops, asked > 1)
}

// eventLists are kept from one stream to the next: events are large.
var eventLists = sync.Pool{New: func() any { l := make([]chat.Event, 0, 4); return &l }}

// close gives back what the source worked with. No chunk it gave may be used any more.
func (s *source) close() {
	s.reader.Close()
	const most = 64 // a frame of very many must not keep its memory for ever
	if s.spare != nil && cap(*s.spare) <= most {
		clear((*s.spare)[:cap(*s.spare)])
		eventLists.Put(s.spare)
	}
	s.spare = nil
}

// first is the first chunk that says anything. Comments before it come with it:
// an upstream that sends them while it waits may still fail and be replaced.
func (s *source) first() (chat.Chunk, error) {
	var before []byte
	for {
		chunk, err := s.next()
		switch {
		case err != nil:
			return chat.Chunk{}, err
		case !s.reply.Passed && len(chunk.Events) == 0:
			continue // it says nothing
		case s.seen.Chunks == 0:
			if before = append(before, chunk.Raw...); len(before) > mostError {
				return chat.Chunk{}, errTooLong()
			}
			continue
		case len(before) > 0:
			chunk.Raw = append(before, chunk.Raw...)
		}
		return chunk, nil
	}
}

// next is the next chunk; io.EOF ends the stream in peace.
func (s *source) next() (chat.Chunk, error) {
	// The first frame tells of the whole answer, and behind its end there may be usage; only what is between can be of no use to metering.
	if s.skims && len(s.run) == 0 && s.seen.Chunks > 0 && !s.over {
		if chunk, err := s.skim(); err != nil || chunk.Raw != nil {
			return chunk, err
		}
	}
	if s.seen.Ended && !s.reply.Passed {
		return chat.Chunk{}, s.leave()
	}
	for {
		frame, err := s.frame()
		bare := takeBare(&frame)
		if err != nil && !(errors.Is(err, io.ErrUnexpectedEOF) && isWhole(frame.Data)) {
			return chat.Chunk{}, s.whyEnded(err)
		}
		s.dog.feed()
		if bare && s.seen.Chunks == 0 && isWhole(frame.Data) {
			return chat.Chunk{}, &wholeAnswer{slices.Clone(frame.Data)}
		}
		s.takeComment(&frame)
		frame = s.unwrap(frame)
		if s.events, err = s.decode(frame, bare); err != nil {
			return chat.Chunk{}, s.c.spoilByCount(err, frame.Data, s.seen)
		}
		if err := s.holdKept(); err != nil {
			return chat.Chunk{}, toBroken(err)
		}
		*s.spare = s.events[:0] // it may have grown
		if len(frame.Data) > 0 && (s.seen.Chunks > 0 || !isPing(frame)) {
			s.seen.Chunks++
		} else if !s.reply.Passed {
			continue // a comment means nothing in another dialect
		}
		s.count()
		if s.reply.Passed && s.target.Rename {
			frame.Raw = s.c.dialect.Rename(frame.Raw, s.req.Model)
		}
		if s.reply.Passed && !s.counts {
			frame.Raw = s.withoutUsage(frame.Raw)
		}
		return chat.Chunk{Events: s.events, Raw: frame.Raw, Hidden: s.decoder.Hidden() && !s.counts, More: s.more()}, nil
	}
}

// holdKept takes room for what the decoder gathers over many frames.
func (s *source) holdKept() error {
	k, ok := s.decoder.(dialect.Keeper)
	if !ok {
		return nil
	}
	const times = 4 // as it came, as one text, and as it is written again
	more := k.KeptBytes() - s.kept
	if more <= 0 {
		return nil
	}
	s.kept += more
	return s.portion.grow(s.dog.ctx, times*more)
}

// withoutUsage is a frame that passes through without the usage that the client did not ask for.
// Where events were read from it they may point into its bytes, which stay then.
func (s *source) withoutUsage(raw []byte) []byte {
	if len(s.events) > 0 {
		raw = slices.Clone(raw)
	}
	return s.c.dialect.DropUnasked(raw)
}

// isWhole reports whether the last event of a stream lacks nothing but the end of its line.
func isWhole(data []byte) bool {
	return string(data) == "[DONE]" || jsonscan.Valid(data, jsonscan.Lenient)
}

// skim passes on what has arrived without looking at every frame of it. Those at
// the end that may matter are left in run; an empty chunk means to look at them.
func (s *source) skim() (chat.Chunk, error) {
	frames, err := s.reader.Run()
	if err != nil {
		return chat.Chunk{}, s.whyEnded(err)
	}
	if frames == nil {
		return chat.Chunk{}, nil // too long to be skimmed
	}
	s.dog.feed()
	if !s.c.dialect.NothingToMeter(frames) {
		const last = 4 // how many frames what matters may take: the end, usage, a sign that all is said
		tail := wire.Tail(frames, last)
		head := frames[:len(frames)-len(tail)]
		if len(head) == 0 || !s.c.dialect.NothingToMeter(head) {
			s.run = frames
			return chat.Chunk{}, nil
		}
		frames, s.run = head, tail
	}
	s.seen.Chunks += wire.Events(frames)
	if !s.counts {
		frames = s.c.dialect.DropUnasked(frames)
	}
	return chat.Chunk{Raw: frames, More: len(s.run) > 0}, nil
}

// more reports whether the next frame is already here, whole.
func (s *source) more() bool { return len(s.run) > 0 || !s.reader.Waiting() }

// frame is the next frame: of the run that is being looked at, or of the upstream.
func (s *source) frame() (frame wire.Frame, err error) {
	if len(s.run) == 0 {
		return s.reader.Next()
	}
	frame, s.run = wire.Cut(s.run)
	return frame, nil
}

// count notes what came and makes it the client's: its names, and proofs in envelopes.
func (s *source) count() {
	s.leaveOut()
	for i := range s.events {
		e := &s.events[i]
		if e.Usage != (chat.Usage{}) {
			s.seen.Usage, s.seen.Behind = e.Usage, -len(e.Part.Text)
		}
		if e.Kind == chat.Finish {
			s.over, s.seen.Ended = true, s.seen.Ended || e.Last
		}
		s.seen.Text, s.seen.Behind = s.seen.Text+len(e.Part.Text), s.seen.Behind+len(e.Part.Text)
		if !s.reply.Passed {
			s.makeOwn(&e.Part)
		}
	}
}

// finish makes a whole answer the client's. One that is nothing but calls that the client cannot
// make is none.
func (c *Chat) finish(x *exchange) error {
	r := x.reply.Whole
	r.Notes = append(r.Notes, x.keepAsked(r)...)
	for a := range r.Answers {
		answer := &r.Answers[a]
		if !c.authors {
			answer.Untag()
			if answer.Unmark() {
				r.Notes = append(r.Notes, chat.LossOfMark())
			}
		}
		if x.wantsJSON() {
			answer.Unfence()
		}
		lost, err := x.remark(answer)
		if err != nil {
			return chat.Spoil(err, r.Usage)
		}
		r.Notes = append(r.Notes, lost...)
		called := make(map[string]bool)
		for i := range answer.Parts {
			p := &answer.Parts[i]
			if x.makeOwn(p); p.Kind != chat.ToolCall {
				continue
			}
			if p.ID == "" || called[p.ID] { // its result would find no call, or two would find one
				p.ID = chat.NewCallID()
			}
			called[p.ID] = true
		}
	}
	x.reply.Dropped = append(x.reply.Dropped, r.Notes...)
	if len(x.call.Stops) == 0 {
		return nil
	}
	for i := range r.Answers {
		one := &chat.WholeReply{Answers: r.Answers[i : i+1]}
		if cut, err := chat.Collect(chat.Cut(chat.Replay(one), x.call.Stops, false)); err == nil {
			r.Answers[i].Parts, r.Answers[i].Stop = cut.Answers[0].Parts, cut.Answers[0].Stop
		}
	}
	return nil
}

// all is the chunks that are left, as a stream.
func (s *source) all() chat.Stream {
	return func(yield func(chat.Chunk, error) bool) {
		for {
			chunk, err := s.next()
			if err == io.EOF { //nolint:errorlint // as next returns it
				return
			}
			if !yield(chunk, err) || err != nil {
				return
			}
		}
	}
}
