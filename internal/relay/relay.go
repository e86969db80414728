// Package relay is one chat turn: find the model, try its targets, count what
// it took. It cannot name a dialect: translation happens at the door and at the
// wall, so nothing here changes when one is added.
package relay

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/limit"
	"stele/internal/meter"
	"stele/internal/route"
	"stele/internal/scope"
	"stele/internal/uid"
)

// Target is what an upstream is asked for.
type Target struct {
	Model    string // the upstream's name
	Timeouts catalog.Timeouts
	Rename   bool // the reply must carry the client's name of the model
	Hidden   bool // and nothing may tell who served it
	Watched  bool // every event is needed, even where the bytes pass through

	MostOutput int64 // the most tokens of an answer, where the request is translated; 0: not known
}

// Upstream is an account that can be asked. An error means that nothing was
// answered yet, so that another one may be tried.
type Upstream interface {
	Dialect() string // "" where it speaks none and takes the common conversation
	Do(ctx context.Context, req *chat.Request, t Target) (*chat.Reply, error)
}

// Options are what a Relay is made of.
type Options struct {
	Catalog   *catalog.Catalog
	Upstreams func(provider string) (Upstream, bool)
	Router    *route.Router
	Keeper    meter.Keeper
	Full      func() bool // whether the keeper has no room for another record; nil: never
	Vault     *Vault
	Fetch     Fetcher                                                                 // nil: nothing is fetched
	Files     Files                                                                   // nil: none are kept
	Attached  func() int64                                                            // the most bytes that are put into one request; nil: any number
	Describe  func(dialect string, losses []chat.Loss) string                         // in the client's own words, for the record; nil: not
	Losses    func(dialect string, req *chat.Request, r *chat.WholeReply) []chat.Loss // what of an answer a dialect has no place for; nil: not looked for
	Limits    *limit.Service                                                          // nil: none
	Pictures  func(req *chat.Request) int64                                           // how many a request has, at most
	Shorten   func(req *chat.Request, most int64, note string) *chat.Request          // a request that asks for no more than so many tokens
	Log       *slog.Logger
	Now       func() time.Time
}

// Relay serves chat turns. It is safe for concurrent use.
type Relay struct{ Options }

// New makes a Relay.
func New(o Options) *Relay { return &Relay{o} }

// fullPause is when a client that was refused for want of room is to ask again.
const fullPause = 5 * time.Second

// Do serves one turn. A whole reply has been counted when it returns; a stream
// is counted when it ends, however it ends, or when the reply is closed.
func (r *Relay) Do(ctx context.Context, who access.Principal, req *chat.Request) (*chat.Reply, error) {
	if err := catalog.CheckID(req.Model); err != nil {
		return nil, err // before there is a record of it
	}
	if r.Full != nil && r.Full() {
		return nil, fault.New(fault.Unavailable, "The server cannot keep what requests use: its disk takes nothing.").After(fullPause)
	}
	call := r.begin(ctx, who, req)
	reply, err := r.do(ctx, who, req, call)
	if err != nil {
		if ended := call.whyRevoked(err); ended != nil {
			err = ended
		}
		call.fail(err)
		call.settle()
		return nil, err
	}
	call.noteServed(reply)
	if reply.Stream == nil {
		call.settle()
		if nano := reply.Nano; req.Origin.Cost && reply.Priced {
			reply.Whole.Usage.Cost = &nano
		}
		return reply, nil
	}
	release := reply.Close
	reply.Stream = call.watch(reply.Stream)
	reply.Close = func() {
		if release != nil {
			release()
		}
		call.settle()
	}
	return reply, nil
}

// Refuse records a request that was refused before an upstream could be asked: its
// body was too large, or not understood.
func (r *Relay) Refuse(ctx context.Context, who access.Principal, dialect string, err error) {
	call := r.begin(ctx, who, &chat.Request{Origin: chat.Origin{Dialect: dialect}})
	call.fail(err)
	call.settle()
}

