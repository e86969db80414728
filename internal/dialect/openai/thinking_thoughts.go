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
func readThoughts(m *message, calls []chat.Part) []chat.Placed {
	var parts []chat.Placed
	var text strings.Builder // of the last one
	last, whole := -1.0, true
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
			parts, last, whole = nil, -1, true // all thoughts are told once more
		}
		if _, ours := chat.Unwrap(cmp.Or(p.Proof, p.Text)); ours && index > last+1 {
			whole = false // the client has lost some
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
		parts = append(parts, placeThought(p, item.Get("after")))
	}
	if n := len(parts) - 1; n >= 0 {
		parts[n].Text = text.String()
	}
	if !whole {
		unsign(parts)
	}
	if words := cmp.Or(wordsOf(m.reasoningContent), wordsOf(m.reasoning), wordsOf(m.reasoningText), wordsOf(m.thinking)); words != "" {
		parts = addWords(parts, words)
	}
	for i := range parts {
		parts[i].At = atThoughts + i
	}
	return parts
}

// thoughtNames are the members that hold the words of thoughts, of which a server may have several: the first
// that says anything counts.
var thoughtNames = []string{"reasoning_content", "reasoning", "reasoning_text", "thinking", "thinking_content", "thought"}

// wordsOf are the words of a thought, alone or in an object.
func wordsOf(v jsonscan.Value) string {
	if v.Kind() == object {
		return firstText(v, "content", "text", "thinking")
	}
	text, _ := v.Piece()
	return text
}

// isRepeated reports whether another member of a delta has the words that one has as well.
func isRepeated(key string, delta jsonscan.Value) bool {
	for _, name := range thoughtNames {
		if name == key {
			break
		}
		if wordsOf(delta.Get(name)) != "" {
			return true
		}
	}
	return hasWords(delta.Get("reasoning_details"))
}

// addWords puts the words of reasoning_content where the details do not say them
// already: into the only thought that lacks them, or before all else.
func addWords(parts []chat.Placed, words string) []chat.Placed {
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
	return append([]chat.Placed{{Part: chat.Part{Kind: chat.Thought, Text: words}}}, parts...)
}

// placeThought puts a thought at its place: where it was not the first thing that was said, we
// told the client behind how much of the content, and behind how many calls.
func placeThought(p chat.Part, after jsonscan.Value) chat.Placed {
	return chat.Placed{Part: p, Said: int(readCount(after.Get("content"))), Calls: int(readCount(after.Get("tool_calls")))}
}

// unsign makes mere words of thoughts of which some are missing, or that cannot be put
// where they were: their upstream takes them back only as they came.
func unsign(list []chat.Placed) {
	for i := range list {
		p := &list[i]
		if p.Proof = ""; p.Kind == chat.Redacted {
			p.Kind, p.Text = chat.Thought, ""
		}
		p.Said, p.Calls = 0, 0
	}
}

// weave puts thoughts between the rest of a turn.
func weave(thoughts []chat.Placed, rest []chat.Part) []chat.Part {
	if all, ok := chat.Interleave(thoughts, rest); ok {
		return all
	}
	unsign(thoughts)
	all, _ := chat.Interleave(thoughts, rest)
	return all
}

// seal gives the call of that id its signature, if there is such a call among
// the first.
func seal(calls []chat.Part, id, proof string) bool {
	for i := range calls[:min(len(calls), mostCalls)] {
		if id != "" && calls[i].ID == id {
			if calls[i].Proof = proof; strings.HasPrefix(proof, chat.ThoughtMark) {
				calls[i].Proof = inDetails + proof
			}
			return true
		}
	}
	return false
}

// readDetail reads one of reasoning_details.
func readDetail(item jsonscan.Value) (chat.Part, bool) {
	switch item.Get("type").View() {
	case "reasoning.text":
		return chat.Part{Kind: chat.Thought, Text: item.Get("text").View(), Proof: pack(item, item.Get("signature").View())}, true
	case "reasoning.summary":
		return chat.Part{Kind: chat.Thought, Text: item.Get("summary").View()}, true
	case "reasoning.encrypted":
		data := pack(item, item.Get("data").View())
		return chat.Part{Kind: chat.Redacted, Text: data}, data != ""
	}
	return chat.Part{}, false
}

// writeDetail writes a thought as one of reasoning_details.
func writeDetail(w *jsonscan.Writer, p *chat.Placed, index int) {
	w.Open(object)
	format, id, value := unpack(p.Proof)
	if p.Kind == chat.Redacted {
		format, id, value = unpack(p.Text)
		w.Key("type").Plain("reasoning.encrypted").Key("data").Text(value)
	} else {
		w.Key("type").Plain("reasoning.text").Key("text").Text(p.Text)
		if p.Proof != "" {
			w.Key("signature").Text(value)
		}
	}
	for _, m := range []struct{ name, text string }{{"id", id}, {"format", format}} {
		if m.text != "" {
			w.Key(m.name).Text(m.text)
		}
	}
	if p.Said > 0 || p.Calls > 0 {
		w.Key("after").Open(object).Key("content").Int(int64(p.Said)).Key("tool_calls").Int(int64(p.Calls)).Close(object)
	}
	w.Key("index").Int(int64(index)).Close(object)
}

// writeThoughts writes all thoughts of a whole message.
func writeThoughts(w *jsonscan.Writer, parts []chat.Placed) {
	if writeSigned(w, parts) {
		return
	}
	writeWords(w, parts)
	w.Key("reasoning_details").Open(array)
	for i := range parts {
		writeDetail(w, &parts[i], i)
	}
	w.Close(array)
}

// writeWords writes the words of thoughts.
func writeWords(w *jsonscan.Writer, parts []chat.Placed) {
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
