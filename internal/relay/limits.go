package relay

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/limit"
	"stele/internal/meter"
)

// What is assumed of a model of which nothing is known.
const (
	assumedWindow = 1 << 20
	assumedOutput = 32 << 10
	leastOutput   = 16       // tokens that are worth an answer
	ofPicture     = 16 << 10 // tokens at most
	beside        = 64       // tokens that an upstream may add for roles
	besideTools   = 1024     // and for tools
)

// reserve holds what the try can take at most. Where less is left the request that it
// returns asks for a shorter answer.
func (c *call) reserve(ctx context.Context, t catalog.Target, req *chat.Request) (*chat.Request, error) {
	r := c.relay
	if !r.Limits.Any(c.record.Workspace) {
		return req, nil
	}
	quote, known := r.Catalog.Quote(c.model, t, c.start)
	c.quoted, c.quote = t, quote
	ask := limit.Ask{
		Call: limit.Call{
			Workspace: c.record.Workspace, Key: c.record.Key, Person: c.record.Person, User: c.record.User, Tags: c.tags,
			Model: c.record.Model, Provider: t.Provider,
		},
		Least: leastOutput,
	}
	if quote.Price != nil {
		ask.Sheet = quote.Sheet
	}
	asked, err := readAsked(req)
	if err != nil {
		return nil, err
	}
	answers := max(1, asked.Answers)
	window, most := int64(0), int64(0)
	if known != nil {
		window, most = known.Traits.Window, known.Traits.MostOutput()
	}
	window, most = cmp.Or(window, assumedWindow), cmp.Or(most, assumedOutput)
	if asked.Output > 0 {
		most = asked.Output
	}
	ask.Fast = asked.Fast
	ask.Input = r.mostInput(req, asked, window)
	ask.Output = most * answers
	ask.Least *= answers
	wanted := ask.Output
	if err := r.Limits.Reserve(ctx, &ask, &c.hold); err != nil {
		return nil, err
	}
	if c.hold.Output >= wanted {
		return req, nil
	}
	each := c.hold.Output / answers
	return r.Shorten(req, each, fmt.Sprintf("%d tokens, which is what a limit leaves", each)), nil
}

// readAsked reads what a request's bytes say, or the conversation where it has none.
func readAsked(req *chat.Request) (chat.Asked, error) {
	if req.Origin.Body != nil {
		return req.Origin.Facts.Asked, nil
	}
	talk, err := req.Conversation()
	if err != nil {
		return chat.Asked{}, err
	}
	a := chat.Asked{Answers: int64(talk.N), User: talk.User}
	if talk.Sampling.MaxTokens != nil {
		a.Output = *talk.Sampling.MaxTokens
	}
	return a, nil
}

// mostInput is how many tokens go in at most. A token of text has at least a byte;
// documents are told by no length, but fit into the window.
func (r *Relay) mostInput(req *chat.Request, a chat.Asked, window int64) int64 {
	if req.Origin.Body == nil || a.Documents {
		return window
	}
	most := int64(len(req.Origin.Body)) + beside
	if a.Pictures {
		most += r.Pictures(req) * ofPicture
	}
	if a.Tools {
		most += besideTools
	}
	return min(window, most)
}

// attribute notes whom the call is for. A name from the client's own header is
// bounded by who reads it.
func (c *call) attribute(who *access.Principal) {
	c.tags = who.For.Tags
	c.record.Person, c.record.Tags = who.Person(), access.TagsText(who.For.Tags)
	c.record.User = strings.Clone(who.For.User)
}

// charge settles what a record's try took and writes it into the record.
func (c *call) charge(r *meter.Record) {
	r.Charges = limit.ChargesText(c.hold.Settle(limit.Used{
		Nano: r.Nano, Input: r.Input + r.CacheRead + r.CacheWrite, Output: r.Output + r.Reasoning,
	}))
}
