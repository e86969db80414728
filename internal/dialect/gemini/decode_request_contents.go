package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// turns is what is known of the conversation while it is read.
type turns struct {
	content int // index of the Content being read; -1: none
	part    int // index of the part being read; -1: none
	odd     int // index of a part of which nothing is known; -1: none
	calls   int // how many calls there were
	open    []call
	replied bool // a result came since the last call
	silent  bool // the last turn is the user's, and says nothing
	role    chat.Role
	run     run // the parts of the last turn
	pieces  gathering
}

// mostOpen bounds the calls that wait for a result.
const mostOpen = 1000

// call is one that was not answered yet.
type call struct {
	id, name string
	given    bool // the client gave it its id
}

// readContents reads the turns.
func (r *requestReader) readContents(v jsonscan.Value) {
	r.wantList("contents", v)
	for i, v := range items(v) {
		if i == dialect.MostMessages {
			r.turns.content = -1
			r.fail(fault.InvalidParameter, "contents", "must be no more than "+strconv.Itoa(dialect.MostMessages))
		}
		if r.err != nil {
			return
		}
		r.turns.content = i
		r.readContent(v)
	}
	r.endPieces()
	if r.turns.silent && len(r.talk.Messages) > 0 { // it is not the model's turn to go on with its own
		r.close()
		r.talk.Messages = append(r.talk.Messages, chat.Message{At: r.turns.content})
		r.turns.run = run{}
	}
	r.turns.content = -1
	r.close()
}

func (r *requestReader) readContent(v jsonscan.Value) {
	r.wantObject("", v)
	m := chat.Message{At: r.turns.content}
	named := false
	r.turns.odd = -1
	for key, v := range fields(v) {
		switch key.name {
		case "role":
			m.Role, named = r.readRole(v), true
		case "parts":
			r.wantList("parts", v)
			for j, v := range items(v) {
				r.turns.part = j
				r.readPart(&m, v)
			}
			r.turns.part = -1
		case "groundingMetadata", "citationMetadata", "urlContextMetadata": // of an answer, which some clients keep with it
			r.note(name+"."+r.pathOf(key.spelled), chat.Ignored, "sources are not sent back")
		default:
			r.keepUnknown(key, v)
		}
	}
	switch { // what only one of them can say is its turn, whatever its name
	case m.Role == chat.Assistant && hasOnly(m.Parts, chat.ToolResult):
		m.Role = chat.User
	case !named && hasOnly(m.Parts, chat.ToolCall):
		m.Role = chat.Assistant
	}
	if r.turns.odd >= 0 && m.Role == chat.User { // what a person said must not be left out
		r.turns.part = r.turns.odd
		r.fail(fault.InvalidParameter, "", "has nothing in it that is known")
		r.turns.part = -1
	}
	if m.Role == chat.User {
		m.Parts = slices.DeleteFunc(m.Parts, func(p chat.Part) bool { return r.isBareProof(m, p) })
	}
	r.append(m)
}

// hasOnly reports whether there are parts, and all of them of a kind.
func hasOnly(parts []chat.Part, kind chat.Kind) bool {
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p chat.Part) bool { return p.Kind != kind })
}

// readRole reads who speaks, in capitals too, as Google's samples have it. Results may come as a function's or a tool's turn.
func (r *requestReader) readRole(v jsonscan.Value) chat.Role {
	switch strings.ToLower(r.readWord("role", v)) {
	case "", "user", "function", "tool":
		return chat.User
	case "model":
		return chat.Assistant
	}
	r.fail(fault.InvalidParameter, "role", "must be user or model")
	return chat.User
}

