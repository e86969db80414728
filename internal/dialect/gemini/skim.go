package gemini

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/wire"
)

// CountResponse reads of a whole answer only what metering needs. An answer that
// says nothing is the client's to see, as it came.
func (Codec) CountResponse(body []byte) (*chat.Response, error) {
	c := cursor{b: body}
	var w wireChunk
	if !c.chunk(&w) {
		return nil, unreadable(body)
	}
	if w.failure != nil {
		return nil, failed(body)
	}
	return &chat.Response{Usage: w.usage.common()}, nil
}

// Dull reports whether a run of whole frames ends with content: no end, no block, no
// error. Usage is in every frame, and the one with the end has the last word; a frame
// or two may follow it.
func (Codec) Dull(frames []byte) bool {
	frames = wire.Tail(frames, 3)
	return !bytes.Contains(frames, []byte("finish")) && !bytes.Contains(frames, []byte(`rror"`)) && !bytes.Contains(frames, []byte("eedback"))
}
