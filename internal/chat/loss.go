package chat

import (
	"fmt"

	"stele/internal/fault"
)

// Loss is something of the client's request that did not reach the upstream as
// it was sent. Nothing is lost without one.
type Loss struct {
	Field   string // the common name: top_k, tools, part … or an Extra's
	Message int    // index in the client's messages; -1: not about a message
	Part    int    // index in the message's parts, or of the tool; -1: about all of it
	Verb    Verb
	Note    string // what was done, for people; may be empty
}

// Verb says what happened.
type Verb string

// The verbs of X-Stele-Dropped. Ignored is for what has no effect on the
// answer; strict mode does not refuse it.
const (
	Dropped      Verb = "dropped"
	Approximated Verb = "approximated"
	Added        Verb = "added"
	Ignored      Verb = "ignored"
)

// The common names of fields, for Loss.Field. Each dialect knows its own path
// for them.
const (
	FieldSystem      = "system"
	FieldPart        = "part" // Message and Part say which
	FieldName        = "name"
	FieldTools       = "tools"
	FieldTool        = "tool" // Part says which
	FieldChoice      = "tool_choice"
	FieldParallel    = "parallel_tool_calls"
	FieldMaxTokens   = "max_tokens"
	FieldTemperature = "temperature"
	FieldTopP        = "top_p"
	FieldTopK        = "top_k"
	FieldPresence    = "presence_penalty"
	FieldFrequency   = "frequency_penalty"
	FieldSeed        = "seed"
	FieldStop        = "stop"
	FieldThinking    = "thinking"
	FieldFormat      = "format"
	FieldN           = "n"
	FieldLogprobs    = "logprobs"
	FieldUser        = "user"
	FieldTier        = "service_tier"
	FieldAudio       = "audio"
	FieldOutput      = "modalities"
	FieldCache       = "cache"
	FieldMessages    = "messages"
	FieldAnswer      = "answer" // what the answer had, and its client's dialect has not
)

// Lost makes a Loss about a field of the whole request.
func Lost(field string, verb Verb, note string) Loss {
	return Loss{Field: field, Message: -1, Part: -1, Verb: verb, Note: note}
}

// LostPart makes a Loss about a part of a message.
func LostPart(m Message, p Part, verb Verb, note string) Loss {
	return Loss{Field: FieldPart, Message: m.At, Part: p.At, Verb: verb, Note: note}
}

// LostTool makes a Loss about a tool's definition.
func LostTool(t Tool, verb Verb, note string) Loss {
	return Loss{Field: FieldTool, Message: -1, Part: t.At, Verb: verb, Note: note}
}

// StrictError says that a strict request would have lost something.
type StrictError struct{ losses []Loss }

func (e *StrictError) Error() string { return fmt.Sprintf("strict mode: %d losses", len(e.losses)) }

// Unwrap is the refusal as a fault. A client is told in its own dialect what would be lost.
func (e *StrictError) Unwrap() error {
	return fault.New(fault.StrictMode, "Strict mode: the model's provider cannot carry all of the request.")
}

// Losses is what would have been lost.
func (e *StrictError) Losses() []Loss { return e.losses }

// Accept is a *StrictError if the request is strict and would lose something that has an
// effect on the answer.
func (r *Request) Accept(losses []Loss) error {
	if !r.Strict {
		return nil
	}
	var refused []Loss
	for _, l := range losses {
		if l.Verb != Ignored {
			refused = append(refused, l)
		}
	}
	if len(refused) == 0 {
		return nil
	}
	return &StrictError{refused}
}
