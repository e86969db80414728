package anthropic

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// EncodeReply writes a whole answer as the client expects it.
func (Codec) EncodeReply(req *chat.Request, r *chat.WholeReply) ([]byte, error) {
	answer := chat.Answer{Stop: chat.Stop{Reason: chat.EndTurn}}
	if len(r.Answers) > 0 {
		answer = r.Answers[0]
	}
	w := jsonscan.NewWriter(make([]byte, 0, r.Size())).Open(jsonscan.Object)
	writeHead(w, r.ID, req.Model)
	w.Key("content").Open(jsonscan.Array)
	shown, carried := wantsThoughts(req), wantsThinking(req)
	for i := range answer.Parts {
		part := answer.Parts[i]
		if part.Kind == chat.Text && !carried { // no upstream insists on it, and these clients take the first block for the words
			part.Proof = ""
		}
		writePart(w, &part, shown, setOf(req, part.Name))
	}
	w.Close(jsonscan.Array)
	writeStop(w, &answer.Stop)
	writeUsage(w.Key("usage"), r.Usage, r.Tier)
	return w.Close(jsonscan.Object).Bytes(), nil
}

// ReplyLosses lists what of an answer has no place in this API, or only a few words in
// its place.
func (Codec) ReplyLosses(req *chat.Request, r *chat.WholeReply) []chat.Loss {
	var list []chat.Loss
	say := func(verb chat.Verb, what string) { list = append(list, chat.Lost(chat.FieldAnswer, verb, what)) }
	if len(r.Answers) > 1 {
		say(chat.Dropped, "all answers but the first")
	}
	if len(r.Answers) == 0 {
		return nil
	}
	if len(r.Answers[0].Logprobs) > 0 {
		say(chat.Dropped, "log-probabilities")
	}
	sources, proofs := 0, 0
	for i := range r.Answers[0].Parts {
		p := &r.Answers[0].Parts[i]
		for j := range p.Citations {
			if !isOwn(&p.Citations[j]) {
				sources++
			}
		}
		if p.Kind == chat.Text && p.Proof != "" {
			proofs++
		}
		switch {
		case formOf(p) == asNote && p.Text != "":
			say(chat.Approximated, "a sound as its words")
		case formOf(p) == asNote:
			say(chat.Approximated, note(p))
		case p.Kind == chat.Opaque && formOf(p) != asRaw && p.Text == "":
			say(chat.Dropped, p.Name)
		case p.Kind == chat.Opaque && formOf(p) != asRaw:
			say(chat.Approximated, p.Name+" as text")
		case p.Kind == chat.ToolCall:
			if _, odd := dialect.CallArguments(p); odd {
				say(chat.Approximated, "arguments that are no object, under _raw")
			}
		}
	}
	if proofs > 0 && !wantsThinking(req) {
		say(chat.Ignored, "signatures of texts, which go with thoughts only")
	}
	if sources > 0 {
		say(chat.Dropped, strconv.Itoa(sources)+" sources that are not of Anthropic's own search")
	}
	list = append(list, dialect.LossOfThoughts(req, &r.Answers[0])...)
	if stop := &r.Answers[0].Stop; !ownWords[stop.Raw] && !categories[stop.Category] {
		list = append(list, dialect.LossOfStopReason(stop)...)
	}
	return append(list, dialect.LossesBeside(r)...)
}

// writeHead writes the members that a message begins with.
func writeHead(w *jsonscan.Writer, id, model string) {
	w.Key("id").Text(messageID(id)).Key("type").Plain("message").Key("role").Plain("assistant").Key("model").Text(model)
}

// messageID is the id of an answer: the upstream's own where it is one of this
// dialect, one made from it otherwise.
func messageID(id string) string {
	const begins = "msg_"
	switch {
	case strings.HasPrefix(id, begins):
		return id
	case id == "":
		return begins + strings.TrimPrefix(chat.NewCallID(), "call_")
	}
	sum := sha256.Sum256([]byte(id))
	return begins + hex.EncodeToString(sum[:12])
}

// writePart writes the blocks of a part. A signature that a text or a call came with
// goes before it on thoughts of its own. A call names the set that its tool is one of.
func writePart(w *jsonscan.Writer, p *chat.Part, shown bool, set string) {
	f := formOf(p)
	if p.Proof != "" && (f == asText || f == asCall) {
		writeThought(w, "", p.Proof)
	}
	switch f {
	case asThought:
		words := p.Text
		if !shown {
			words = ""
		}
		if words != "" || p.Proof != "" {
			writeThought(w, words, p.Proof)
		}
	case asSecret:
		writeBlock(w, "redacted_thinking").Key("data").Text(p.Text).Close(jsonscan.Object)
	case asCall:
		input, _ := replyArguments(p)
		writeBlock(w, "tool_use").Key("id").Plain(dialect.CallID(p.ID, longestID)).Key("name").Text(p.Name)
		if set != "" {
			w.Key("toolset_name").Plain(set)
		}
		w.Key("input").Raw(input).Close(jsonscan.Object)
	case asRaw:
		w.Raw(p.Raw)
	case asNote:
		writeWords(w, note(p), nil)
	case asText:
		if p.Text != "" {
			writeWords(w, p.Text, p.Citations)
		}
	}
}

// writeBlock opens a block.
func writeBlock(w *jsonscan.Writer, kind string) *jsonscan.Writer {
	return w.Open(jsonscan.Object).Key("type").Plain(kind)
}

func writeThought(w *jsonscan.Writer, words, proof string) {
	writeBlock(w, "thinking").Key("thinking").Text(words).Key("signature").Text(cmp.Or(proof, unsigned)).Close(jsonscan.Object)
}

func writeWords(w *jsonscan.Writer, words string, sources []chat.Citation) {
	writeBlock(w, "text").Key("text").Text(words)
	begun := false
	for i := range sources {
		if !isOwn(&sources[i]) {
			continue
		}
		if !begun { // the API has the member only where there are sources, and clients refuse null
			w.Key("citations").Open(jsonscan.Array)
			begun = true
		}
		w.Raw(flatten(sources[i].Raw))
	}
	if begun {
		w.Close(jsonscan.Array)
	}
	w.Close(jsonscan.Object)
}

// isOwn reports whether a source is one of this API's. The kind that has an address
// needs an index that only the API's own search can give: without it Claude refuses
// the turn when it comes back.
func isOwn(c *chat.Citation) bool { return c.Dialect == dialectName && len(c.Raw) > 0 }
