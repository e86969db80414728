package chat

import (
	"encoding/base64"
	"strings"
)

// Envelope wraps an upstream's opaque value, so that it can travel through any
// client and be given back to just the upstream that made it.
type Envelope struct {
	Dialect  string
	Provider string
	Model    string
	Raw      string
}

// sealed begins every envelope, and is itself a whole number of base64 groups,
// so that all envelopes begin with the same text.
const sealed = "stele\x01"

// Wrap is the text form: standard padded base64, because Gemini's clients take
// nothing else for a signature.
func (e Envelope) Wrap() string {
	return base64.StdEncoding.EncodeToString([]byte(sealed + strings.Join([]string{e.Dialect, e.Provider, e.Model, e.Raw}, "\x00")))
}

// EnvelopePrefix is how every envelope's text begins.
var EnvelopePrefix = base64.StdEncoding.EncodeToString([]byte(sealed))

// CarrierPrefix is how a signature begins that carries redacted thinking through a
// client that has no other place for it: "redacted:" in base64.
const CarrierPrefix = "cmVkYWN0ZWQ6"

// Unwrap reads an envelope. Any other text is not one.
func Unwrap(text string) (Envelope, bool) {
	if !strings.HasPrefix(text, EnvelopePrefix) {
		return Envelope{}, false
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return Envelope{}, false
	}
	parts := strings.SplitN(string(raw[len(sealed):]), "\x00", 4)
	if len(parts) != 4 {
		return Envelope{}, false
	}
	return Envelope{parts[0], parts[1], parts[2], parts[3]}, true
}

// ThoughtMark begins what a codec wraps of thoughts, where the signatures of calls and texts look alike.
const ThoughtMark = "\t"

// OfThought reports whether it is known to be of thoughts.
func (e Envelope) OfThought() bool { return strings.HasPrefix(e.Raw, ThoughtMark) }

// OnPart reports whether it is known to be of a call or a text itself: its place at its upstream is told before it.
func (e Envelope) OnPart() bool {
	place, _, found := strings.Cut(e.Raw, ":")
	return found && place != "" && strings.Trim(place, "abcdefghijklmnopqrstuvwxyz") == ""
}

// marks is the dialect of envelopes that hold no signature, but name a turn.
const marks = "turn"

// Mark is a text that names a turn, to be sent and brought back where a signature is: that of
// a text may come when all places for it are gone by.
func Mark(turn string) string { return Envelope{Dialect: marks, Raw: turn}.Wrap() }

// MarkedTurn is the turn that a text names.
func MarkedTurn(text string) (turn string, ok bool) {
	e, ok := Unwrap(text)
	return e.Raw, ok && e.Dialect == marks
}
