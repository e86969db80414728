package openai

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// writeMessages writes the conversation: the system text, then each assistant's turn
// with all that came between it and the next.
func (e *requestWriter) writeMessages() {
	list := e.c.Messages
	if len(list) == 0 && !slices.ContainsFunc(e.c.System, hasWordsIn) {
		e.err = fault.Missing("messages")
		return
	}
	none := len(e.Key("messages").Open(array).Bytes())
	e.writeSystem()
	said := true
	for i := 0; i < len(list) && e.err == nil; {
		var calls []chat.Part
		if list[i].Role == chat.Assistant {
			turn := list[i]
			turn.Parts = slices.Clip(turn.Parts)
			i++
			// Results must follow the calls at once, so turns between are one turn.
			for i < len(list) && list[i].Role == chat.Assistant && chat.HasKind(turn.Parts, chat.ToolCall) {
				e.loseTurn(list[i], chat.FieldPart, chat.Approximated, "joined with the turn before it")
				turn.Parts = append(turn.Parts, list[i].Parts...)
				i++
			}
			calls, said = e.writeAssistant(turn)
		}
		rest := i
		for i < len(list) && list[i].Role != chat.Assistant {
			i++
		}
		e.writeBetween(calls, list[rest:i])
	}
	if n := len(list); n > 0 && said && list[n-1].Role == chat.Assistant && !chat.HasKind(list[n-1].Parts, chat.ToolCall) {
		// Models behind this API begin anew unless they are asked for the rest.
		e.loseTurn(list[n-1], chat.FieldPart, chat.Approximated, "the model is asked to go on from here")
		e.writeTurn("user", []piece{{text: "Continue your last message exactly where it ends. Do not repeat any of it and do not comment on it."}})
	}
	if len(e.Bytes()) == none {
		e.refuseField(chat.FieldMessages, "there is nothing in them that the model can be told")
	}
	e.Close(array)
}

// writeTurn writes a message that is nothing but its content.
func (e *requestWriter) writeTurn(role string, pieces []piece) {
	e.Open(object).Key("role").Plain(role).Key("content")
	e.writeContent(pieces)
	e.Close(object)
}

func hasWordsIn(p chat.Part) bool { return strings.TrimSpace(p.Text) != "" }

// writeSystem writes the leading system text, and the lines that stand for fields.
func (e *requestWriter) writeSystem() {
	parts := slices.DeleteFunc(slices.Clone(e.c.System), func(p chat.Part) bool { return !hasWordsIn(p) })
	for _, line := range e.lines {
		parts = append(parts, chat.Part{Kind: chat.Text, Text: line, At: -1})
	}
	if len(parts) == 0 {
		return
	}
	marked := e.t.Marks && slices.ContainsFunc(parts, func(p chat.Part) bool { return p.Cache != nil })
	if e.t.Compatible && len(parts) > 1 && !marked {
		texts := make([]string, len(parts))
		for i, p := range parts {
			texts[i] = p.Text
			e.unmark(chat.Message{At: -1}, p)
		}
		parts = []chat.Part{{Kind: chat.Text, Text: strings.Join(texts, "\n\n")}}
	}
	e.writeTurn("system", e.sort(chat.Message{At: -1}, parts).pieces)
}

// writeAssistant writes a model's turn and returns the calls it made. A turn of which nothing is left is not written:
// many servers refuse an empty one.
func (e *requestWriter) writeAssistant(m chat.Message) (calls []chat.Part, said bool) {
	e.waiting = nil // a model has no results: it gets them
	t := e.sort(m, m.Parts)
	pieces := slices.DeleteFunc(t.pieces, func(p piece) bool {
		if p.kind != 0 {
			e.losePart(m, chat.Part{At: p.at}, chat.Dropped, onlyWords)
		}
		return p.kind != 0
	})
	thoughts, signed := e.keepThoughts(m)
	if len(pieces) == 0 && len(t.calls) == 0 && t.sound == "" && len(t.drawn) == 0 && len(thoughts) == 0 && len(e.c.Messages) > 1 {
		e.loseTurn(m, chat.FieldPart, chat.Dropped, "nothing is left of it")
		return nil, false
	}
	e.Open(object).Key("role").Plain("assistant")
	e.writeName(m)
	e.Key("content")
	switch {
	case len(pieces) > 0:
		if e.t.Compatible {
			pieces = joinPieces(pieces, "")
		}
		e.writeContent(pieces)
	case !e.t.Plain && (len(t.calls) > 0 || t.sound != "" || len(t.drawn) > 0):
		e.Null()
	default:
		e.Text("")
	}
	if len(t.calls) > 0 {
		e.nameCalls(t.calls)
		packed := e.detailsOf(t.calls)
		thoughts, signed = append(thoughts, packed...), signed || len(packed) > 0
	}
	e.writeThoughts(m, t, thoughts, signed)
	if t.sound != "" {
		e.Key("audio").Open(object).Key("id").Text(t.sound).Close(object)
	}
	if len(t.drawn) > 0 {
		e.Key("images")
		e.writeContent(t.drawn)
	}
	if len(t.calls) > 0 {
		e.Key("tool_calls").Open(array)
		for i := range t.calls {
			e.writeCall(m, &t.calls[i], e.callIDs[i])
		}
		e.Close(array)
	}
	e.Close(object)
	return t.calls, true
}

