package relay

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/uid"
)

// Fetcher gets what clients only point at. It must be safe for concurrent use.
type Fetcher interface {
	// Fetch reads what is at the address of a part's media, as far as the caller's
	// memory goes and no more than most bytes as they are sent. It returns nil where
	// the operator does not want anything to be fetched.
	Fetch(ctx context.Context, p *chat.Part, most int64) (*chat.Media, error)
}

// reader is an upstream that fetches some of the addresses in a conversation
// itself. One that is no reader takes all of them as they are.
type reader interface {
	// Reads reports whether it fetches what is at a part's address, or, where the
	// client's own bytes pass, may know better what that means.
	Reads(p *chat.Part, passes bool) bool
	// FetchesNothing reports whether it fetches nothing at all.
	FetchesNothing() bool
}

const (
	mostFetches = 4 // at the same time, for one request

	// mostNamed is how many files and addresses one request may name. No provider takes more pictures,
	// and each of them may be a server that is asked: answers without a byte are bounded by nothing else.
	mostNamed = 3600
)

// attach gives an upstream whatever it cannot get by itself: files of this
// installation, and what is at addresses that it does not read. Most of what passes
// through has none of either, and is not looked at.
func (r *Relay) attach(ctx context.Context, workspace string, req *chat.Request, upstream Upstream, got *fetched) (*chat.Request, error) {
	passes := req.PassesTo(upstream.Dialect())
	if passes && !r.mayName(req, upstream) {
		return req, nil
	}
	talk, err := req.Conversation()
	if err != nil {
		if passes {
			return req, nil // the upstream may know better
		}
		return nil, err
	}
	search := search{relay: r, upstream: upstream, passes: passes}
	for i := range talk.Messages {
		m := &talk.Messages[i]
		for j := range m.Parts {
			search.lookAt(attachment{message: i, part: j, inner: -1, at: &m.Parts[j]})
		}
	}
	if len(search.found) == 0 {
		return req, nil
	}
	if err := got.get(ctx, r, workspace, talk, search.found); err != nil {
		return nil, err
	}
	return got.put(req, talk, search.found, passes), nil
}

// mayName reports whether the client's own bytes may name a file of ours, or an address
// that the upstream does not read. Addresses of pictures are read by most.
func (r *Relay) mayName(req *chat.Request, upstream Upstream) bool {
	facts := &req.Origin.Facts
	if facts.Files || !facts.Addresses {
		return facts.Files
	}
	reads, ok := upstream.(reader)
	return ok && (facts.Asked.Documents || reads.FetchesNothing())
}

// attachment is what the upstream has to be given, and where in a conversation it is.
type attachment struct {
	message, part, inner int
	at                   *chat.Part
	own                  string // the id of one of our files; "": it is fetched from its address
}

// name is what is given, for keeping apart what was got.
func (a *attachment) name() string { return cmp.Or(a.own, a.at.Media.URL) }

// search looks for what an upstream has to be given.
type search struct {
	relay    *Relay
	upstream Upstream
	passes   bool
	found    []attachment
}

func (s *search) lookAt(at attachment) {
	if media := at.at.Media; media != nil {
		if at.own = s.relay.ownFile(media); at.own != "" || s.unread(at.at) {
			s.found = append(s.found, at)
		}
	}
	for k := range at.at.Content {
		s.lookAt(attachment{message: at.message, part: at.part, inner: k, at: &at.at.Content[k]})
	}
}

// unread reports whether a part has an address that the upstream does not read.
func (s *search) unread(p *chat.Part) bool {
	if p.Media.URL == "" || s.relay.Fetch == nil {
		return false
	}
	reads, ok := s.upstream.(reader)
	return ok && !reads.Reads(p, s.passes)
}

// ownFile is the id of one of this installation's files that a part names.
func (r *Relay) ownFile(m *chat.Media) string {
	if uid.Is("file", m.FileID) {
		return m.FileID
	}
	if r.Files != nil && m.URL != "" {
		if id, ok := r.Files.Own(m.URL); ok {
			return id
		}
	}
	return ""
}

// fetched is what was got for one request, whichever targets it is tried at.
type fetched struct {
	mu   sync.Mutex // guards all below
	by   map[string]*gotten
	sent int64 // bytes that are put into the request, each thing as often as it is named
}

// room is how long what is named so often may be.
func (f *fetched) room(most, times int64) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return (most - f.sent) / times
}

