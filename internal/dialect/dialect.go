// Package dialect is what the three chat APIs have in common: a codec for each
// turns common things into its own words and back, so that three codecs make
// nine journeys. It must not know routes, keys or upstreams' addresses.
package dialect

import (
	"bytes"
	"net/http"
	"time"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/price"
	"stele/internal/wire"
)

// Dialect is one chat API, both halves.
type Dialect interface {
	Name() string
	Server
	Client
}

// Incoming is a client's request in its dialect's own words.
type Incoming struct {
	Model  string // from the path, where the dialect has it there
	Stream bool   // from the path, where the dialect has it there
	Framed bool   // gemini: the stream is wanted as SSE
	Header http.Header
	Body   []byte
}

// Reworded is the header with which stele bridge says that it made a chat of a request to another API:
// what its bytes call parameters is not the client's choice.
const Reworded = "X-Stele-Reworded"

// Heard are those of a request's headers that its codec listens to. The others, keys among them, go
// no further. The names must be canonical.
func Heard(h http.Header, names ...string) (heard map[string][]string) {
	for _, name := range names {
		if values, ok := h[name]; ok {
			if heard == nil {
				heard = make(map[string][]string, 2)
			}
			heard[name] = values
		}
	}
	return heard
}

// Server is the half of a codec that faces our clients.
type Server interface {
	// DecodeRequest checks that the body is one JSON object without duplicate
	// keys and reads what routing needs. The conversation is decoded later, from
	// the same bytes, only if a caller asks the Request for it.
	DecodeRequest(Incoming) (*chat.Request, error)
	// EncodeReply writes a whole answer as the client expects it.
	EncodeReply(req *chat.Request, r *chat.WholeReply) ([]byte, error)
	// ReplyLosses lists what of a whole answer the dialect has no place for.
	ReplyLosses(req *chat.Request, r *chat.WholeReply) []chat.Loss
	// NewEncoder begins a stream to one client.
	NewEncoder(*chat.Request) Encoder
	// PutCost puts what an answer cost, in billionths of a USD, beside the usage of one
	// that passes through: a whole one, or the frame that tells its usage last.
	PutCost(raw []byte, nano int64) []byte
	// EncodeError is an error in the dialect's own shape, with the HTTP status
	// its clients expect.
	EncodeError(e *fault.Error, requestID string) (status int, body []byte)
	// Path is where the client finds what a loss is about, in its own words:
	// messages[3].content[1], generationConfig.topK.
	Path(chat.Loss) string
}

// Encoder writes one stream to one client. It is fed strict events and appends
// whole frames, so that whatever it returns can be written and flushed.
type Encoder interface {
	ContentType() string
	Encode(dst []byte, e *chat.Event) ([]byte, error)
	KeepAlive(dst []byte) []byte
	// Fail appends the dialect's own error event.
	Fail(dst []byte, e *fault.Error, requestID string) []byte
}

// ArrayEncoder is an Encoder whose client does not take frames: what passes through
// has to be put into another form, and keeps its bytes in there.
type ArrayEncoder interface {
	// AppendFrames appends what whole frames of the dialect hold.
	AppendFrames(dst, frames []byte) []byte
	// EndArray appends what ends the answer.
	EndArray(dst []byte) []byte
}

// Upstream is what an encoder must know of who it writes for: the model, and what is taken there.
type Upstream struct {
	Model      string // the upstream's name
	Stream     bool
	Compatible bool     // speaks the dialect, but is not its author's own service
	Schemaless bool     // takes no schema for the answer, only JSON as such
	Nameless   bool     // takes no name of the tool that is to be called
	Choiceless bool     // cannot be told that a tool must be called
	Efforts    []string // the levels of thinking that a compatible server takes, least first; nil: none to high
	Threadless bool     // keeps no conversations that a client may go on with
	Marks      bool     // takes Anthropic's cache markers, whichever dialect it speaks
	Pictures   bool     // takes pictures back that its models made, in their own turns
	MaxOutput  int64    // the model's own limit; 0: not known
	// Proof gives back a signature in the upstream's own words if this very
	// upstream made it; others must be left out.
	Proof func(text string) (raw string, ok bool)
	// Resume is the token of an answer that its upstream paused and that is to go on.
	Resume string
	// Forget leaves out all thoughts and signatures: the upstream has refused them.
	Forget bool
	// Remind gives turns of the model without thoughts a blank one: the upstream misses them.
	Remind bool
	// Bridge puts a turn of the model's between results and what the user says then: the upstream
	// wants one there.
	Bridge bool
	// SystemFirst makes the user's, in a client's own bytes, what the system says between turns: the upstream takes none there.
	SystemFirst bool
	// Beside puts what is no text behind the results of tools: the upstream takes only words in them.
	Beside bool
	// Plain makes one text of the texts of a turn: the upstream takes no list of them.
	Plain bool
	// Loose tells the bounds of tools' arguments in words, and lets the model call where it must: the upstream can make
	// nothing of them.
	Loose bool
	// Worded puts an empty text beside a signature that is of nothing else: the upstream wants one there.
	Worded bool
	// Refused are parameters, by the upstream's own names, that it has refused for this model.
	Refused []string
	// Unenforced leaves schemas to the model's good will: they are too much for the upstream.
	Unenforced bool
}

// UsageWish is the parameter by which a stream of OpenAI's dialect is asked for its tokens. It is ours, in a client's
// own bytes as well: where an upstream refuses it, it is left out, and tokens are counted here.
const UsageWish = "stream_options"