func (r *Relay) do(ctx context.Context, who access.Principal, req *chat.Request, call *call) (*chat.Reply, error) {
	model, err := r.Model(who, req.Model)
	if err != nil {
		return nil, err
	}
	call.model = model
	if !who.Sandbox && model.ID != req.Model { // a name led to it: limits and figures are the model's
		call.record.Model, call.record.Asked = model.ID, req.Model
	}
	if err := checkSteering(who, req); err != nil {
		return nil, err
	}
	several := len(model.Targets) > 1
	if several {
		if model, err = call.keepTarget(ctx, model); err != nil {
			return nil, err
		}
	}
	var reply *chat.Reply
	var got fetched
	call.record.Tries, err = r.Router.Do(ctx, who.Workspace, model, func(ctx context.Context, t catalog.Target) (err error) {
		call.bookLost()
		bounded, err := call.reserve(ctx, t, req)
		if err != nil {
			return err
		}
		ctx = call.try(ctx, t.Provider, t.Model)
		defer func() {
			if err != nil {
				call.noteMissed(err)
			}
		}()
		upstream, ok := r.Upstreams(t.Provider)
		if !ok {
			return fault.New(fault.UpstreamError, "The model's provider is not available.").
				OurCredentials().Because(errors.New("no provider " + t.Provider))
		}
		asked, err := r.prepare(ctx, call, bounded, upstream, &got)
		if err != nil {
			return err
		}
		reply, err = upstream.Do(ctx, asked, Target{
			Model: t.Model, Timeouts: model.Timeouts, Rename: model.HideUpstream || several, Hidden: model.HideUpstream, Watched: several,
			MostOutput: r.mostOutput(t, req, upstream),
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	if !reply.Passed || several {
		r.remember(ctx, who, req, reply)
	}
	return reply, nil
}

// prepare gives a request what one upstream needs. Then it is about to be asked.
func (r *Relay) prepare(ctx context.Context, call *call, req *chat.Request, upstream Upstream, got *fetched) (*chat.Request, error) {
	asked, err := remind(ctx, call, req, upstream)
	if err != nil {
		return nil, err
	}
	if asked, err = r.attach(ctx, call.record.Workspace, asked, upstream, got); err != nil {
		return nil, err
	}
	if req.Asking != nil {
		err = req.Asking()
	}
	return asked, err
}

// Opens refuses a model that the caller may not have, or that is not there.
func (r *Relay) Opens(who access.Principal, name string) error {
	_, err := r.Model(who, name)
	return err
}

// mostOutput is how long a target's answers can be. Of a request that passes through that
// is between its client and the upstream.
func (r *Relay) mostOutput(t catalog.Target, req *chat.Request, upstream Upstream) int64 {
	if req.PassesTo(upstream.Dialect()) {
		return 0
	}
	entry, ok := r.Catalog.Entry(t)
	if !ok {
		return 0
	}
	return entry.Traits.Output
}

// Model finds what a caller asks for. Keys marked sandbox get one model for every name.
func (r *Relay) Model(who access.Principal, name string) (*catalog.Model, error) {
	if !who.Sandbox {
		return r.Catalog.Model(name, who.Scope)
	}
	if err := catalog.CheckID(name); err != nil {
		return nil, err
	}
	model, err := r.Catalog.Model(catalog.Sandbox, who.Scope)
	if err != nil {
		model, err = r.Catalog.Model(catalog.Sandbox, access.Scope{})
	}
	return model, err
}

// remind gives a request that will be translated back what its client lost. One
// that passes through carries its own.
func remind(ctx context.Context, call *call, req *chat.Request, upstream Upstream) (*chat.Request, error) {
	if req.PassesTo(upstream.Dialect()) {
		return req, nil
	}
	talk, err := req.Conversation()
	if err != nil {
		return nil, err
	}
	if err := call.mind.look(ctx, talk.Messages); err != nil {
		return nil, err
	}
	if restored := call.mind.restore(talk); restored != talk {
		return req.With(restored), nil
	}
	return req, nil
}

// remember keeps what the client may lose until the turn comes back.
func (r *Relay) remember(ctx context.Context, who access.Principal, req *chat.Request, reply *chat.Reply) {
	target := catalog.Target{Provider: reply.Provider, Model: reply.Target}
	if reply.Stream != nil {
		l := &listening{vault: r.Vault, workspace: who.Workspace, target: target, marks: !reply.Passed && bringsMarks(req)}
		reply.Stream = l.listen(ctx, reply.Stream)
		return
	}
	var all []*saving
	for _, answer := range reply.Whole.Answers {
		all = append(all, r.Vault.keep(ctx, who.Workspace, target, answer.Parts))
	}
	for _, s := range all {
		s.wait()
	}
}

// bringsMarks reports whether a client is sent the name of its turn: where its dialect has a
// place for that, among thoughts, and it asks for some.
func bringsMarks(req *chat.Request) bool {
	if !req.Origin.Marks {
		return false
	}
	talk, err := req.Conversation()
	return err == nil && talk.Thinking != nil
}

// begin opens the record of a call.
func (r *Relay) begin(ctx context.Context, who access.Principal, req *chat.Request) *call {
	now := r.Now()
	s := scope.From(ctx)
	s.Record = uid.New("use")
	c := &call{relay: r, asker: ctx, scope: s, start: now, body: len(req.Origin.Body), request: req, record: meter.Record{
		ID: s.Record, At: now, Request: s.ID, Workspace: who.Workspace, Key: who.Key, Environment: string(who.Environment),
		Route: s.Route(), Dialect: req.Origin.Dialect, Model: req.Model, Stream: req.Stream, Status: 200,
	}}
	c.mind = recollection{vault: r.Vault, workspace: who.Workspace}
	c.attribute(&who)
	return c
}
