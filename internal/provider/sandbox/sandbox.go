// Package sandbox is the built-in upstream: it answers as any model with no
// upstream at all, always in the same way, and misbehaves on orders found in the
// prompt, so that authors of clients can test their own code. It works on the
// common conversation and must not know dialects' words, prices or keys.
package sandbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/pause"
	"stele/internal/relay"
	"stele/internal/scope"
)

// The names that replies carry: the provider's and its only model's.
const (
	Provider = "stele"
	Model    = "sandbox"
)

// mostAnswers bounds how many answers may be asked for at once.
const mostAnswers = 128

// mostPieces bounds how many pieces all answers to a request may have together, those
// told as alternatives included, and pieceCost is the memory that one takes on its way.
const (
	mostPieces = 250_000
	pieceCost  = 256
)

// Options are what a Sandbox is made of. The zero value is usable.
type Options struct {
	// Now tells the time, for the age of cached prompts; nil: the real time.
	Now func() time.Time
	// Sleep waits, and returns early with the context's cause when it ends; nil: in real time.
	Sleep func(context.Context, time.Duration) error
	// Secret signs thoughts. Servers that shall accept each other's need the same one;
	// nil: one of its own, good for the life of the process.
	Secret []byte
}

// Sandbox answers chat turns. It is safe for concurrent use and starts no
// goroutine.
type Sandbox struct {
	sleep  func(context.Context, time.Duration) error
	secret []byte
	cache  *cache
}

var _ relay.Upstream = (*Sandbox)(nil)

// New makes a Sandbox.
func New(o Options) *Sandbox {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = pause.For
	}
	if len(o.Secret) == 0 {
		o.Secret = []byte(rand.Text())
	}
	return &Sandbox{sleep: o.Sleep, secret: o.Secret, cache: newCache(o.Now)}
}

// Dialect is none: the sandbox takes the common conversation.
func (s *Sandbox) Dialect() string { return "" }

// Do answers one turn. It returns when the answer is there, or may begin: what
// goes wrong before the first word is an error here, later it is in the stream.
func (s *Sandbox) Do(ctx context.Context, req *chat.Request, t relay.Target) (*chat.Reply, error) {
	talk, err := req.Conversation()
	if err != nil {
		return nil, err
	}
	talk, unsaid, err := s.takeBack(talk, req.Origin.Dialect)
	if err != nil {
		return nil, err
	}
	losses, err := findLosses(talk, req, unsaid)
	if err != nil {
		return nil, err
	}
	p, err := s.plan(talk)
	if err != nil {
		return nil, err
	}
	if err := scope.From(ctx).Memory.Grow(ctx, int64(p.pieces)*pieceCost); err != nil {
		return nil, err
	}
	pace := &patience{sleep: s.sleep, limits: t.Timeouts}
	if err := p.orders.runBefore(ctx, pace); err != nil {
		return nil, err
	}
	p.usage = p.count(s.cache)
	reply := &chat.Reply{Provider: Provider, Target: Model, Dropped: losses}
	if !t.Hidden {
		reply.Served = Provider + "/" + Model
	}
	if req.Stream {
		reply.Seen = new(chat.Seen)
		reply.Stream = p.tell(ctx, pace, p.answers, reply.Seen)
		reply.Close = func() {} // nothing is held that an unread stream would keep
		return reply, nil
	}
	if reply.Whole, err = p.answerWhole(ctx, pace); err != nil {
		return nil, err
	}
	return reply, nil
}

// plan is all about a turn's answers that is settled before the first word.
type plan struct {
	talk    *chat.Conversation
	turn    turn
	orders  orders
	prompt  prompt
	answers []answer
	pieces  int // of all answers, with their alternatives
	usage   chat.Usage
	fitted  map[string]json.RawMessage // instances by their schemas: several answers need the same
}

// readWords takes the orders out of the user's words.
func (p *plan) readWords() (err error) {
	words, own := p.turn.text, p.turn.own
	if p.turn.text, err = p.orders.read(words); err != nil {
		return err
	}
	again := noOrders() // of what they leave: they are read already
	rest := func(part, whole string) string {
		if part == "" || part == words {
			return whole
		}
		text, _ := again.read(part)
		return cmp.Or(text, whole)
	}
	p.turn.own = rest(own, p.turn.text)
	p.turn.quoted = rest(p.turn.quoted, p.turn.own)
	return nil
}

func (s *Sandbox) plan(talk *chat.Conversation) (*plan, error) {
	if len(talk.Messages) == 0 && len(talk.System) == 0 { // as every vendor does
		return nil, fault.Missing("messages")
	}
	n := max(talk.N, 1)
	if n > mostAnswers {
		return nil, refuseField("n", "n must be at most %d, not %d.", mostAnswers, n)
	}
	if most := talk.Sampling.MaxTokens; most != nil && *most < 1 {
		return nil, refuseField("max_tokens", "The most tokens of an answer must be at least 1, not %d.", *most)
	}
	p := &plan{talk: talk, turn: readTurn(talk), orders: noOrders(), fitted: make(map[string]json.RawMessage)}
	var err error
	if p.turn.system, err = p.orders.read(p.turn.system); err != nil {
		return nil, err
	}
	if err := p.readWords(); err != nil {
		return nil, err
	}
	p.prompt = readPrompt(talk)
	if most := p.orders.window; most > 0 && p.prompt.tokens > int64(most) {
		return nil, dialect.TooLong(fmt.Sprintf("The prompt has %d tokens, and the sandbox was ordered to have a context window of %d.", p.prompt.tokens, most))
	}
	calls, err := p.calls()
	if err != nil {
		return nil, err
	}
	told := 1 // each piece, and its alternatives
	if talk.Logprobs != nil {
		told += min(*talk.Logprobs, mostLikely)
	}
	for take := range n {
		a := p.compose(calls, take)
		for i := range a.blocks {
			p.pieces += told * len(a.blocks[i].pieces)
		}
		if p.pieces > mostPieces {
			return nil, refuseField("n", "All answers together, with their alternatives, would be too long: ask for fewer or shorter ones.")
		}
		s.seal(&a, p.prompt.sum)
		p.answers = append(p.answers, a)
	}
	return p, nil
}

// refuseField refuses a request because of one of its fields.
func refuseField(field, format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidParameter, format, args...).Field(field)
}
