package chat

import (
	"encoding/json"
	"slices"
)

// Part is one piece of a turn: sent, received or streamed. Which fields count
// depends on its kind.
type Part struct {
	Kind      Kind
	Text      string          // words; a call's arguments as raw JSON, or its input where Custom; opaque thinking
	ID        string          // of a tool call, or of the call that a result answers
	Name      string          // of the tool that is called or that answered; "" where a dialect does not say
	Custom    bool            // a tool call in free text rather than JSON
	Failed    bool            // a tool result that reports an error
	Media     *Media          // of Image, Audio, Video, Document
	Content   []Part          // of a ToolResult, in order: Text, Image, Document; of a Document made of blocks
	Proof     string          // a signature that an upstream wants back, raw or as an Envelope
	Citations []Citation      // of Text
	Cache     *Cache          // the prompt may be kept up to and including this part
	Logprobs  json.RawMessage // of a piece of streamed Text, in openai's shape
	Raw       json.RawMessage
	At        int // index in the client's own list, for reports
}

// HasKind reports whether one of some parts is of a kind.
func HasKind(parts []Part, kind Kind) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Kind == kind })
}

// Kind is a sort of part.
type Kind uint8

// The kinds of parts.
const (
	Text       Kind = iota + 1
	Thought         // thoughts in words; Proof is their signature
	Redacted        // thoughts that only their upstream can read, in Text
	Image           // Media
	Audio           // Media; Text is the transcript where one is known, ID the upstream's own id
	Video           // Media
	Document        // Media, or Content; Name is its title
	ToolCall        // ID, Name, Text
	ToolResult      // ID, Name, Content, Failed
	Refusal         // Text is what the model said instead
	Opaque          // Raw is a block only its own dialect understands; Name says which, Text is what it says in words
)

// Media is a picture, a sound, a clip or a document, in exactly one of these forms.
type Media struct {
	Type   string // MIME type; "" where the client did not say
	Base64 string // standard, padded, without line breaks
	URL    string // http or https
	FileID string // an id of this installation's files, or of an upstream's
	Plain  string // the words of a text document
	Name   string // file name or title
	Detail string // openai's detail or gemini's resolution: low, medium, high …
	Note   string // anthropic's context of a document
	Cite   bool   // citations of this document are wanted
}

// Tool is something the model may call.
type Tool struct {
	Kind        ToolKind
	Name        string
	Description string
	Schema      json.RawMessage // of the arguments; nil: none
	Strict      *bool
	Grammar     json.RawMessage // of a Custom tool, in openai's words
	Cache       *Cache
	Raw         json.RawMessage // of a Server tool, and whatever else the client's dialect says of the tool
	At          int
	Offer       Offer  // to upstreams of which dialects
	Set         string // the set of tools that it is one of, which calls name beside it; "": none
}

// Offer says which upstreams are told of a tool.
type Offer uint8

// The offers. A tool is offered to all unless its dialect has another way to tell of it.
const (
	Anywhere Offer = iota
	AtHome         // upstreams of the client's own dialect alone
	Abroad         // upstreams of other dialects alone
)

// ToolKind is a sort of tool.
type ToolKind uint8

// The kinds of tools.
const (
	Function ToolKind = iota
	Custom            // takes free text
	Server            // runs at the upstream: web search, code execution …; only its own dialect has it
	Client            // runs at the client, but its dialect's author has defined it: Raw is how it says so, all else a function
)

// Choice says whether the model calls tools.
type Choice struct {
	Mode   ChoiceMode
	Name   string   // of Named
	Names  []string // of Allowed: only these
	Forced bool     // of Allowed: at least one
	Serial bool     // at most one call a turn
}

// ChoiceMode is a way to choose.
type ChoiceMode uint8

// The ways to choose; the zero value is not mentioned.
const (
	Unset ChoiceMode = iota
	Auto
	None
	Required
	Named
	Allowed
	Validated // gemini's auto with checked arguments; Names may limit it
)

// Citation is a source that the model names for a text.
type Citation struct {
	URL, Title, Quote string
	Start, End        int             // characters of all text of the answer; 0, 0 for all of the text that it stands with
	Raw               json.RawMessage // in the upstream's own words
	Dialect           string          // whose words those are
}

// Quotes reports whether Quote is what stands in the source, and not what rests on it.
func (c *Citation) Quotes() bool { return c.Quote != "" && c.Start == 0 && c.End == 0 }
