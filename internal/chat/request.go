// Package chat is the common conversation: richer than each of the dialects it
// stands between, and none of them. It must not know HTTP, the JSON of any one
// API, providers or keys.
package chat

import (
	"encoding/json"
	"slices"
	"sync"
)

// Request is one chat turn on its way. What every floor needs is on its face;
// the conversation itself is read from the client's bytes only when a codec has
// to understand it, so that a request which passes through is never decoded.
type Request struct {
	Model  string // the public id the client asked for
	Stream bool
	Strict bool // refuse rather than drop
	Origin Origin
	Swaps  []Swap // parts that are others than the client's bytes say
	Lost   []Loss // what was lost already, before a wall looked at it
	Inlaid any    // what its bytes only have marks for, to the wall that put them there

	// Admit is asked before the conversation is read, which takes memory. Its error is
	// the conversation's. It may be nil.
	Admit func() error
	// Asking is told before an upstream is asked, each time. With an error none is. It may be nil.
	Asking func() error

	once   sync.Once
	decode func() (*Conversation, error)
	talk   *Conversation
	err    error
}

// Origin is a request as it was received.
type Origin struct {
	Dialect string              // openai, anthropic or gemini
	Body    []byte              // valid JSON without duplicate keys; never changed
	Loan    *Loan               // taken by who reads the body beyond the call that it is given in; nil: not needed
	Facts   Facts               // what is known of the body
	Header  map[string][]string // those that its codec listens to; keys are not among them
	// Usage is false when the client did not ask an OpenAI stream for usage.
	Usage bool
	// Cost is true when the client wants to read beside the usage what its answer cost.
	Cost bool
	// Marks is true when names of turns are sent to the client and brought back: see Mark.
	Marks bool
	// Foreign is true when the body has shapes of another API that are understood here, and
	// by no upstream: its bytes are handed on to none.
	Foreign bool
	// Unframed is true when a stream is wanted as one JSON array rather than as
	// server-sent events, which no upstream is asked for.
	Unframed bool
}

// Holders are objects in a request whose fields count as the request's own where it has none, the first before
// the second: libraries put there what they do not know.
var Holders = []string{"extra_body", "options"}

// Facts are what one walk over a body tells, so that it is not searched again.
type Facts struct {
	Values    int   // about how many there are in it
	Weight    int64 // about how much memory it takes once it is understood, beside its own bytes
	Envelopes bool  // something that was wrapped for the client may be in it
	Files     bool  // files of this installation may be named in it
	Additions bool  // fields that we add to answers may be in it
	Repeats   bool  // members of an answer's message may be in it
	Others    bool  // parts or tools in the words of another API may be in it
	Addresses bool  // something that an upstream may take for an address to fetch is in it
	Asked     Asked // how much it may take, and for whom

	// Where the longest member of the body begins and ends, so that a search for
	// another leaps over it; 0, 0 where that is not known.
	LongestFrom, LongestTo int
}

// Asked is what a body says about how much its request may take, and for whom.
type Asked struct {
	Output  int64  // the most tokens of one answer; 0: it does not say
	Answers int64  // how many there will be; 0: one
	User    string // the end user, within the body's bytes; "" where it names none

	Fast      bool // it asks for an answer that comes faster and costs more
	Pictures  bool // there may be some in it
	Tools     bool // there may be tools in it
	Documents bool // there may be something in it whose length tells nothing: pages, sound, films
}

// NewRequest makes a Request whose conversation is read by decode, at most once.
func NewRequest(model string, stream bool, origin Origin, decode func() (*Conversation, error)) *Request {
	return &Request{Model: model, Stream: stream, Origin: origin, decode: decode}
}

// Conversation reads the conversation out of the client's bytes. The result is
// shared: a caller that wants to change it works on a Clone.
func (r *Request) Conversation() (*Conversation, error) {
	r.once.Do(func() {
		if r.Admit != nil {
			r.err = r.Admit()
		}
		if r.err == nil {
			r.talk, r.err = r.decode()
		}
	})
	return r.talk, r.err
}

// IsUnderstood reports whether the conversation was read: parts of it may be kept, which
// share the body's bytes. It must not be asked beside Conversation.
func (r *Request) IsUnderstood() bool { return r.talk != nil || r.err != nil }

// PassesTo reports whether an upstream of a dialect gets the client's own bytes. A
// request that was changed on the way is no longer what those say.
func (r *Request) PassesTo(dialect string) bool {
	return r.Origin.Dialect == dialect && r.Origin.Body != nil && !r.Origin.Foreign
}

// With returns a copy of r that speaks of talk instead of what the client sent.
// It no longer passes through: its bytes are not what it means.
func (r *Request) With(talk *Conversation) *Request {
	c := &Request{Model: r.Model, Stream: r.Stream, Strict: r.Strict, Origin: r.Origin, Lost: r.Lost}
	c.Origin.Body = nil
	c.decode = func() (*Conversation, error) { return talk, nil }
	return c
}

// Swap is a part that takes the place of one which the client only named.
type Swap struct {
	Message int // in the conversation's list
	Part    int // in the message's
	Named   string
}

