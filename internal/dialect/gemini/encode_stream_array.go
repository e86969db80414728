package gemini

import (
	"bytes"

	"stele/internal/wire"
)

// arrayEncoder writes a stream as one JSON array, as the API does where nobody asks
// for server-sent events.
type arrayEncoder struct{ encoder }

// Gather appends the answers that frames of the API hold as elements of the array,
// in their own bytes.
func (x *arrayEncoder) Gather(dst, frames []byte) []byte {
	r := wire.NewSSE(bytes.NewReader(frames), len(frames)+1)
	defer r.Close()
	for {
		frame, err := r.Next()
		if err != nil { // the frames are whole: it is their end
			return dst
		}
		if data := bytes.TrimSpace(frame.Data); len(data) > 0 && data[0] == '{' {
			dst = x.end(append(x.begin(dst), data...))
		}
	}
}

// Gathered appends the end of the array.
func (x *arrayEncoder) Gathered(dst []byte) []byte {
	if !x.begun {
		dst = append(dst, '[')
	}
	return x.finished(dst)
}
