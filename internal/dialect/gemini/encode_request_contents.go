package gemini

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// role is whose Content is open. A function's turn is written as a user's, but
// holds nothing else than results.
type role uint8

const (
	noRole role = iota
	user
	model
	function
)

// piece is a part and the message it came in.
type piece struct {
	*chat.Part
	m    *chat.Message
	used bool   // a result that was given to its call
	asks string // a call: the id by which its result is found
}

const (
	opening   = "(The conversation begins with the answer that follows.)"
	goOn      = "Continue exactly where your last message ends, and do not repeat any of it."
	silence   = "(This message is empty.)"
	noResult  = "[no result]"
	seeBelow  = "(attached below)"
	joinLines = "\n"

	performance = "### PERFORMANCE\n"
	transcript  = "\n#### TRANSCRIPT"
)

// writeContents writes the turns: user first, results of a batch of calls together in
// the order of the calls and apart from what people said, user last.
func (w *requestWriter) writeContents() {
	w.Key("contents").Open(jsonscan.Array)
	if w.traits.unled {
		w.writeLead()
	}
	for i := 0; i < len(w.talk.Messages); {
		var asked []piece
		if w.talk.Messages[i].Role == chat.Assistant {
			said, next := w.takeRun(i, true)
			asked = w.writeModel(said)
			i = next
		}
		heard, next := w.takeRun(i, false)
		if len(asked) > 0 {
			w.writeResults(asked, heard)
		}
		w.writeUser(heard)
		i = next
	}
	w.endWithUser()
	w.beginTurn(noRole)
	w.Close(jsonscan.Array)
}

// writeLead writes the system prompt into the first turn of the user's, for a model that takes none.
func (w *requestWriter) writeLead() {
	for _, p := range w.talk.System {
		if p.Kind == chat.Text && strings.TrimSpace(p.Text) != "" && len(w.talk.Messages) > 0 {
			w.beginTurn(user)
			if w.traits.speaks { // it would say the marks too
				w.say(performance + p.Text + transcript)
			} else {
				w.say(dialect.TagSystemText(p.Text))
			}
			w.lose(chat.Loss{Field: chat.FieldSystem, Message: -1, Part: p.At, Verb: chat.Approximated, Note: "the model takes none: sent as a user's text with a mark around it"})
		}
	}
}

// takeRun takes the parts of the messages from i on that are, or are not, the model's.
func (w *requestWriter) takeRun(i int, models bool) (parts []piece, next int) {
	for ; i < len(w.talk.Messages); i++ {
		m := &w.talk.Messages[i]
		if (m.Role == chat.Assistant) != models {
			break
		}
		if m.Name != "" {
			w.lose(chat.Loss{Field: chat.FieldName, Message: m.At, Part: -1, Verb: chat.Dropped})
		}
		before := len(parts)
		for j := range m.Parts {
			p := &m.Parts[j]
			if isBlank(p) {
				continue
			}
			parts = append(parts, piece{Part: p, m: m})
		}
		if len(parts) == before {
			w.lose(chat.Loss{Field: chat.FieldPart, Message: m.At, Part: -1, Verb: chat.Dropped, Note: "the message is empty"})
		}
	}
	return parts, i
}

// isBlank reports whether a part says nothing: the API refuses Contents of them.
func isBlank(p *chat.Part) bool { return p.Proof == "" && isWordless(p) }

// isWordless reports whether a part of words has none.
func isWordless(p *chat.Part) bool {
	return (p.Kind == chat.Text || p.Kind == chat.Thought || p.Kind == chat.Refusal) && p.Text == ""
}

// beginTurn closes the open Content and begins another, if it is another's.
func (w *requestWriter) beginTurn(r role) {
	if w.role == r {
		return
	}
	if w.role != noRole {
		w.Close(jsonscan.Array).Close(jsonscan.Object)
	}
	if w.role == noRole && r == model {
		w.beginTurn(user)
		w.say(opening)
		w.lose(chat.Lost(chat.FieldMessages, chat.Added, "a user's turn before the first answer"))
		w.beginTurn(model)
		return
	}
	w.role = r
	if r == noRole {
		return
	}
	word := "user"
	if r == model {
		word = "model"
	}
	w.Open(jsonscan.Object).Key("role").Text(word).Key("parts").Open(jsonscan.Array)
}

// say writes a part of text.
func (w *requestWriter) say(text string) {
	w.Open(jsonscan.Object).Key("text").Text(text).Close(jsonscan.Object)
}

// writeModel writes what the model said and returns its calls.
func (w *requestWriter) writeModel(said []piece) (calls []piece) {
	carried, given := "", make(ids)
	for i, p := range said {
		proof, ok := w.openProof(p)
		if ok && p.Kind == chat.Thought && w.belongsToNext(said, i) {
			carried, proof = proof, ""
			if p.Text == "" {
				continue
			}
		} else if proof == "" && p.Kind != chat.Thought {
			proof, carried = carried, ""
		}
		if p.Kind == chat.Image && proof == "" && w.traits.signed && w.traits.draws {
			proof, w.dummies = unsigned, true
		}
		if p.Kind == chat.ToolCall {
			if proof == "" && len(calls) == 0 && w.traits.signed {
				proof, w.dummies = unsigned, true
			}
			p = given.rename(p)
			calls = append(calls, p)
		}
		if proof == "" && isWordless(p.Part) { // another model signed it
			continue
		}
		w.writePart(model, p, proof)
	}
	return calls
}

// ids are those of the calls of a turn, and how often each was to be given.
type ids map[string]int