// WithSwaps is With for a change of whole parts: the client's bytes stay, and
// the provider that passes them on puts the parts into their places.
func (r *Request) WithSwaps(talk *Conversation, swaps []Swap) *Request {
	c := r.With(talk)
	c.Origin.Body, c.Swaps = r.Origin.Body, swaps
	return c
}

// WithBody is a copy of r whose parts were put into its bytes, which are now body.
func (r *Request) WithBody(body []byte, lost []Loss) *Request {
	c := &Request{Model: r.Model, Stream: r.Stream, Strict: r.Strict, Origin: r.Origin, Lost: append(slices.Clip(r.Lost), lost...), decode: r.Conversation}
	c.Origin.Body = body
	c.Origin.Facts.Addresses, c.Origin.Facts.LongestFrom, c.Origin.Facts.LongestTo = true, 0, 0 // of the bytes as they were
	return c
}

// WithMostTokens is a copy of r whose answers have at most so many tokens; body says so as well.
func (r *Request) WithMostTokens(body []byte, most int64, loss Loss) *Request {
	c := &Request{
		Model: r.Model, Stream: r.Stream, Strict: r.Strict, Origin: r.Origin, Swaps: r.Swaps, Inlaid: r.Inlaid, Lost: append(slices.Clip(r.Lost), loss),
	}
	c.Origin.Body, c.Origin.Facts.Asked.Output = body, most
	c.decode = func() (*Conversation, error) {
		talk, err := r.Conversation()
		if err != nil {
			return nil, err
		}
		talk = talk.Clone()
		talk.Sampling.MaxTokens = &most
		return talk, nil
	}
	return c
}

// Conversation is everything a client said in one request.
type Conversation struct {
	System   []Part // the leading system and developer text
	Messages []Message
	Tools    []Tool
	Choice   Choice
	Sampling Sampling
	Thinking *Thinking // nil: not mentioned
	Format   *Format   // nil: plain text
	N        int       // how many answers; 0 and 1 are one
	Logprobs *int      // alternatives wanted for each token; nil: no log-probabilities
	User     string    // the end user's id
	Tier     string    // service tier in the client's words
	Audio    json.RawMessage
	Output   []string // modalities wanted, lower case; empty: text
	Cache    *Cache   // automatic caching of the whole prompt
	Extra    []Extra  // what only the client's dialect knows, in the order it came
	Legacy   bool     // openai's functions instead of tools: the answer must use them too
	Notes    []Loss   // what the decoder itself had to approximate or ignore

	// Spelled is the client's own word for a field, where its dialect has several.
	Spelled map[string]string
}

// Clone is a copy whose lists of messages, parts and tools can be changed.
func (c *Conversation) Clone() *Conversation {
	d := *c
	d.System = slices.Clone(c.System)
	d.Tools = slices.Clone(c.Tools)
	d.Messages = slices.Clone(c.Messages)
	for i := range d.Messages {
		d.Messages[i].Parts = slices.Clone(d.Messages[i].Parts)
	}
	return &d
}

// Message is one turn. System is only for system text in the middle.
type Message struct {
	Role  Role
	Parts []Part
	Name  string // participant's name
	At    int    // index in the client's own list, for reports
}

// Role says who speaks.
type Role uint8

// The roles. Results of tools are parts of User turns.
const (
	User Role = iota
	Assistant
	System
)

// Sampling is how tokens are chosen. Nil and empty mean not mentioned.
type Sampling struct {
	MaxTokens   *int64
	Temperature *float64
	TopP        *float64
	TopK        *float64
	Presence    *float64
	Frequency   *float64
	Seed        *int64
	Stop        []string
}

// Thinking is how much the model may think before it answers.
type Thinking struct {
	Effort string // none, minimal, low, medium, high, xhigh, max; "": the model's default
	Budget *int64 // tokens; -1: as many as the model likes
	Show   *bool  // whether the client wants to read the thoughts; nil: the dialect's default
	Kind   string // anthropic's own word where the client used one: enabled, adaptive, between_tools …
}

// Silent reports whether all that is said is that thoughts are not to be shown, or nothing:
// that is no wish for any.
func (t *Thinking) Silent() bool {
	return t == nil || t.Effort == "" && t.Budget == nil && t.Kind == "" && t.Show != nil && !*t.Show
}

// Format is the shape the answer must have.
type Format struct {
	Kind        FormatKind
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema
	Strict      *bool
	Held        bool // the client's API holds answers to schemas, unasked
}

// FormatKind is a sort of answer.
type FormatKind uint8

// The kinds of answers other than plain text.
const (
	JSONObject FormatKind = iota + 1
	JSONSchema
	EnumText // one of a schema's enum, without quotes
)

// Cache marks a place up to which an upstream may keep the prompt.
type Cache struct{ TTL string }

// Extra is a field that only one dialect knows. Its name carries the dialect:
// openai.logit_bias.
type Extra struct {
	Name   string
	Value  json.RawMessage
	Effect Effect
}

// Effect says what leaving an Extra out does to the answer.
type Effect uint8

// The effects.
const (
	Shapes   Effect = iota // the answer would be another one: dropped and reported
	Harmless               // labels, user ids, hints: ignored and reported
	Vital                  // cannot be left out: the request is refused where it cannot be carried
)
