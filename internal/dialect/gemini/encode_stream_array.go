package gemini

import (
	"bytes"

	"stele/internal/wire"
)

// arrayWriter writes a stream as one JSON array, as the API does where the client
// does not ask for server-sent events.
type arrayWriter struct{ streamWriter }

// AppendFrames appends the answers that frames of the API hold as elements of the array,
// in their own bytes.
func (w *arrayWriter) AppendFrames(dst, frames []byte) []byte {
	r := wire.NewSSE(bytes.NewReader(frames), len(frames)+1)
	defer r.Close()
	for {
		frame, err := r.Next()
		if err != nil { // the frames are whole: it is their end
			return dst
		}
		if data := bytes.TrimSpace(frame.Data); len(data) > 0 && data[0] == '{' {
			dst = w.end(append(w.begin(dst), data...))
		}
	}
}

// EndArray appends the end of the array.
func (w *arrayWriter) EndArray(dst []byte) []byte {
	return w.endArray(w.openArray(dst))
}
