package openai

import (
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// Chat Completions has no thoughts of its own. They travel in fields that other
// servers made common and that official clients keep: reasoning_content for the
// words, reasoning_details for words with signatures and for what only its
// upstream can read, extra_content.google for the signature of a call or a text.

// readThoughts gathers the thoughts of a message, sent or received. Pieces of one
// thought, as a client collects them from a stream, have the same index; when the
// index goes back they are told again. An encrypted one that names a call is
// that call's signature.
func readThoughts(m *wireMessage, calls []chat.Part) []chat.Part {
	var parts []chat.Part
	var text strings.Builder // of the last one
	last := -1.0
	m.ReasoningDetails.ForEach(func(_, item gjson.Result) bool {
		p, ok := readDetail(item)
		if !ok || p.Kind == chat.Redacted && seal(calls, item.Get("id").Str, p.Text) {
			return true
		}
		index := -1.0
		if v := item.Get("index"); v.Type == gjson.Number {
			index = v.Num
		}
		same := index >= 0 && index == last
		if index >= 0 && index < last {
			parts = nil // a stream's end tells all thoughts once more
		}
		last = index
		n := len(parts) - 1
		if n >= 0 && parts[n].Kind == p.Kind && (same || p.Text == "" && parts[n].Proof == "") {
			text.WriteString(p.Text)
			if p.Proof != "" {
				parts[n].Proof = p.Proof
			}
			return true
		}
		if n >= 0 {
			parts[n].Text = text.String()
		}
		text.Reset()
		text.WriteString(p.Text)
		parts = append(parts, p)
		return true
	})
	if n := len(parts) - 1; n >= 0 {
		parts[n].Text = text.String()
	}
	words := m.ReasoningContent.Str
	if words == "" {
		words = m.Reasoning.Str
	}
	if words != "" {
		parts = addWords(parts, words)
	}
	for i := range parts {
		parts[i].At = atThoughts + i
	}
	return parts
}

// addWords puts the words of reasoning_content where the details do not say them
// already: into the only thought that lacks them, or before all else.
func addWords(parts []chat.Part, words string) []chat.Part {
	first, thoughts := -1, 0
	for i := range parts {
		if parts[i].Kind != chat.Thought {
			continue
		}
		if parts[i].Text != "" {
			return parts
		}
		if first < 0 {
			first = i
		}
		thoughts++
	}
	if thoughts == 1 {
		parts[first].Text = words
		return parts
	}
	return append([]chat.Part{{Kind: chat.Thought, Text: words}}, parts...)
}

// seal gives the call of that id its signature, if there is such a call among
// the first: no model makes more.
func seal(calls []chat.Part, id, proof string) bool {
	for i := range calls[:min(len(calls), mostCalls)] {
		if id != "" && calls[i].ID == id {
			calls[i].Proof = proof
			return true
		}
	}
	return false
}

// mostCalls is how many calls of one turn are looked through one by one.
const mostCalls = 256

// readDetail reads one of reasoning_details.
func readDetail(item gjson.Result) (chat.Part, bool) {
	switch item.Get("type").Str {
	case "reasoning.text":
		return chat.Part{Kind: chat.Thought, Text: item.Get("text").Str, Proof: item.Get("signature").Str}, true
	case "reasoning.summary":
		return chat.Part{Kind: chat.Thought, Text: item.Get("summary").Str}, true
	case "reasoning.encrypted":
		data := item.Get("data").Str
		return chat.Part{Kind: chat.Redacted, Text: data}, data != ""
	}
	return chat.Part{}, false
}

// signature is the one in extra_content of a message, a call or a piece of either.
func signature(extra gjson.Result) string {
	if !extra.IsObject() {
		return ""
	}
	return extra.Get("google.thought_signature").Str
}

// signed writes a signature as extra_content.
func (w *writer) signed(proof string) {
	w.key("extra_content").open('{').key("google").open('{').key("thought_signature").text(proof).close('}').close('}')
}

// detail writes a thought as one of reasoning_details.
func (w *writer) detail(p *chat.Part, index int) {
	w.open('{')
	if p.Kind == chat.Redacted {
		w.key("type").word(`"reasoning.encrypted"`).key("data").text(p.Text)
	} else {
		w.key("type").word(`"reasoning.text"`).key("text").text(p.Text)
		if p.Proof != "" {
			w.key("signature").text(p.Proof)
		}
	}
	w.key("index").int(int64(index)).close('}')
}

// thoughts writes all thoughts of a whole message.
func (w *writer) thoughts(parts []chat.Part) {
	var words strings.Builder
	for i := range parts {
		if parts[i].Kind == chat.Thought {
			words.WriteString(parts[i].Text)
		}
	}
	if words.Len() > 0 {
		w.key("reasoning_content").text(words.String())
	}
	w.key("reasoning_details").open('[')
	for i := range parts {
		w.detail(&parts[i], i)
	}
	w.close(']')
}
