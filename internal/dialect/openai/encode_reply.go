package openai

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// EncodeReply writes a whole answer.
func (Codec) EncodeReply(req *chat.Request, r *chat.WholeReply) ([]byte, error) {
	a := askedBy(req)
	w := jsonscan.NewWriter(make([]byte, 0, r.Size()))
	w.Open(object).Key("id").Text(answerID(r.ID)).Key("object").Plain("chat.completion")
	w.Key("created").Int(time.Now().Unix()).Key("model").Text(a.model).Key("choices").Open(array)
	for i := range r.Answers {
		answer := &r.Answers[i]
		if err := checkUsable(answer.Stop, len(answer.Parts)); err != nil {
			return nil, err
		}
		w.Open(object).Key("index").Int(int64(i)).Key("message")
		writeMessage(w, &a, answer)
		w.Key("logprobs")
		if len(answer.Logprobs) > 0 {
			w.Raw(answer.Logprobs)
		} else {
			w.Null()
		}
		w.Key("finish_reason").Plain(finishReason(answer.Stop, a.legacy)).Close(object)
	}
	w.Close(array).Key("usage")
	writeUsage(w, r.Usage)
	w.Key("system_fingerprint").Null() // the API's author always has it, and OpenRouter's SDK wants it
	if tier := cmp.Or(tiers[r.Tier], tiers[r.Usage.Tier]); tier != "" {
		w.Key("service_tier").Plain(tier)
	}
	return w.Close(object).Bytes(), nil
}

// ReplyLosses lists what of an answer has no place in this API.
func (Codec) ReplyLosses(req *chat.Request, r *chat.WholeReply) []chat.Loss {
	var list []chat.Loss
	say := func(what string) { list = append(list, chat.Lost(chat.FieldAnswer, chat.Dropped, what)) }
	legacy := askedBy(req).legacy
	for i := range r.Answers {
		calls, sourceless, quotes, spoke := 0, 0, 0, false
		for _, p := range r.Answers[i].Parts {
			switch p.Kind {
			case chat.Video:
				say("a clip")
			case chat.Document:
				say("a document")
			case chat.Opaque:
				say(p.Name)
			case chat.ToolCall:
				calls++
			case chat.Text:
				spoke = true
				if calls > 0 && p.Text != "" {
					list = append(list, chat.Lost(chat.FieldAnswer, chat.Approximated, "text behind a call is told before it"))
				}
				for _, c := range p.Citations {
					if c.URL == "" {
						sourceless++
					} else if c.Quotes() {
						quotes++
					}
				}
			case chat.Thought, chat.Redacted, chat.Refusal, chat.Image, chat.Audio, chat.ToolResult:
			}
		}
		stop := &r.Answers[i].Stop
		if stop.Reason == chat.Refused && stop.Explanation != "" && spoke {
			say("why the model would not go on")
		}
		list = slices.Concat(list, dialect.LossOfQuotes(quotes), dialect.LossOfThoughts(req, &r.Answers[i]), dialect.LossOfStopSequence(req, stop), dialect.LossOfStopReason(stop))
		if sourceless > 0 {
			say(strconv.Itoa(sourceless) + " citations of what has no address")
		}
		if legacy && calls > 1 {
			say("all calls but the first: function_call has place for one")
		}
	}
	return append(list, dialect.LossesBeside(r)...)
}

// asked is what of a request shapes the form of its answer.
type asked struct {
	model  string
	show   bool            // thoughts are wanted
	legacy bool            // function_call instead of tool_calls
	custom map[string]bool // tools that take free text
	sound  string          // the form of sounds
}

func askedBy(req *chat.Request) asked {
	a := asked{model: req.Model}
	c, err := req.Conversation()
	if err != nil || c == nil {
		return a
	}
	a.show = c.Thinking != nil && c.Thinking.Show != nil && *c.Thinking.Show
	a.legacy = c.Legacy
	a.sound = jsonscan.At(c.Audio, 0).Get("format").View()
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
// for; what no client can read always, because an upstream wants it back.
func (a *asked) shows(p *chat.Part) bool {
	return a.show || p.Kind == chat.Redacted || p.Kind == chat.Thought && p.Text == "" && p.Proof != ""
}

// checkUsable refuses an answer that the model failed to make: nothing was said, and
// not because there was nothing to say.
func checkUsable(stop chat.Stop, parts int) error {
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
	thoughts []chat.Placed
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
				o.thoughts = append(o.thoughts, chat.Placed{Part: *p, Said: o.text.Len(), Calls: len(o.calls)})
			}
		case chat.ToolCall:
			o.calls = append(o.calls, *p)
		case chat.Audio:
			o.sound = joinSounds(o.sound, p)
		case chat.Image:
			o.pictures = append(o.pictures, *p)
		case chat.Video, chat.Document, chat.ToolResult, chat.Opaque:
			// Nothing here could hold them: they come only from tools that run upstream.
		}
	}
	return o
}

