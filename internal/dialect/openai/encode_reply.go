package openai

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/fault"
)

// asked is what of a request shapes the form of its answer.
type asked struct {
	model  string
	show   bool            // thoughts are wanted
	legacy bool            // function_call instead of tool_calls
	custom map[string]bool // tools that take free text
}

func askedBy(req *chat.Request) asked {
	a := asked{model: req.Model}
	c, err := req.Conversation()
	if err != nil || c == nil {
		return a
	}
	a.show = c.Thinking != nil && c.Thinking.Show != nil && *c.Thinking.Show
	a.legacy = c.Legacy
	for _, t := range c.Tools {
		if t.Kind == chat.Custom {
			if a.custom == nil {
				a.custom = make(map[string]bool)
			}
			a.custom[t.Name] = true
		}
	}
	return a
}

// shows reports whether a thought may reach the client: words if they were asked
// for; what nobody can read always, because an upstream wants it back.
func (a *asked) shows(p *chat.Part) bool {
	return a.show || p.Kind == chat.Redacted || p.Kind == chat.Thought && p.Text == "" && p.Proof != ""
}

// EncodeResponse writes a whole answer.
func (Codec) EncodeResponse(req *chat.Request, r *chat.Response) ([]byte, error) {
	a := askedBy(req)
	w := writer{b: make([]byte, 0, 1<<10)}
	w.open('{').key("id").text(answerID(r.ID)).key("object").word(`"chat.completion"`)
	w.key("created").int(time.Now().Unix()).key("model").text(a.model).key("choices").open('[')
	for i := range r.Answers {
		answer := &r.Answers[i]
		if err := usable(answer.Stop, len(answer.Parts)); err != nil {
			return nil, err
		}
		w.open('{').key("index").int(int64(i)).key("message")
		w.message(&a, answer)
		w.key("logprobs")
		if len(answer.Logprobs) > 0 {
			w.raw(answer.Logprobs)
		} else {
			w.word("null")
		}
		w.key("finish_reason").text(finishReason(answer.Stop, a.legacy)).close('}')
	}
	w.close(']').key("usage").usage(r.Usage)
	if tier := tiers[r.Tier]; tier != "" {
		w.key("service_tier").text(tier)
	}
	return w.close('}').b, nil
}

// usable refuses an answer that the model failed to make: nothing was said, and
// not because there was nothing to say.
func usable(stop chat.Stop, parts int) error {
	if parts > 0 || stop.Reason != chat.Failed && stop.Reason != chat.Other {
		return nil
	}
	return fault.New(fault.UpstreamError, "The model failed to answer: %s.", stop.Raw)
}

// answerID keeps this API's own ids, and makes one of any other that is always
// the same.
func answerID(id string) string {
	const prefix = "chatcmpl-"
	switch {
	case strings.HasPrefix(id, prefix):
		return id
	case id == "":
		return prefix + rand.Text()
	}
	sum := sha256.Sum256([]byte(id))
	return prefix + hex.EncodeToString(sum[:12])
}

// outline is an answer's parts, sorted by where this API has them.
type outline struct {
	text     strings.Builder
	said     bool
	refusal  strings.Builder
	thoughts []chat.Part
	calls    []chat.Part
	pictures []chat.Part
	sound    *chat.Part
	proof    string
	sources  []source
}

// source is a citation, its place counted in the joined text.
type source struct {
	chat.Citation

	start, end int
}

func (a *asked) outline(parts []chat.Part) *outline {
	o := &outline{}
	characters := 0
	for i := range parts {
		p := &parts[i]
		switch p.Kind {
		case chat.Text:
			o.said = true
			o.text.WriteString(p.Text)
			if p.Proof != "" {
				o.proof = p.Proof
			}
			length := utf8.RuneCountInString(p.Text)
			for _, c := range p.Citations {
				o.sources = append(o.sources, sourceOf(c, characters, length))
			}
			characters += length
		case chat.Refusal:
			o.refusal.WriteString(p.Text)
		case chat.Thought, chat.Redacted:
			if a.shows(p) {
				o.thoughts = append(o.thoughts, *p)
			}
		case chat.ToolCall:
			o.calls = append(o.calls, *p)
		case chat.Audio:
			o.sound = p
		case chat.Image:
			o.pictures = append(o.pictures, *p)
		case chat.Video, chat.Document, chat.ToolResult, chat.Opaque:
			// Nothing here could hold them: they come only from tools that run upstream.
		}
	}
	return o
}

