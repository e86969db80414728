package anthropic

import (
	"bytes"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// EncodeResponse writes a whole answer as the client expects it.
func (Codec) EncodeResponse(req *chat.Request, r *chat.Response) ([]byte, error) {
	answer := chat.Answer{Stop: chat.Stop{Reason: chat.EndTurn}}
	if len(r.Answers) > 0 {
		answer = r.Answers[0]
	}
	body := append(make([]byte, 0, 1024), `{"id":`...)
	body = dialect.AppendText(body, messageID(r.ID))
	body = append(body, `,"type":"message","role":"assistant","model":`...)
	body = dialect.AppendText(body, req.Model)
	body = append(body, `,"content":[`...)
	shown := wanted(req)
	for i := range answer.Parts {
		body = appendPart(body, &answer.Parts[i], shown)
	}
	body = append(bytes.TrimSuffix(body, []byte{','}), `],`...)
	body = appendStop(body, &answer.Stop)
	body = append(body, `,"container":null,"diagnostics":null,"usage":`...)
	body = appendUsage(body, r.Usage, r.Tier)
	return append(body, '}'), nil
}

// appendPart writes the blocks of a part, each with a comma after it. A
// signature that a text or a call came with goes before it on thoughts of its own.
func appendPart(dst []byte, p *chat.Part, shown bool) []byte {
	f := formOf(p)
	if p.Proof != "" && (f == asText || f == asCall) {
		dst = append(appendThought(dst, "", p.Proof), ',')
	}
	switch f {
	case asThought:
		words := p.Text
		if !shown {
			words = ""
		}
		if words == "" && p.Proof == "" {
			return dst
		}
		dst = appendThought(dst, words, p.Proof)
	case asSecret:
		dst = append(dst, `{"type":"redacted_thinking","data":`...)
		dst = append(dialect.AppendText(dst, p.Text), '}')
	case asCall:
		dst = append(dst, `{"type":"tool_use","id":"`+dialect.CallID(p.ID, longestID)+`","name":`...)
		dst = dialect.AppendText(dst, p.Name)
		dst = append(append(dst, `,"input":`...), input(p)...)
		dst = append(dst, '}')
	case asRaw:
		if len(p.Raw) == 0 {
			return dst
		}
		dst = append(dst, p.Raw...)
	case asNote:
		dst = appendWords(dst, note(p), nil)
	case asText:
		if p.Text == "" {
			return dst
		}
		dst = appendWords(dst, p.Text, p.Citations)
	}
	return append(dst, ',')
}

// input is a call's arguments as the object that clients expect.
func input(p *chat.Part) []byte {
	if p.Custom {
		return append(dialect.AppendText([]byte(`{"input":`), p.Text), '}')
	}
	object, _ := dialect.Arguments(p.Text)
	return object
}

func appendWords(dst []byte, words string, sources []chat.Citation) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	dst = append(dialect.AppendText(dst, words), `,"citations":`...)
	if len(sources) == 0 {
		return append(dst, "null}"...)
	}
	for i := range sources {
		between := byte(',')
		if i == 0 {
			between = '['
		}
		dst = appendCitation(append(dst, between), &sources[i])
	}
	return append(dst, "]}"...)
}

// DecodeResponse reads a whole answer. Compatible upstreams leave much out; what
// is there counts.
func (Codec) DecodeResponse(body []byte) (*chat.Response, error) {
	if !gjson.ValidBytes(body) {
		return nil, fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(cause(200, body))
	}
	root := gjson.ParseBytes(body)
	if root.Get("type").Str == "error" || root.Get("error").IsObject() {
		return nil, streamError(body)
	}
	var answer chat.Answer
	var usage counts
	r := &chat.Response{}
	read := newReading(true)
	root.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "id":
			r.ID = v.String()
		case "model":
			r.Model = v.String()
		case "content":
			answer.Parts = carry(read.content(v))
		case "usage":
			usage.add(v)
			r.Tier = v.Get("service_tier").Str
		}
		return true
	})
	if !root.Get("content").Exists() {
		return nil, fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(cause(200, body))
	}
	called := false
	for i := range answer.Parts {
		p := &answer.Parts[i]
		called = called || p.Kind == chat.ToolCall
		p.At = 0 // where it was is of no use to anybody
	}
	answer.Stop = chat.Settle(readStop(root), called)
	r.Answers, r.Usage = []chat.Answer{answer}, usage.usage()
	return r, nil
}
