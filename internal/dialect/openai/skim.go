package openai

import (
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/wire"
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

// Dull reports whether a run of whole frames ends with plain text: no usage, no end,
// no error. Nothing plain follows those, but for other answers that still go on.
// Every frame has the keys; what counts is whether they are null.
func (Codec) Dull(frames []byte) bool {
	g := glance(wire.Tail(frames, 1))
	return g.choices && !g.usage && !g.finish && !g.err && !g.done && !g.event
}
