package anthropic

import (
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
)

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

// CountResponse reads of a whole answer only what metering needs.
func (Codec) CountResponse(body []byte) (*chat.Response, error) {
	if !gjson.ValidBytes(body) {
		return nil, fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(cause(200, body))
	}
	root := gjson.ParseBytes(body)
	if root.Get("type").Str == "error" || root.Get("error").IsObject() {
		return nil, streamError(body)
	}
	var usage counts
	usage.add(root.Get("usage"))
	return &chat.Response{Usage: usage.usage()}, nil
}
