package openai

import (
	"bytes"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
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

// Dull reports whether a run of whole frames is only text: no usage, no end, no
// error. Those come last, before nothing but usage and [DONE]. Every frame has the
// keys; what counts is whether they are null.
func (Codec) Dull(frames []byte) bool {
	frames = wire.Tail(frames, 4)
	return dialect.AllNull(frames, `"usage"`) && dialect.AllNull(frames, `"finish_reason"`) && dialect.AllNull(frames, `"error"`) &&
		!bytes.Contains(frames, done)
}
