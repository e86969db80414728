package gemini

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"strings"

	"stele/internal/chat"
)

// EncodeResponse writes a whole answer as the official clients read it. The
// model is called what the client called it.
func (Codec) EncodeResponse(req *chat.Request, r *chat.Response) ([]byte, error) {
	var w writer
	show := shows(req)
	w.open('{')
	w.key("candidates")
	w.open('[')
	for i := range r.Answers {
		w.b = candidate(w.b, &r.Answers[i], i, show)
	}
	w.close(']')
	w.usage(r.Usage)
	w.member("modelVersion", req.Model)
	w.member("responseId", ownID(r.ID))
	w.close('}')
	return w.b, nil
}

// candidate appends one answer.
func candidate(dst []byte, a *chat.Answer, index int, show bool) []byte {
	s := speaker{writer: writer{dst}, show: show}
	s.open('{')
	s.key("content")
	s.open('{')
	s.key("parts")
	s.open('[')
	empty := len(s.b)
	for i := range a.Parts {
		p := &a.Parts[i]
		if p.Kind == chat.ToolCall && a.Stop.Reason == chat.MaxTokens && i == len(a.Parts)-1 && !p.Custom && partial(p.Text) {
			continue // cut off in the middle of its arguments, which must be an object
		}
		if p.Kind == chat.Text {
			s.said = s.said[:0]
		}
		s.part(p)
	}
	s.release()
	if len(s.b) == empty { // clients forget a turn without parts
		s.open('{')
		s.member("text", "")
		s.close('}')
	}
	s.close(']')
	s.member("role", "model")
	s.close('}')
	s.ending(a.Stop)
	s.integer("index", int64(index))
	s.closeLogprobs(a.Logprobs)
	s.close('}')
	return s.b
}

// shows reports whether the client asked for thoughts.
func shows(req *chat.Request) bool {
	talk, err := req.Conversation()
	return err == nil && talk != nil && talk.Thinking != nil && talk.Thinking.Show != nil && *talk.Thinking.Show
}

// usage writes usageMetadata, in which thoughts are not among the candidates'.
func (w *writer) usage(u chat.Usage) {
	w.key("usageMetadata")
	w.open('{')
	w.tokens("promptTokenCount", u.Prompt())
	w.tokens("candidatesTokenCount", u.Output)
	w.tokens("totalTokenCount", u.Total())
	if u.CacheRead > 0 {
		w.tokens("cachedContentTokenCount", u.CacheRead)
	}
	if u.Reasoning > 0 {
		w.tokens("thoughtsTokenCount", u.Reasoning)
	}
	w.close('}')
}

// tokens writes a count, which clients hold in 32 bits.
func (w *writer) tokens(name string, n int64) { w.integer(name, min(max(n, 0), math.MaxInt32)) }

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