// ToolChoice is the parameter by which tools are to be called, or not, in OpenAI's dialect.
const ToolChoice = "tool_choice"

// What an upstream may refuse of the calls in a history: their ids, that they are not signed, or not by it,
// what models have called tools, which need not be a name of any, results that do not say of which tool they are, and that calls and
// results are not pairs; of tools
// that a type stands beside a choice among schemas, or none, and that they take free text; of all of it, what is to be kept in a cache.
const (
	CallIDs     = "tool_call_id"
	Signatures  = "thought_signature"
	ToolNames   = "tool_name"
	ResultNames = "tool_result.name"
	SchemaTypes = "schema.type"
	CustomTools = "tools.custom"
	Pairs       = "tool_result.pairs"
	Blocks      = "content.blocks" // that only Anthropic's own API has
	CacheMarks  = "cache_control"
)

// Forms are all of these: a request says the same without them.
var Forms = []string{CallIDs, Signatures, ToolNames, ResultNames, SchemaTypes, CustomTools, Pairs, Blocks, CacheMarks}

// Outgoing is a request in an upstream's own words.
type Outgoing struct {
	Path   string      // below the base URL, with query where the dialect needs one
	Header http.Header // what the dialect itself needs; credentials are not its business
	Body   []byte
	Pieces [][]byte // the body, where it is long and passes through: Body is nil then
	Losses []chat.Loss
	Stops  []string          // stop sequences the upstream cannot take: the reader of the answer cuts there
	Names  map[string]string // tool names that had to be changed: sent → the client's
	// Streamed says that a stream is asked for, whatever the target says: a whole answer may
	// take longer than connections stay open in silence.
	Streamed bool
}

// Splice makes the client's own bytes, with edits, the body. Long ones stay where they
// are: a copy would take as much memory again.
func (c *Outgoing) Splice(body []byte, edits *jsonscan.Edits) (err error) {
	const long = 64 << 10
	if len(body) < long || edits.Len() == 0 {
		c.Body, err = edits.Apply(body)
		return err
	}
	c.Pieces, err = edits.Pieces(body)
	return err
}

// Join puts a body in pieces together, for code that has to look at it as a whole.
func (c *Outgoing) Join() {
	if c.Pieces != nil {
		c.Body, c.Pieces = bytes.Join(c.Pieces, nil), nil
	}
}

// Client is the half of a codec that faces upstreams.
type Client interface {
	Passer
	// EncodeRequest writes a conversation of any origin. What cannot be carried is
	// in Losses; what must not be left out is an error.
	EncodeRequest(talk *chat.Conversation, t Upstream) (Outgoing, error)
	DecodeReply(body []byte) (*chat.WholeReply, error)
	// NewDecoder begins a stream from one upstream. A light one reads only as far
	// as metering needs: Start, Counted and Finish.
	NewDecoder(light bool) Decoder
	// DecodeError reads an upstream's refusal. What it says of the operator's own
	// account never gets into the message.
	DecodeError(status int, header http.Header, body []byte) *fault.Error
	// TakesSeveral reports whether one call may be asked for several answers.
	TakesSeveral() bool
	// Reads reports whether the upstream itself fetches what is at a part's address, or
	// knows what it means where the client's own bytes pass.
	Reads(p *chat.Part, passes bool) bool
}

// Passer is what a codec does where nothing is translated: as little as it can.
type Passer interface {
	// PassRequest is the client's own bytes, but for the closed list of edits: the
	// model's name, the loose switches, usage asked for in a stream. The request
	// must be of this dialect.
	PassRequest(req *chat.Request, t Upstream) (Outgoing, error)
	// CountReply reads of a whole answer that passes through only what metering
	// needs: its usage, and whether it is an error.
	CountReply(body []byte) (*chat.WholeReply, error)
	// NothingToMeter reports whether a run of whole frames that passes through holds nothing
	// that metering needs, as far as its last frames tell. When in doubt it says no.
	NothingToMeter(frames []byte) bool
	// DropUnasked takes out of whole frames that pass through what is in them only because we asked
	// for usage and the client did not. It may write into their bytes, and returns a part of them.
	DropUnasked(frames []byte) []byte
	// Rename puts another model's name into an answer's or a frame's own bytes and
	// leaves every other byte as it is.
	Rename(raw []byte, model string) []byte
}

// Decoder reads one stream from one upstream.
type Decoder interface {
	// Decode appends what a frame means, loosely. Its events' texts do not hold on
	// to the frame. An error frame is an error.
	Decode(events []chat.Event, frame wire.Frame) ([]chat.Event, error)
	// Hidden reports whether the last frame is only there because PassRequest
	// asked for usage that the client did not.
	Hidden() bool
}

// Keeper is a Decoder that gathers something over many frames before it tells of it.
type Keeper interface {
	// KeptBytes is how many bytes it holds now.
	KeptBytes() int64
}

// Model is a chat model as the lists of the dialects show it.
type Model struct {
	ID           string
	Name         string
	Description  string
	Owner        string
	Created      time.Time
	Capabilities map[string]bool // what is not in it is not known
	Tags         []string
	Traits       price.Traits // what is zero is not known
	Price        *price.Sheet // nil: not known
	Deprecated   time.Time    // since when it is known to end; zero where it does not
	Retires      time.Time    // zero: it does not, as far as is known
	Successor    string       // what its maker names in its place
}
