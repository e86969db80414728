package relay

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/uid"
)

// Fetcher gets what clients only point at. It must be safe for concurrent use.
type Fetcher interface {
	// Fetch reads what is at the address of a part's media, within bounds. It
	// returns nil where the operator does not want anything to be fetched.
	Fetch(ctx context.Context, p *chat.Part) (*chat.Media, error)
}

// reader is an upstream that fetches some of the addresses in a conversation
// itself. One that is no reader takes all of them as they are.
type reader interface{ Reads(*chat.Part) bool }

const mostFetches = 4 // at the same time, for one request

// ownFiles are how ids of this installation's files begin in a body: they carry
// the time, which begins with a 0 for centuries. Arguments named file_path are many.
var ownFiles = [][]byte{[]byte(`"file_0`), []byte(`/file_0`)}

// attach gives an upstream whatever it cannot get by itself: files of this
// installation, and what is at addresses that it does not read. A request that
// passes through carries its own addresses; only our own ids mean nothing there.
func (r *Relay) attach(ctx context.Context, req *chat.Request, upstream Upstream, got *fetched) (*chat.Request, error) {
	passes := upstream.Dialect() == req.Origin.Dialect && req.Origin.Body != nil
	if passes && !slices.ContainsFunc(ownFiles, func(id []byte) bool { return bytes.Contains(req.Origin.Body, id) }) {
		return req, nil
	}
	talk, err := req.Conversation()
	if err != nil {
		if passes {
			return req, nil // the upstream may know better
		}
		return nil, err
	}
	var wanted []place
	for i := range talk.Messages {
		m := &talk.Messages[i]
		for j := range m.Parts {
			if err := need(&wanted, upstream, passes, place{i, j, -1, &m.Parts[j]}, m); err != nil {
				return nil, err
			}
		}
	}
	if len(wanted) == 0 || r.Fetch == nil {
		return req, nil
	}
	if err := got.get(ctx, r.Fetch, talk, wanted); err != nil {
		return nil, err
	}
	return got.put(req, talk, wanted), nil
}

// place is where in a conversation something is that has to be fetched.
type place struct {
	message, part, inner int
	at                   *chat.Part
}

// need lists the addresses in a part that the upstream does not read.
func need(wanted *[]place, upstream Upstream, passes bool, at place, m *chat.Message) error {
	p := at.at
	if media := p.Media; media != nil {
		switch {
		case uid.Is("file", media.FileID):
			l := chat.LostPart(*m, m.Parts[at.part], chat.Dropped, "")
			return fault.New(fault.InvalidParameter, "%s: files that were uploaded here cannot be used in chats yet.", l.Field).
				With("field", l.Field).With("loss", l)
		case media.URL != "" && !passes:
			if reads, ok := upstream.(reader); ok && !reads.Reads(p) {
				*wanted = append(*wanted, at)
			}
		}
	}
	for k := range p.Content {
		if err := need(wanted, upstream, passes, place{at.message, at.part, k, &p.Content[k]}, m); err != nil {
			return err
		}
	}
	return nil
}

// fetched is what was got for one request, whichever targets it is tried at.
type fetched struct {
	mu sync.Mutex // guards by
	by map[string]*chat.Media
}

// get fetches what is wanted and not there yet.
func (f *fetched) get(ctx context.Context, fetcher Fetcher, talk *chat.Conversation, wanted []place) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	free := make(chan struct{}, mostFetches)
	asked := make(map[string]bool)
	for _, w := range wanted {
		address := w.at.Media.URL
		f.mu.Lock()
		_, here := f.by[address]
		f.mu.Unlock()
		if here || asked[address] {
			continue
		}
		asked[address] = true
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			media, err := fetcher.Fetch(ctx, w.at)
			if err != nil {
				cancel(named(err, talk.Messages[w.message], talk.Messages[w.message].Parts[w.part]))
				return
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.by == nil {
				f.by = make(map[string]*chat.Media)
			}
			f.by[address] = media
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// named says of an error which part it is about.
func named(err error, m chat.Message, p chat.Part) error {
	e := *fault.From(err)
	l := chat.LostPart(m, p, chat.Dropped, "")
	e.Message = l.Field + ": " + e.Message
	return e.With("field", l.Field).With("loss", l)
}

// put is the request with what was fetched in the place of addresses.
func (f *fetched) put(req *chat.Request, talk *chat.Conversation, wanted []place) *chat.Request {
	whole := talk.Clone()
	changed := false
	for _, w := range wanted {
		media := f.by[w.at.Media.URL]
		if media == nil {
			continue
		}
		changed = true
		p := &whole.Messages[w.message].Parts[w.part]
		if w.inner >= 0 {
			p.Content = append([]chat.Part(nil), p.Content...)
			p = &p.Content[w.inner]
		}
		here := *p.Media
		here.URL, here.Type, here.Base64 = "", media.Type, media.Base64
		p.Media = &here
	}
	if !changed {
		return req
	}
	return req.With(whole)
}