// onlyWords is why pictures and documents of a model's are left out.
const onlyWords = "models' turns have only words here"

// keepThoughts gives what can be sent of a turn's thoughts, and whether the upstream signed any. OpenAI takes no
// thoughts at all; other servers take words, and signatures if they made them.
func (e *requestWriter) keepThoughts(m chat.Message) (kept []chat.Placed, signed bool) {
	for _, p := range chat.Places(m.Parts) {
		text := &p.Proof
		if p.Kind == chat.Redacted {
			text = &p.Text
		}
		raw, ok := e.openProof(*text)
		signed = signed || ok
		switch {
		case p.Text == "" && p.Proof == "": // it only named its turn
		case ok:
			*text = raw
			kept = append(kept, p)
		case p.Kind == chat.Thought && p.Text != "" && e.t.Compatible:
			p.Proof = ""
			kept = append(kept, p)
		default:
			e.losePart(m, p.Part, chat.Dropped, "thoughts of another model")
		}
	}
	return kept, signed
}

// writeThoughts writes what a turn thought.
func (e *requestWriter) writeThoughts(m chat.Message, t turn, kept []chat.Placed, signed bool) {
	if signed {
		writeThoughts(&e.Writer, kept)
	} else {
		writeWords(&e.Writer, kept)
	}
	if e.t.Remind && !slices.ContainsFunc(kept, func(p chat.Placed) bool { return p.Kind == chat.Thought && p.Text != "" }) {
		e.Key("reasoning_content").Plain(" ") // an empty one is none to some
	}
	raw, _ := e.openProof(t.proof)
	writeSignature(&e.Writer, raw)
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == chat.Text {
			e.noteForeign(m, p)
		}
	}
}

// noteForeign reports a signature that the upstream has not made: it says nothing to this one.
func (e *requestWriter) noteForeign(m chat.Message, p *chat.Part) {
	if _, own := e.openProof(p.Proof); !own && p.Proof != "" {
		e.losePart(m, *p, chat.Ignored, "a signature of another upstream")
	}
}

// openProof returns a signature in the upstream's own words, or "" if it is another's.
func (e *requestWriter) openProof(text string) (raw string, own bool) {
	if text != "" && e.t.Proof != nil {
		raw, own = e.t.Proof(text)
	}
	if _, wrapped := chat.Unwrap(text); !own || !wrapped && !e.t.Compatible {
		return "", false
	}
	return raw, true
}

// nameCalls gives the calls of a turn the ids that they are sent with: the API refuses one that is
// there twice. Results take them in the same order.
func (e *requestWriter) nameCalls(calls []chat.Part) {
	e.callIDs, e.callNames, e.waiting = nil, make(map[string]string), make(map[string][]string, len(calls))
	used := make(map[string]bool, len(calls))
	for i := range calls {
		id := calls[i].ID
		sent := e.toCallID(id)
		for again := 2; used[sent]; again++ {
			sent = e.toCallID(fmt.Sprintf("%s_%d", id, again))
		}
		used[sent], e.callNames[sent] = true, calls[i].Name
		e.callIDs, e.waiting[id] = append(e.callIDs, sent), append(e.waiting[id], sent)
	}
}

// toCallID is the id of a call as the upstream takes it.
func (e *requestWriter) toCallID(id string) string {
	if e.refuses(callIDField) {
		return dialect.ShortID(id, 9)
	}
	return dialect.CallID(id, longestID)
}

