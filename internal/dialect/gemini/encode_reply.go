package gemini

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// EncodeReply writes a whole answer as the official clients read it. The
// model is called what the client called it.
func (Codec) EncodeReply(req *chat.Request, r *chat.WholeReply) ([]byte, error) {
	w := replyWriter{show: shows(req)}
	w.Open(jsonscan.Object).Key("candidates").Open(jsonscan.Array)
	for i := range r.Answers {
		w.writeCandidate(&r.Answers[i], i)
	}
	w.Close(jsonscan.Array)
	writeUsage(&w.Writer, r.Usage)
	w.Key("modelVersion").Text(req.Model).Key("responseId").Text(ownID(r.ID)).Close(jsonscan.Object)
	return w.Bytes(), nil
}

// writeCandidate writes one answer.
func (w *replyWriter) writeCandidate(a *chat.Answer, index int) {
	*w = replyWriter{Writer: w.Writer, show: w.show}
	w.Open(jsonscan.Object).Key("content").Open(jsonscan.Object).Key("parts").Open(jsonscan.Array)
	empty := len(w.Bytes())
	for i := range a.Parts {
		p := &a.Parts[i]
		if isCutOff(a, i) {
			continue // in the middle of its arguments, which must be an object
		}
		w.place()
		w.writePart(p)
	}
	w.release()
	if len(w.Bytes()) == empty { // clients forget a turn without parts
		w.Open(jsonscan.Object).Key("text").Text("").Close(jsonscan.Object)
	}
	w.Close(jsonscan.Array).Key("role").Text("model").Close(jsonscan.Object)
	w.writeEnd(a.Stop)
	w.Key("index").Int(int64(index))
	closeLogprobs(&w.Writer, a.Logprobs)
	w.Close(jsonscan.Object)
}

// isCutOff reports whether a part is a call that the answer ends in the middle of.
func isCutOff(a *chat.Answer, at int) bool {
	p := &a.Parts[at]
	return p.Kind == chat.ToolCall && a.Stop.CutsOff() && at == len(a.Parts)-1 && !p.Custom && isPartial(p.Text)
}

// ReplyLosses lists what of an answer has no place in this API.
func (Codec) ReplyLosses(req *chat.Request, r *chat.WholeReply) []chat.Loss {
	var list []chat.Loss
	say := func(verb chat.Verb, what string) { list = append(list, chat.Lost(chat.FieldAnswer, verb, what)) }
	for i := range r.Answers {
		a := &r.Answers[i]
		nameless, quotes := 0, 0
		for j := range a.Parts {
			p := &a.Parts[j]
			for k := range p.Citations {
				switch c := &p.Citations[k]; {
				case !isNamed(c):
					nameless++
				case c.URL != "" && c.Quotes():
					quotes++
				}
			}
			switch p.Kind {
			case chat.ToolCall:
				if isCutOff(a, j) {
					say(chat.Dropped, "a call whose arguments were cut off")
				} else if _, odd := dialect.CallArguments(p); odd {
					say(chat.Approximated, "arguments that are no object, under _raw")
				}
			case chat.Opaque:
				switch {
				case slices.Contains(opaques, p.Name):
				case p.Text == "":
					say(chat.Dropped, p.Name)
				default:
					say(chat.Approximated, p.Name+" as text")
				}
			case chat.Audio:
				switch {
				case p.Text == "":
				case p.Media == nil:
					say(chat.Approximated, "a sound as its words")
				default:
					say(chat.Dropped, "the words of a sound")
				}
			}
		}
		if nameless > 0 {
			say(chat.Dropped, strconv.Itoa(nameless)+" sources that have neither an address nor a name")
		}
		list = slices.Concat(list, dialect.LossOfQuotes(quotes), dialect.LossOfThoughts(req, a), dialect.LossOfStopSequence(req, &a.Stop))
		if finishReason(a.Stop, false) != a.Stop.Category { // otherwise it says so itself
			list = append(list, dialect.LossOfStopReason(&a.Stop)...)
		}
	}
	if n := r.Usage.Searches; n > 0 {
		say(chat.Ignored, strconv.FormatInt(n, 10)+" searches of the provider's")
	}
	return append(list, dialect.LossesBeside(r)...)
}

// isNamed reports whether a source can be told of: by its address, or by what it is called.
func isNamed(c *chat.Citation) bool { return c.URL != "" || c.Title != "" }

// shows reports whether the client asked for thoughts.
func shows(req *chat.Request) bool {
	talk, err := req.Conversation()
	return err == nil && talk != nil && talk.Thinking != nil && talk.Thinking.Show != nil && *talk.Thinking.Show
}

// strangers are how ids of other APIs begin.
var strangers = []string{"chatcmpl", "msg_", "gen-", "resp_", "cmpl-", "chat-", "req_"}

// ownID is an answer's id as this API has them: the upstream's if it is of the
// kind, always the same for another, any if there is none.
func ownID(id string) string {
	if id == "" {
		var b [16]byte
		_, _ = rand.Read(b[:])
		return base64.RawURLEncoding.EncodeToString(b[:])
	}
	foreign := len(id) > 64 || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
	for _, prefix := range strangers {
		foreign = foreign || strings.HasPrefix(id, prefix)
	}
	if !foreign {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}
