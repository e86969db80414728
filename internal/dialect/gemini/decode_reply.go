package gemini

import (
	"bytes"
	"net/http"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// DecodeReply reads a whole answer, also one that comes as the frames of a
// stream in a list.
func (Codec) DecodeReply(body []byte) (*chat.WholeReply, error) {
	var w wireChunk
	root, err := w.read(body)
	switch {
	case err != nil:
		return nil, err
	case root.Kind() == jsonscan.Array:
		return gather(body)
	case w.failed:
		return nil, readFailure(body)
	}
	r := &chat.WholeReply{ID: w.id, Model: w.model, Usage: w.usage}
	var asked searches
	asked.of(w.model)
	for i := range w.candidates {
		asked.see(w.candidates[i].queries)
		w.addBlock(&w.candidates[i])
		answer, err := w.candidates[i].toAnswer()
		if err != nil {
			return nil, err
		}
		if w.candidates[i].finish == "" {
			r.Notes = append(r.Notes, dialect.LossOfEnd())
		}
		r.Answers = append(r.Answers, answer)
	}
	r.Notes = append(r.Notes, w.others.TakeLosses()...)
	r.Usage.Searches = asked.paid()
	switch {
	case len(r.Answers) > 0:
	case w.blocked != "":
		r.Answers = []chat.Answer{{Stop: w.readBlock()}}
	default:
		return nil, fault.New(fault.UpstreamError, "The model's provider sent an answer with nothing in it.").Because(dialect.Cause(http.StatusOK, body))
	}
	return r, nil
}

// CountReply reads of a whole answer only what metering needs, and whether it is one. One that
// says nothing is the client's to see, as it came.
func (Codec) CountReply(body []byte) (*chat.WholeReply, error) {
	var usage chat.Usage
	var asked searches
	refused, answers := false, false
	report, err := jsonscan.Scan{Allow: jsonscan.Lenient}.Walk(body, func(key jsonscan.Key, v jsonscan.Value) {
		switch toCamel(key.Name) {
		case "candidates":
			answers = true
			for _, v := range items(v) {
				asked.see(fieldOf(fieldOf(v, "groundingMetadata"), "webSearchQueries"))
			}
		case "promptFeedback":
			answers = true
		case "modelVersion":
			model, _ := v.Text()
			asked.of(model)
		case "usageMetadata":
			usage, answers = readUsage(v), true
		case "error":
			refused = !v.Absent()
		}
	})
	switch {
	case err != nil || report.Root.Kind() != jsonscan.Object:
		return nil, dialect.Unreadable(body)
	case refused:
		return nil, readFailure(body)
	case !answers:
		return nil, dialect.Unreadable(body)
	}
	usage.Searches = asked.paid()
	return &chat.WholeReply{Usage: usage}, nil
}

// gather reads a list of frames.
func gather(body []byte) (*chat.WholeReply, error) {
	return chat.Collect(chat.Tidy(func(yield func(chat.Chunk, error) bool) {
		var r streamReader
		events, err := r.readFrame(nil, body)
		yield(chat.Chunk{Events: events}, err)
	}))
}

// toAnswer makes an answer of a candidate.
func (w *wireCandidate) toAnswer() (chat.Answer, error) {
	var all run
	var pieces gathering
	ids := make(map[string]bool)
	add := func(p chat.Part) {
		if p.Kind == chat.ToolCall {
			p.ID = makeDistinct(p.ID, ids)
		}
		all.add(p, true)
	}
	for i := range w.parts {
		if pieces.concerns(&w.parts[i]) {
			for _, p := range pieces.take(&w.parts[i]) {
				add(p)
			}
		} else if p, ok := w.parts[i].readReplyPart(); ok {
			add(p)
		}
	}
	if pieces.open && reasons[w.finish] != chat.Failed { // which is a call that could not be written
		add(pieces.end(!w.cutsOffCalls()))
	}
	a := chat.Answer{Parts: all.end(), Logprobs: openLogprobs(w.logprobs)}
	if len(w.citations) > 0 {
		a.Parts = cite(a.Parts, w.citations)
	}
	useful, called := false, false
	for i := range a.Parts {
		useful = useful || isUsable(&a.Parts[i])
		called = called || a.Parts[i].Kind == chat.ToolCall
	}
	stop, err := w.stop(useful)
	a.Stop = chat.Settle(stop, called)
	return a, err
}

// takeThought takes over what imitations of this API have thought: words, where it has only whether they are thoughts.
func (w *wirePart) takeThought(v jsonscan.Value) {
	if words := fieldOf(v, "thought").View(); words != "" {
		w.data, w.text, w.thought = "text", words, true
	}
}

// readReplyPart reads a part of an answer; placeholders and what cannot be read are none.
func (w *wirePart) readReplyPart() (chat.Part, bool) {
	p, wrong := w.toPart()
	switch {
	case wrong != "":
		return chat.Part{Kind: chat.Opaque, Name: wrong + " that cannot be read"}, true
	case p.Kind == chat.ToolResult:
		return chat.Part{Kind: chat.Opaque, Name: "functionResponse"}, true
	case w.thought && p.Media != nil: // a sketch, and not what was asked for
		return chat.Part{Kind: chat.Opaque, Name: "a picture among the thoughts"}, true
	}
	p.Proof = w.signature
	if w.data == "" && w.signature == "" && !w.thought && len(w.extra) > 0 { // something new
		return chat.Part{Kind: chat.Opaque, Name: strings.Clone(w.extra[0].name), Raw: bytes.Clone(w.raw.Raw())}, true
	}
	if len(w.extra) > 0 && p.Kind != chat.Opaque {
		p.Raw = membersBeside(w.extra)
	}
	if (p.Kind == chat.Text || p.Kind == chat.Thought) && strings.Contains(p.Text, "\uFFFD") {
		p.Text, _ = fieldOf(w.raw, "text").Piece() // it may have been cut inside of a character
	}
	empty := (p.Kind == chat.Text || p.Kind == chat.Thought) && p.Text == "" && p.Proof == ""
	return p, !empty
}

// membersBeside are the members of a part that only this API knows, as an object.
func membersBeside(extra []wireMember) []byte {
	var raw jsonscan.Writer
	raw.Open(jsonscan.Object)
	for _, e := range extra {
		raw.Key(e.name).Raw(e.value)
	}
	return raw.Close(jsonscan.Object).Bytes()
}

// makeDistinct gives a call an id that no other call of the answer has.
func makeDistinct(id string, taken map[string]bool) string {
	if id == "" || taken[id] {
		return chat.NewCallID()
	}
	taken[id] = true
	return id
}

// cite puts citations on the last text.
func cite(parts []chat.Part, sources []wireCitation) []chat.Part {
	var said []byte
	last := len(parts)
	for i := range parts {
		if parts[i].Kind == chat.Text {
			said, last = append(said, parts[i].Text...), i
		}
	}
	if last == len(parts) {
		parts = append(parts, chat.Part{Kind: chat.Text})
	}
	parts[last].Citations = toCitations(sources, said)
	return parts
}

// isUsable reports whether a part is something to show for an answer.
func isUsable(p *chat.Part) bool {
	switch p.Kind {
	case chat.Thought, chat.Redacted:
		return false
	case chat.Text, chat.Opaque:
		return p.Text != ""
	}
	return true
}