// readPart reads one part into m. Empty text, which clients send back from streams, is
// left out.
func (r *requestReader) readPart(m *chat.Message, v jsonscan.Value) {
	var w wirePart
	switch wrong := w.read(v); {
	case wrong == ".":
		r.refuseType("", "an object")
		return
	case wrong != "":
		r.refuseType(wrong, "of the type the API has for it")
		return
	case w.twice:
		r.fail(fault.InvalidParameter, "", "has more than one kind of data")
		return
	}
	if r.turns.pieces.concerns(&w) {
		for _, p := range r.turns.pieces.take(&w) {
			r.addJoinedCall(m, p)
		}
		return
	}
	r.endPieces()
	p, wrong := w.toPart()
	if wrong != "" {
		r.fail(fault.InvalidParameter, wrong, "cannot be read")
		return
	}
	p.At = r.turns.part
	r.noteIdle(r.pathOf(""), &w)
	before := len(m.Parts)
	r.sign(m, &p, w.signature)
	switch {
	case p.Kind == chat.ToolCall:
		r.noteCall(&p)
	case p.Kind == chat.ToolResult:
		if r.bindResult(m, &p) {
			return
		}
	case p.Kind == chat.Thought && p.Text == "" && signs(m, &p):
		return
	case (p.Kind == chat.Text || p.Kind == chat.Thought) && p.Text == "" && p.Proof == "":
		if w.data == "" && len(m.Parts) == before {
			verb, note := chat.Ignored, "the part has no data"
			if len(w.extra) > 0 {
				verb, note, r.turns.odd = chat.Dropped, "nothing in the part is known", r.turns.part
			}
			r.talk.Notes = append(r.talk.Notes, chat.LostPart(*m, p, verb, note))
		}
		return
	}
	r.keep(&p, w.extra)
	m.Parts = append(m.Parts, p)
}

// endPieces ends a call of which no last piece came.
func (r *requestReader) endPieces() {
	if r.turns.pieces.open {
		m := chat.Message{Role: chat.Assistant, At: r.turns.content}
		r.addJoinedCall(&m, r.turns.pieces.end(true))
		r.append(m)
	}
}

// addJoinedCall adds a call that came in pieces.
func (r *requestReader) addJoinedCall(m *chat.Message, p chat.Part) {
	signature := p.Proof
	p.Proof, p.At = "", max(r.turns.part, 0)
	r.sign(m, &p, signature)
	r.noteCall(&p)
	m.Parts = append(m.Parts, p)
}

// keep holds on to members that only this API knows: the part carries them for
// Google, an Extra reports them for all other upstreams.
func (r *requestReader) keep(p *chat.Part, extra []wireMember) {
	if len(extra) == 0 {
		return
	}
	var raw jsonscan.Writer
	raw.Open(jsonscan.Object)
	for _, e := range extra {
		if !isPlain(innermostName(e.name)) {
			r.note(name+"."+r.pathOf("?"), chat.Dropped, "%q is no name of a field", e.name)
			continue
		}
		if jsonscan.At(e.value, 0).Kind() == jsonscan.False {
			continue // which is as good as absent
		}
		effect := chat.Shapes
		if toCamel(e.name) == "partMetadata" { // the client's own
			effect = chat.Harmless
		}
		r.talk.Extra = append(r.talk.Extra, chat.Extra{Name: name + "." + r.pathOf(e.name), Value: e.value, Effect: effect})
		if !strings.Contains(e.name, ".") {
			raw.Key(e.name).Raw(e.value)
		}
	}
	if p.Kind != chat.Opaque {
		p.Raw = raw.Close(jsonscan.Object).Bytes()
	}
}

// innermostName is the name of a member without those of the objects that it is in.
func innermostName(name string) string {
	for _, outer := range []string{"functionCall.", "functionResponse.", "parts.", "inlineData.", "fileData.", mediaResolution + "."} {
		name = strings.TrimPrefix(name, outer)
	}
	return name
}

// sign puts a part's signature where it belongs: on the part, if an upstream of
// this API made it; before the part, as thoughts that are not shown, if it is
// another's that only travelled here.
func (r *requestReader) sign(m *chat.Message, p *chat.Part, signature string) {
	if signature == "" || dialect.IsNoSignature(signature) {
		return
	}
	if text, ok := unhide(signature); ok {
		m.Parts = append(m.Parts, chat.Part{Kind: chat.Redacted, Text: text, At: p.At})
		return
	}
	e, wrapped := chat.Unwrap(signature)
	if wrapped && e.Dialect != "" && e.Dialect != name && p.Kind != chat.Thought && !e.OnPart() {
		m.Parts = append(m.Parts, chat.Part{Kind: chat.Thought, Proof: signature, At: p.At})
		return
	}
	p.Proof = signature
}

// signs gives the thoughts before an empty one its signature, where that came in
// a stream after their last word and is not Google's, whose stay where they are.
func signs(m *chat.Message, p *chat.Part) bool {
	e, wrapped := chat.Unwrap(p.Proof)
	n := len(m.Parts)
	if !wrapped || e.Dialect == name || n == 0 || m.Parts[n-1].Kind != chat.Thought || m.Parts[n-1].Proof != "" {
		return false
	}
	m.Parts[n-1].Proof = p.Proof
	return true
}