// rename gives a call an id of its own: the API finds results by it.
func (s ids) rename(p piece) piece {
	if p.asks = p.ID; p.ID == "" {
		return p
	}
	sent := p.ID
	for s[sent] > 0 {
		s[p.ID]++
		sent = p.ID + "_" + strconv.Itoa(s[p.ID])
	}
	s[sent]++
	if sent != p.ID {
		renamed := *p.Part
		renamed.ID, p.Part = sent, &renamed
	}
	return p
}

// belongsToNext reports whether thoughts carry the signature of what follows
// them: clients of other dialects have no other place for the signature of a
// call, or of an answer whose thoughts are not shown. Servers that are not Google's
// sign the thoughts themselves.
func (w *requestWriter) belongsToNext(said []piece, i int) bool {
	if i+1 >= len(said) {
		return false
	}
	next := said[i+1]
	return next.Proof == "" && (next.Kind == chat.ToolCall && !w.target.Compatible || said[i].Text == "" && next.Kind != chat.Thought && next.Kind != chat.Redacted)
}

// openProof gives back a part's signature, if the very upstream made it that is asked now.
func (w *requestWriter) openProof(p piece) (string, bool) {
	if p.Proof == "" {
		return "", false
	}
	if w.target.Proof != nil {
		if raw, ok := w.target.Proof(p.Proof); ok {
			return raw, true
		}
	}
	w.strange++
	return "", false
}

// writeResults writes one Content with a result for each call, in their order.
func (w *requestWriter) writeResults(asked, heard []piece) {
	answers := make(map[string][]int, len(asked))
	for i := range heard {
		if h := &heard[i]; h.Kind == chat.ToolResult {
			answers[h.ID] = append(answers[h.ID], i)
		}
	}
	for _, a := range asked {
		at := -1
		if waiting := answers[a.asks]; len(waiting) > 0 {
			at, answers[a.asks] = waiting[0], waiting[1:]
		}
		w.beginTurn(function)
		if at < 0 {
			w.writeResult(a.ID, a.Name, &chat.Part{Content: []chat.Part{{Kind: chat.Text, Text: noResult}}})
			w.lose(chat.LostPart(*a.m, *a.Part, chat.Added, "the call had no result"))
			continue
		}
		heard[at].used = true
		for i := range heard[at].Content {
			inner := heard[at].Content[i]
			inner.At = heard[at].At
			w.refuseUnseen(piece{Part: &inner, m: heard[at].m})
			if len(inner.Citations) > 0 {
				w.lose(chat.LostPart(*heard[at].m, inner, chat.Ignored, "citations"))
			}
			if inner.Media != nil && inner.Media.Cite && !w.mustStandApart(&inner) {
				w.lose(chat.LostPart(*heard[at].m, inner, chat.Dropped, citesDocument))
			}
		}
		if slices.ContainsFunc(heard[at].Content, func(p chat.Part) bool { return p.Kind == chat.Document && !w.mustStandApart(&p) }) {
			w.lose(chat.LostPart(*heard[at].m, *heard[at].Part, chat.Approximated, "a document as text"))
		}
		if slices.ContainsFunc(heard[at].Content, func(p chat.Part) bool { return w.mustStandApart(&p) }) {
			w.lose(chat.LostPart(*heard[at].m, *heard[at].Part, chat.Approximated, "attached in a user's turn after the results"))
		}
		w.writeResult(a.ID, a.Name, heard[at].Part)
	}
}

// writeUser writes everything that is not the model's: what was attached to results
// but cannot be in them, then what was said.
func (w *requestWriter) writeUser(heard []piece) {
	for _, h := range heard {
		if h.used {
			for i := range h.Content {
				if inner := &h.Content[i]; w.mustStandApart(inner) {
					inner := *inner
					inner.At = h.At
					w.writePart(user, piece{Part: &inner, m: h.m}, "")
				}
			}
		}
	}
	for _, h := range heard {
		switch {
		case h.used:
		case h.Kind == chat.ToolResult:
			w.lose(chat.LostPart(*h.m, *h.Part, chat.Approximated, "the call that it answers is not there: sent as text"))
			for _, p := range asText(h.Part) {
				w.writePart(user, piece{Part: &p, m: h.m}, "")
			}
		case h.m.Role == chat.System && h.Kind == chat.Text:
			w.lose(chat.LostPart(*h.m, *h.Part, chat.Approximated, "sent as a user's text with a mark around it"))
			w.beginTurn(user)
			w.say(dialect.TagSystemText(h.Text))
		default:
			w.writePart(user, h, "")
		}
	}
}

// endWithUser makes sure that there is a turn and that it is not the model's.
func (w *requestWriter) endWithUser() {
	switch w.role {
	case model:
		w.beginTurn(user)
		if n := len(w.talk.Messages); w.talk.Messages[n-1].Role == chat.User {
			w.say(silence)
			w.lose(chat.Lost(chat.FieldMessages, chat.Added, "words for the last message, which has none"))
			return
		}
		w.say(goOn)
		w.lose(chat.Lost(chat.FieldMessages, chat.Approximated, "the model is asked to go on with the last message"))
	case noRole:
		for i, p := range slices.Backward(w.talk.System) {
			if p.Kind == chat.Text && !isBlank(&p) && len(w.talk.Messages) == 0 {
				w.beginTurn(user)
				w.say(p.Text)
				w.moved = len(w.talk.System) - i
				w.lose(chat.Lost(chat.FieldSystem, chat.Approximated, "there is nothing else: its last text is sent as the user's"))
				return
			}
		}
		l := chat.Lost(chat.FieldMessages, chat.Dropped, "")
		if len(w.talk.Messages) > 0 {
			l = chat.Loss{Field: chat.FieldPart, Message: w.talk.Messages[0].At, Part: -1, Verb: chat.Dropped}
		}
		w.refuse(l, "the conversation is empty")
	case user, function:
	}
}