// count adds what is sent so often, if it is not too much by then.
func (f *fetched) count(size, times, most int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if size > (most-f.sent)/times {
		return fault.New(fault.FileTooLarge, "The files of one request may have %d bytes in all, as they are sent.", most).
			With("limit", most).With("size", f.sent+size*times)
	}
	f.sent += size * times
	return nil
}

// gotten is what an address or a file id stands for.
type gotten struct {
	kind  chat.Kind // 0: as the client says
	media *chat.Media
	file  *file.File // nil: it is none of ours
}

// get fetches what is wanted and not there yet.
func (f *fetched) get(ctx context.Context, r *Relay, workspace string, talk *chat.Conversation, wanted []attachment) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	free := make(chan struct{}, mostFetches)
	asked := make(map[string]bool)
	times := make(map[string]int64)
	for _, w := range wanted {
		times[w.name()]++
	}
	if len(times) > mostNamed {
		return fault.New(fault.InvalidParameter, "A request may name up to %d files and addresses.", mostNamed).With("limit", mostNamed)
	}
	for _, w := range wanted {
		f.mu.Lock()
		_, here := f.by[w.name()]
		f.mu.Unlock()
		if here || asked[w.name()] {
			continue
		}
		asked[w.name()] = true
		free <- struct{}{}
		if ctx.Err() != nil { // one is refused, so all are
			break
		}
		group.Go(func() {
			defer func() { <-free }()
			got, err := f.getOne(ctx, r, workspace, &w, times[w.name()])
			if err != nil {
				cancel(withPart(err, talk.Messages[w.message], talk.Messages[w.message].Parts[w.part]))
				return
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.by == nil {
				f.by = make(map[string]*gotten)
			}
			f.by[w.name()] = got
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, w := range wanted { // one file may be named by parts of several kinds
		if got := f.by[w.name()]; got.file != nil && w.at.Kind != chat.Document && w.at.Kind != got.kind {
			return withPart(refuseKind(w.at, got.file), talk.Messages[w.message], talk.Messages[w.message].Parts[w.part])
		}
	}
	return nil
}

// getOne gets an attachment, which is named so many times.
func (f *fetched) getOne(ctx context.Context, r *Relay, workspace string, w *attachment, times int64) (*gotten, error) {
	most := int64(math.MaxInt64)
	if r.Attached != nil {
		most = r.Attached()
	}
	if w.own != "" {
		return f.load(ctx, r.Files, workspace, w.own, func(size int64) error { return f.count(size, times, most) })
	}
	media, err := r.Fetch.Fetch(ctx, w.at, max(0, f.room(most, times)))
	if err == nil && media != nil {
		err = f.count(int64(len(media.Base64)+len(media.Plain)), times, most)
	}
	return &gotten{media: media}, err
}

// withPart says of an error which part it is about.
func withPart(err error, m chat.Message, p chat.Part) error {
	e := *fault.From(err)
	if e.Code == fault.Internal {
		return err
	}
	l := chat.LostPart(m, p, chat.Dropped, "")
	e.Message = l.Field + ": " + e.Message
	e.About = l
	return e.Field(l.Field)
}

// put is the request with what was got in place of what named it.
func (f *fetched) put(req *chat.Request, talk *chat.Conversation, wanted []attachment, passes bool) *chat.Request {
	whole := talk.Clone()
	changed := false
	var swaps []chat.Swap
	for _, w := range wanted {
		got := f.by[w.name()]
		if got.media == nil {
			continue
		}
		changed = true
		p := &whole.Messages[w.message].Parts[w.part]
		if w.inner >= 0 {
			p.Content = slices.Clone(p.Content)
			p = &p.Content[w.inner]
			passes = false // only whole parts can be put into the client's own bytes
		}
		swaps = append(swaps, chat.Swap{Message: w.message, Part: w.part, Named: w.own})
		got.putInto(p)
	}
	switch {
	case !changed:
		return req
	case passes:
		return req.WithSwaps(whole, swaps)
	}
	return req.With(whole)
}

// putInto gives a part what it named.
func (g *gotten) putInto(p *chat.Part) {
	here := *p.Media
	here.URL, here.FileID, here.Type, here.Base64, here.Plain = "", "", g.media.Type, g.media.Base64, g.media.Plain
	if g.kind != 0 {
		p.Kind = g.kind
	}
	if g.kind == chat.Document && here.Name == "" && p.Name == "" {
		here.Name = g.media.Name
	}
	p.Media = &here
}