// sourceOf places a citation that stands with a text, which begins after so many
// characters. One that does not say which characters it is for is for all of them.
func sourceOf(c chat.Citation, before, length int) source {
	if c.Start == 0 && c.End == 0 {
		return source{Citation: c, start: before, end: before + length}
	}
	return source{Citation: c, start: c.Start, end: c.End}
}

// writeMessage writes an answer. Keys that the official clients rely on are there
// even if they say nothing.
func writeMessage(w *jsonscan.Writer, a *asked, answer *chat.Answer) {
	o := a.outline(answer.Parts)
	if o.refusal.Len() == 0 && !o.said && answer.Stop.Reason == chat.Refused {
		o.refusal.WriteString(answer.Stop.Explanation)
	}
	w.Open(object).Key("role").Plain("assistant")
	nothing := len(o.calls) == 0 && o.refusal.Len() == 0 && o.sound == nil && answer.Stop.Reason != chat.Refused // is a text to clients
	writeText(w.Key("content"), o.text.String(), o.said || nothing)
	writeText(w.Key("refusal"), o.refusal.String(), o.refusal.Len() > 0)
	writeSources(w, o.sources)
	if len(o.thoughts) > 0 {
		writeThoughts(w, o.thoughts)
	}
	writeSignature(w, o.proof)
	if o.sound != nil {
		writeSound(w, a.convert(o.sound), true)
	}
	if len(o.pictures) > 0 {
		writePictures(w, o.pictures)
	}
	a.writeCalls(w, o.calls)
	w.Close(object)
}

func writeText(w *jsonscan.Writer, text string, said bool) {
	if said {
		w.Text(text)
	} else {
		w.Null()
	}
}

func (a *asked) writeCalls(w *jsonscan.Writer, calls []chat.Part) {
	if len(calls) == 0 {
		return
	}
	if a.legacy {
		w.Key("function_call").Open(object).Key("name").Text(calls[0].Name).Key("arguments").Text(argumentsOf(calls[0].Text)).Close(object)
		return
	}
	w.Key("tool_calls").Open(array)
	for i := range calls {
		p := &calls[i]
		w.Open(object).Key("id").Text(p.ID)
		switch {
		case p.Custom:
			writeCall(w, true, p.Name, p.Text)
		case a.custom[p.Name]:
			writeCall(w, true, p.Name, unwrapInput(p.Text))
		default:
			writeCall(w, false, p.Name, argumentsOf(p.Text))
		}
		writeSignature(w, p.Proof)
		w.Close(object)
	}
	w.Close(array)
}

// argumentsOf are a call's arguments as the model wrote them. What does not begin as an object does, and clearly means one or nothing, is that.
func argumentsOf(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
		if meant, odd := dialect.Arguments(text); !odd {
			return string(meant)
		}
	}
	return text
}

// writeSources writes annotations. Only what has an address has a place in them.
func writeSources(w *jsonscan.Writer, list []source) {
	w.Key("annotations").Open(array)
	for _, s := range list {
		if s.URL == "" {
			continue
		}
		w.Open(object).Key("type").Plain("url_citation").Key("url_citation").Open(object)
		w.Key("start_index").Int(int64(s.start)).Key("end_index").Int(int64(s.end))
		w.Key("title").Text(s.Title).Key("url").Text(s.URL).Close(object).Close(object)
	}
	w.Close(array)
}

// writePictures writes images, where other servers' clients look for them.
func writePictures(w *jsonscan.Writer, list []chat.Part) {
	w.Key("images").Open(array)
	for _, p := range list {
		if p.Media == nil {
			continue
		}
		w.Open(object).Key("type").Plain("image_url").Key("image_url").Open(object).Key("url")
		if p.Media.URL != "" {
			w.Text(p.Media.URL)
		} else {
			writeData(w, p.Media.Type, p.Media.Base64)
		}
		w.Close(object)
		writeSignature(w, p.Proof)
		w.Close(object)
	}
	w.Close(array)
}
