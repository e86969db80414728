package openai

import (
	"cmp"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// Chat Completions has no thoughts of its own. They travel in fields that other
// servers made common and that official clients keep: reasoning_content for the
// words, reasoning_details for words with signatures and for what only its
// upstream can read, extra_content.google for the signature of a call or a text.

// readThoughts gathers the thoughts of a message, sent or received. Pieces of one
// thought, as a client collects them from a stream, have the same index; when the
// index goes back they are told again. An encrypted one that names a call is
// that call's signature.
func readThoughts(m *message, calls []chat.Part) []chat.Part {
	var parts []chat.Part
	var text strings.Builder // of the last one
	last := -1.0
	for _, item := range m.reasoningDetails.Elements() {
		p, ok := readDetail(item)
		if !ok || p.Kind == chat.Redacted && seal(calls, item.Get("id").View(), p.Text) {
			continue
		}
		index, ok := item.Get("index").Float()
		if !ok {
			index = -1
		}
		same := index >= 0 && index == last
		if index >= 0 && index < last {
			parts = nil // a stream's end tells all thoughts once more
		}
		last = index
		n := len(parts) - 1
		if n >= 0 && parts[n].Kind == p.Kind && (same || p.Text == "" && parts[n].Proof == "") {
			text.WriteString(p.Text)
			parts[n].Proof = cmp.Or(p.Proof, parts[n].Proof)
			continue
		}
		if n >= 0 {
			parts[n].Text = text.String()
		}
		text.Reset()
		text.WriteString(p.Text)
		parts = append(parts, p)
	}
	if n := len(parts) - 1; n >= 0 {
		parts[n].Text = text.String()
	}
	if words := cmp.Or(m.reasoningContent.View(), m.reasoning.View()); words != "" {
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
// the first.
func seal(calls []chat.Part, id, proof string) bool {
	for i := range calls[:min(len(calls), mostCalls)] {
		if id != "" && calls[i].ID == id {
			calls[i].Proof = proof
			return true
		}
	}
	return false
}

// readDetail reads one of reasoning_details.
func readDetail(item jsonscan.Value) (chat.Part, bool) {
	switch item.Get("type").View() {
	case "reasoning.text":
		return chat.Part{Kind: chat.Thought, Text: item.Get("text").View(), Proof: item.Get("signature").View()}, true
	case "reasoning.summary":
		return chat.Part{Kind: chat.Thought, Text: item.Get("summary").View()}, true
	case "reasoning.encrypted":
		data := item.Get("data").View()
		return chat.Part{Kind: chat.Redacted, Text: data}, data != ""
	}
	return chat.Part{}, false
}

// signature is the one in extra_content of a message, a call or a piece of either.
func signature(extra jsonscan.Value) string { return extra.Get("google", "thought_signature").View() }

// writeSignature writes a signature, if there is one, as extra_content.
func writeSignature(w *jsonscan.Writer, proof string) {
	if proof == "" {
		return
	}
	w.Key("extra_content").Open(object).Key("google").Open(object).Key("thought_signature").Text(proof).Close(object).Close(object)
}

// writeDetail writes a thought as one of reasoning_details.
func writeDetail(w *jsonscan.Writer, p *chat.Part, index int) {
	w.Open(object)
	if p.Kind == chat.Redacted {
		w.Key("type").Plain("reasoning.encrypted").Key("data").Text(p.Text)
	} else {
		w.Key("type").Plain("reasoning.text").Key("text").Text(p.Text)
		if p.Proof != "" {
			w.Key("signature").Text(p.Proof)
		}
	}
	w.Key("index").Int(int64(index)).Close(object)
}

// writeThoughts writes all thoughts of a whole message.
func writeThoughts(w *jsonscan.Writer, parts []chat.Part) {
	writeWords(w, parts)
	w.Key("reasoning_details").Open(array)
	for i := range parts {
		writeDetail(w, &parts[i], i)
	}
	w.Close(array)
}

// writeWords writes the words of thoughts.
func writeWords(w *jsonscan.Writer, parts []chat.Part) {
	var words strings.Builder
	for i := range parts {
		if parts[i].Kind == chat.Thought {
			words.WriteString(parts[i].Text)
		}
	}
	if words.Len() > 0 {
		w.Key("reasoning_content").Text(words.String())
	}
}