// sourceOf places a citation of a text that begins after so many characters. One
// that does not say which characters it is for is for all of them.
func sourceOf(c chat.Citation, before, length int) source {
	s := source{Citation: c, start: before + c.Start, end: before + c.End}
	if c.Start == 0 && c.End == 0 {
		s.end = before + length
	}
	return s
}

// message writes an answer. Keys that the official clients rely on are there
// even if they say nothing.
func (w *writer) message(a *asked, answer *chat.Answer) {
	o := a.outline(answer.Parts)
	if o.refusal.Len() == 0 && !o.said && answer.Stop.Reason == chat.Refused {
		o.refusal.WriteString(answer.Stop.Explanation)
	}
	w.open('{').key("role").word(`"assistant"`).key("content")
	if o.said {
		w.text(o.text.String())
	} else {
		w.word("null")
	}
	w.key("refusal")
	if o.refusal.Len() > 0 {
		w.text(o.refusal.String())
	} else {
		w.word("null")
	}
	w.key("annotations")
	w.sources(o.sources)
	if len(o.thoughts) > 0 {
		w.thoughts(o.thoughts)
	}
	if o.proof != "" {
		w.signed(o.proof)
	}
	if o.sound != nil {
		w.sound(o.sound)
	}
	if len(o.pictures) > 0 {
		w.pictures(o.pictures)
	}
	switch {
	case len(o.calls) == 0:
	case a.legacy:
		w.key("function_call").open('{').key("name").text(o.calls[0].Name).key("arguments").text(argumentsOf(&o.calls[0])).close('}')
	default:
		w.key("tool_calls").open('[')
		for i := range o.calls {
			w.call(a, &o.calls[i])
		}
		w.close(']')
	}
	w.close('}')
}

func argumentsOf(p *chat.Part) string {
	if strings.TrimSpace(p.Text) == "" {
		return "{}"
	}
	return p.Text
}

func (w *writer) call(a *asked, p *chat.Part) {
	w.open('{').key("id").text(p.ID)
	switch {
	case p.Custom:
		w.key("type").word(`"custom"`).key("custom").open('{').key("name").text(p.Name).key("input").text(p.Text).close('}')
	case a.custom[p.Name]:
		w.key("type").word(`"custom"`).key("custom").open('{').key("name").text(p.Name).key("input").text(unwrapInput(p.Text)).close('}')
	default:
		w.key("type").word(`"function"`).key("function").open('{').key("name").text(p.Name).key("arguments").text(argumentsOf(p)).close('}')
	}
	if p.Proof != "" {
		w.signed(p.Proof)
	}
	w.close('}')
}

// sources writes annotations. Only what has an address has a place in them.
func (w *writer) sources(list []source) {
	w.open('[')
	for _, s := range list {
		if s.URL == "" {
			continue
		}
		w.open('{').key("type").word(`"url_citation"`).key("url_citation").open('{')
		w.key("start_index").int(int64(s.start)).key("end_index").int(int64(s.end))
		w.key("title").text(s.Title).key("url").text(s.URL).close('}').close('}')
	}
	w.close(']')
}

// sound writes message.audio, or delta.audio.
func (w *writer) sound(p *chat.Part) {
	w.key("audio").open('{')
	if p.ID != "" {
		w.key("id").text(p.ID)
	}
	if p.Media != nil {
		w.key("data").text(p.Media.Base64)
	}
	w.key("transcript").text(p.Text).close('}')
}

// pictures writes images, where other servers' clients look for them.
func (w *writer) pictures(list []chat.Part) {
	w.key("images").open('[')
	for _, p := range list {
		if p.Media == nil {
			continue
		}
		link := p.Media.URL
		if link == "" {
			link = "data:" + p.Media.Type + ";base64," + p.Media.Base64
		}
		w.open('{').key("type").word(`"image_url"`).key("image_url").open('{').key("url").text(link).close('}').close('}')
	}
	w.close(']')
}
