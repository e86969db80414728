package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"

	"stele/internal/chat"
)

// answer is one answer, in the pieces it is told in.
type answer struct {
	blocks []block
	stop   chat.Stop
}

// block is one part of an answer. Each piece counts as a token.
type block struct {
	part   chat.Part // without its text
	pieces []string
	untold bool // the pieces are counted, but not shown
}

func (b *block) text() string {
	if b.untold {
		return ""
	}
	return strings.Join(b.pieces, "")
}

func (b *block) thought() bool { return b.part.Kind == chat.Thought || b.part.Kind == chat.Redacted }

// compose writes the take-th answer to a turn, within the limits of the request.
func (p *plan) compose(calls []chat.Tool, take int) answer {
	a := answer{stop: chat.Stop{Reason: chat.EndTurn}}
	a.blocks = p.thoughts(calls)
	switch {
	case p.orders.refuse:
		a.refuse()
	case p.orders.filter:
		a.filter(p.prose(take))
	case len(calls) > 0:
		if p.orders.text != nil {
			a.say(words(*p.orders.text))
		}
		for i, t := range calls {
			a.blocks = append(a.blocks, p.call(t, i, take))
		}
		a.stop.Reason = chat.ToolUse
	default:
		a.say(p.answerWords(take))
	}
	a.stopAt(p.talk.Sampling.Stop)
	if most := p.talk.Sampling.MaxTokens; most != nil {
		a.limit(*most)
	}
	if p.orders.finish != 0 {
		a.stop.Reason = p.orders.finish
	}
	return a
}

func (a *answer) say(pieces []string) {
	if len(pieces) > 0 {
		a.blocks = append(a.blocks, block{part: chat.Part{Kind: chat.Text}, pieces: pieces})
	}
}

// answerWords are the words of an answer, in the shape the client wants.
func (p *plan) answerWords(take int) []string {
	switch f := p.talk.Format; {
	case p.orders.text != nil:
		return words(*p.orders.text)
	case f == nil:
		if p.orders.words != never {
			return makeLong(p.prose(take), p.orders.words)
		}
		return words(p.prose(take))
	case f.Kind == chat.EnumText:
		return words(p.oneOf(f.Schema, take+p.seed()))
	case f.Kind == chat.JSONSchema && len(f.Schema) > 0:
		return cutBites(p.spoil(p.fit(f.Schema, false)))
	}
	if told := toldSchema(p.turn.text, p.turn.system); told != nil {
		return cutBites(p.spoil(p.fit(told, true)))
	}
	return cutBites(p.spoil(string(encode(map[string]any{"answer": p.prose(take), "model": Provider + "/" + Model}))))
}

// spoil makes JSON malformed where that is ordered.
func (p *plan) spoil(text string) string {
	if p.orders.malformed && text != "" {
		return text[:len(text)-1]
	}
	return text
}

// oneOf is one of a schema's enum, as plain text.
func (p *plan) oneOf(schema json.RawMessage, at int) string {
	var s struct {
		Enum []any `json:"enum"`
	}
	if json.Unmarshal(schema, &s) == nil && len(s.Enum) > 0 {
		return fmt.Sprint(s.Enum[at%len(s.Enum)])
	}
	var text string
	if json.Unmarshal([]byte(p.fit(schema, false)), &text) == nil {
		return text
	}
	return Model
}

func (a *answer) refuse() {
	const no = "I cannot help with that: the sandbox was ordered to refuse."
	a.blocks = append(a.blocks, block{part: chat.Part{Kind: chat.Refusal}, pieces: words(no)})
	a.stop = chat.Stop{Reason: chat.Refused, Explanation: no, Raw: "refusal"}
}

// filter says some words and is cut short, as by a provider's safety filter.
func (a *answer) filter(text string) {
	a.say(makeLong(text, 5))
	a.stop = chat.Stop{Reason: chat.Refused, Explanation: "The sandbox was ordered to filter its answer.", Category: "SAFETY", Raw: "content_filter"}
}

// stopAt ends the answer at the first of the stop sequences in its text.
func (a *answer) stopAt(sequences []string) {
	for i := range a.blocks {
		b := &a.blocks[i]
		if b.part.Kind != chat.Text {
			continue
		}
		at, sequence := earliest(b.text(), sequences)
		if at < 0 {
			continue
		}
		b.pieces = head(b.pieces, at)
		a.blocks = a.blocks[:i+1]
		if len(b.pieces) == 0 {
			a.blocks = a.blocks[:i]
		}
		a.stop = chat.Stop{Reason: chat.StopSequence, Sequence: sequence}
		return
	}
}

func earliest(text string, sequences []string) (at int, sequence string) {
	at = -1
	for _, s := range sequences[:min(len(sequences), mostStops)] {
		if i := strings.Index(text, s); s != "" && i >= 0 && (at < 0 || i < at) {
			at, sequence = i, s
			text = text[:min(len(text), i+len(s))] // what comes later does not count
		}
	}
	return at, sequence
}

// mostStops is how many stop sequences are looked for. No provider takes as many.
const mostStops = 100

// head is the pieces that make up the first bytes of a text.
func head(pieces []string, bytes int) []string {
	for i, piece := range pieces {
		if bytes < len(piece) {
			list := append([]string(nil), pieces[:i]...)
			if bytes > 0 {
				list = append(list, piece[:bytes])
			}
			return list
		}
		bytes -= len(piece)
	}
	return pieces
}

// limit ends the answer after so many tokens.
func (a *answer) limit(most int64) {
	for i := range a.blocks {
		b := &a.blocks[i]
		n := int64(len(b.pieces))
		if n <= most {
			most -= n
			continue
		}
		b.pieces = b.pieces[:most]
		a.blocks = a.blocks[:i+1]
		if most == 0 {
			a.blocks = a.blocks[:i]
		}
		a.stop = chat.Stop{Reason: chat.MaxTokens}
		return
	}
}

// parts is the answer as a whole.
func (a *answer) parts() []chat.Part {
	var list []chat.Part
	for i := range a.blocks {
		p := a.blocks[i].part
		p.Text = a.blocks[i].text()
		list = append(list, p)
	}
	return list
}