// noteCall gives a call without an id one that the same history always gives it,
// and waits for its result.
func (r *requestReader) noteCall(p *chat.Part) {
	if p.Name == "" {
		r.fail(fault.MissingParameter, "functionCall.name", "is missing")
	}
	t, given := &r.turns, p.ID != ""
	if !given {
		sum := sha256.Sum256([]byte(strconv.Itoa(t.calls) + "\x00" + p.Name + "\x00" + p.Text))
		p.ID = "call_" + hex.EncodeToString(sum[:10])
	}
	t.calls++
	if t.replied {
		t.open, t.replied = t.open[:0], false
	}
	if t.open = append(t.open, call{p.ID, p.Name, given}); len(t.open) > mostOpen {
		t.open = t.open[1:]
	}
}

// bindResult finds the call that a result is for: by its id, by its name, by its
// order. A result without one becomes text, and is reported as an orphan.
func (r *requestReader) bindResult(m *chat.Message, p *chat.Part) (orphan bool) {
	i := r.turns.find(p)
	if i < 0 {
		r.talk.Notes = append(r.talk.Notes, chat.LostPart(*m, *p, chat.Approximated, "the call that it answers is not there: sent as text"))
		m.Parts = append(m.Parts, asText(p)...)
		return true
	}
	t := &r.turns
	p.ID = t.open[i].id
	if p.Name != "" && p.Name != t.open[i].name {
		r.talk.Notes = append(r.talk.Notes, chat.LostPart(*m, *p, chat.Approximated, "its name is not that of the call that waits for it"))
	}
	if p.Name == "" {
		p.Name = t.open[i].name
	}
	t.open = append(t.open[:i], t.open[i+1:]...)
	t.replied = true
	return false
}

func (t *turns) find(p *chat.Part) int {
	for i := range t.open {
		if p.ID != "" && t.open[i].id == p.ID {
			return i
		}
	}
	// A call that came with an id waits for it, if there is another that did not.
	best := -1
	for i, c := range t.open {
		if p.Name != "" && c.name == p.Name && (best < 0 || t.open[best].given && !c.given) {
			best = i
		}
	}
	if best < 0 && p.ID == "" && len(t.open) > 0 {
		return max(0, slices.IndexFunc(t.open, func(c call) bool { return !c.given }))
	}
	return best
}

// asText tells a result without its call in words, and keeps its media.
func asText(p *chat.Part) []chat.Part {
	of := p.Name
	if of == "" {
		of = p.ID
	}
	words := []string{"[Result of " + of + "]"}
	var media []chat.Part
	for _, inner := range p.Content {
		if inner.Kind == chat.Text {
			words = append(words, inner.Text)
			continue
		}
		inner.At = p.At
		media = append(media, inner)
	}
	return append([]chat.Part{{Kind: chat.Text, Text: strings.Join(words, " "), At: p.At}}, media...)
}

// append adds a turn. A model's turns that follow each other are one: streaming
// clients send back a Content for every chunk, or one with the parts of all.
func (r *requestReader) append(m chat.Message) {
	r.turns.silent = m.Role == chat.User && len(m.Parts) == 0
	if len(m.Parts) == 0 && r.turns.pieces.open {
		return // it has only pieces of a call, which is not whole yet
	}
	if len(m.Parts) == 0 {
		r.talk.Notes = append(r.talk.Notes, chat.Loss{Field: chat.FieldPart, Message: m.At, Part: -1, Verb: chat.Ignored, Note: "the turn is empty"})
		return
	}
	t := &r.turns
	more := len(r.talk.Messages) > 0 && m.Role == chat.Assistant && t.role == chat.Assistant
	if !more {
		r.close()
		r.talk.Messages = append(r.talk.Messages, m)
		t.role, t.run = m.Role, run{parts: m.Parts[:0]} // what is added is never ahead of what is read
	}
	for i, p := range m.Parts {
		if more {
			p.At = packAt(m.At, p.At)
		}
		t.run.add(p, more && i == 0 || p.Kind == chat.Thought)
	}
}

// close gives the last turn all that was said in it.
func (r *requestReader) close() {
	if n := len(r.talk.Messages); n > 0 {
		r.talk.Messages[n-1].Parts = r.turns.run.end()
	}
}
