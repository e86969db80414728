package anthropic

import (
	"bytes"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/fault"
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

// Dull reports whether whole frames are only content: nothing about the
// message as a whole, and no error. The message begins in the first frame and ends
// in the last ones. A server that leaves the events' names out is never dull.
func (Codec) Dull(frames []byte) bool {
	if !bytes.HasPrefix(frames, []byte("event: content_block_")) {
		return false
	}
	return !bytes.Contains(frames, []byte("event: message_")) && !bytes.Contains(frames, []byte(`error`))
}
