package gemini

import "stele/internal/chat"

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
