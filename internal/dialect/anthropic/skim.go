package anthropic

import (
	"bytes"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/wire"
)

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

// Dull reports whether a run of whole frames ends with content: nothing about the
// message as a whole, and no error. The message begins in the first frame and ends
// in the last ones, after all content. A server that leaves the events' names out is
// never dull.
func (Codec) Dull(frames []byte) bool {
	last := wire.Tail(frames, 1)
	return bytes.HasPrefix(last, []byte("event: content_block_")) && !bytes.Contains(last, []byte(`error`))
}
