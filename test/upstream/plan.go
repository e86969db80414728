package upstream

import (
	"encoding/json"
	"slices"
	"strings"
)

// Plan is what a server is going to say, in no dialect.
type Plan struct {
	Blocks []Block
	Finish string          // the API's own word; "" is the one that fits
	Usage  json.RawMessage // the API's own object; nil is counted by length
	Stop   string          // the stop sequence that ended it
	Count  int             // how many answers, all alike; 0 is 1

	think int // tokens of thinking that is not shown
	cut   bool
}

// Block is a piece of an answer.
type Block struct {
	Kind      string   // text, think, redacted, call or custom
	Text      string   // of a text or a thought; a custom call's input
	Name      string   // of a call
	ID        string   // of a call; "" is made up, "-" is none where the API allows it
	Args      string   // of a call: a JSON object
	Signature string   // of a thought or (gemini) of any block; "" is the server's, "-" is none
	Pieces    []string // how Text or Args are cut into deltas; nil is by words
}

// Text is a block of text.
func Text(text string) Block { return Block{Kind: "text", Text: text} }

// Think is a block of thinking. The server signs it.
func Think(text string) Block { return Block{Kind: "think", Text: text} }

// Redacted is a block of thinking that only the server can read.
func Redacted() Block { return Block{Kind: "redacted", Text: "redacted"} }

// Call is a call of a tool; args is a JSON object.
func Call(name, args string) Block { return Block{Kind: "call", Name: name, Args: args} }

// Say answers with these blocks. The finish is the one that fits.
func Say(blocks ...Block) Answer {
	return func(x *Exchange, _ Reply) Reply {
		x.Plan = Plan{Blocks: slices.Clone(blocks), Count: x.Plan.Count}
		return x.Render()
	}
}

// Finished ends the answer with another reason, in the API's own word.
func Finished(reason string) Answer {
	return func(x *Exchange, _ Reply) Reply {
		x.Plan.Finish = reason
		return x.Render()
	}
}

// Used reports another usage: the API's own object, as it is.
func Used(usage string) Answer {
	return func(x *Exchange, _ Reply) Reply {
		x.Plan.Usage = json.RawMessage(usage)
		return x.Render()
	}
}

// Whole answers in one piece, also when a stream was asked for.
func Whole() Answer {
	return func(x *Exchange, _ Reply) Reply {
		x.Stream = false
		return x.Render()
	}
}

// Streamed answers with a stream, also when none was asked for.
func Streamed() Answer {
	return func(x *Exchange, _ Reply) Reply {
		x.Stream = true
		return x.Render()
	}
}

// calls are the blocks that call a tool.
func (p Plan) calls() []Block {
	var calls []Block
	for _, b := range p.Blocks {
		if b.Kind == "call" || b.Kind == "custom" {
			calls = append(calls, b)
		}
	}
	return calls
}

// text is all that is said in words.
func (p Plan) text() string {
	var text strings.Builder
	for _, b := range p.Blocks {
		if b.Kind == "text" {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}
