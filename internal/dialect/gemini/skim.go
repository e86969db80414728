package gemini

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/wire"
)

// CountResponse reads of a whole answer only what metering needs, which here is
// all of it: reading it is as cheap as looking for a part of it.
func (c Codec) CountResponse(body []byte) (*chat.Response, error) { return c.DecodeResponse(body) }

// Dull reports whether a run of whole frames is only content: no end, no block, no
// error. Usage is in every frame, and the one with the end has the last word.
func (Codec) Dull(frames []byte) bool {
	frames = wire.Tail(frames, 3)
	return !bytes.Contains(frames, []byte("finish")) && !bytes.Contains(frames, []byte(`rror"`)) && !bytes.Contains(frames, []byte("eedback"))
}
