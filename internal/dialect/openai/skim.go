package openai

import (
	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// CountResponse reads of a whole answer only what metering needs.
func (Codec) CountResponse(body []byte) (*chat.Response, error) {
	if !gjson.ValidBytes(body) {
		return nil, garbled(body)
	}
	root := gjson.Parse(view(body))
	if e := failure(root); e != nil {
		return nil, e
	}
	if !root.IsObject() {
		return nil, garbled(body)
	}
	return &chat.Response{Usage: readUsage(root.Get("usage"))}, nil
}

// Dull reports whether whole frames are only text: no usage, no end, no error.
// Those come last, before nothing but usage and [DONE]. Every frame has the keys;
// what counts is whether they are null.
func (Codec) Dull(frames []byte) bool {
	g := glance(frames)
	return !g.usage && !g.finish && !g.err && !g.done && !g.event
}