// openResult begins the result of a call; of which tool it is says the call, but to upstreams that do not look there.
func (e *requestWriter) openResult(sent string) {
	e.Open(object).Key("role").Plain("tool").Key("tool_call_id").Text(sent)
	if e.refuses(dialect.ResultNames) && e.callNames[sent] != "" {
		e.Key("name").Text(e.names.To(e.callNames[sent]))
	}
}

// takeWaiting returns the id of the first call of that name that has no result yet.
func (e *requestWriter) takeWaiting(id string) (sent string) {
	if ids := e.waiting[id]; len(ids) > 0 {
		sent, e.waiting[id] = ids[0], ids[1:]
	}
	return sent
}

func (e *requestWriter) writeCall(m chat.Message, p *chat.Part, id string) {
	custom, text := p.Custom && !e.t.Compatible, p.Text
	switch {
	case custom:
	case e.isCustom(p.Name):
		// Called as a function where it was one: here it is what it was meant to be.
		custom, text = true, unwrapInput(text)
	case p.Custom:
		text = wrapInput(text)
	case dialect.NoArguments(text):
		text = "{}"
	case e.t.Compatible: // whose templates read them
		object, odd := dialect.Arguments(text)
		if text = string(object); odd {
			e.losePart(m, *p, chat.Approximated, "arguments that are no object, under _raw")
		}
	}
	e.Open(object).Key("id").Text(id)
	writeCall(&e.Writer, custom, e.names.To(p.Name), text)
	raw, _ := e.openProof(p.Proof)
	if e.refuses(signatureField) {
		raw = dialect.NoSignature
		e.loseTurn(m, chat.FieldPart, chat.Ignored, "calls carry Google's placeholder for signatures")
	}
	writeSignature(&e.Writer, raw)
	e.noteForeign(m, p)
	e.Close(object)
}

// writeBetween writes what came after a model's turn: the results of its calls first,
// every call answered, then all else as it came.
func (e *requestWriter) writeBetween(calls []chat.Part, batch []chat.Message) {
	turns := make([]turn, len(batch))
	var attached []piece
	for i, m := range batch {
		t := e.sort(m, m.Parts)
		for _, r := range t.results {
			attached = append(attached, e.writeResult(m, r.Part, r.sent)...)
		}
		for _, p := range t.calls { // only a model calls
			e.losePart(m, p, chat.Approximated, "as text: it is no model's turn")
			t.pieces = append(t.pieces, piece{text: "[" + p.Name + " " + p.Text + "]", at: p.At})
		}
		turns[i] = t
	}
	for _, c := range calls {
		sent := e.takeWaiting(c.ID)
		if sent == "" {
			continue
		}
		e.lose(chat.FieldMessages, chat.Added, fmt.Sprintf("no result for call %s", c.ID))
		e.openResult(sent)
		e.Key("content").Text("[no result]").Close(object)
	}
	bridged := !e.t.Bridge || len(calls) == 0
	bridge := func() {
		if !bridged {
			bridged = true
			e.lose(chat.FieldMessages, chat.Added, "a turn of the model's between results and the user")
			e.writeTurn("assistant", []piece{{text: "(I have the results.)"}})
		}
	}
	switch {
	case len(attached) == 0:
	case e.t.Bridge && len(batch) > 0: // and nothing may stand between it and what the user says
		turns[0].pieces = append(attached, turns[0].pieces...)
	default:
		e.writeTurn("user", attached)
	}
	for i, m := range batch {
		if len(turns[i].pieces) == 0 && (len(turns[i].results) > 0 || m.Role == chat.System) {
			continue // nothing is left to say
		}
		bridge()
		e.writeUser(m, turns[i])
	}
}

func (e *requestWriter) writeUser(m chat.Message, t turn) {
	role := "user"
	if m.Role == chat.System {
		role = "system"
	}
	e.Open(object).Key("role").Plain(role)
	e.writeName(m)
	e.Key("content")
	e.writeContent(t.pieces)
	e.Close(object)
}

func (e *requestWriter) writeName(m chat.Message) {
	switch {
	case m.Name == "":
	case len(m.Name) <= 64 && !strings.ContainsAny(m.Name, " \t\r\n<|\\/>"):
		e.Key("name").Text(m.Name)
	default:
		e.loseTurn(m, chat.FieldName, chat.Dropped, "not a legal name")
	}
}
