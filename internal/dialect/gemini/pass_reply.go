package gemini

import (
	"bytes"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
	"stele/internal/wire"
)

// Rename puts another model's name into an answer's or a frame's own bytes. What
// has none comes back as it is.
func (Codec) Rename(raw []byte, model string) []byte {
	at := bytes.IndexByte(raw, '{')
	if at < 0 || !bytes.Contains(raw, []byte("odelVersion")) {
		return raw
	}
	v := fieldOf(jsonscan.At(raw, at), "modelVersion")
	if v.Kind() != jsonscan.String || v.To() == len(raw) { // or it is cut short
		return raw
	}
	out := append(make([]byte, 0, len(raw)+len(model)), raw[:v.From()]...)
	return append(jsonscan.AppendText(out, model), raw[v.To():]...)
}

// PutCost puts what an answer cost into its usage. Every frame of a stream has one, and
// what it cost is known with the end.
func (Codec) PutCost(raw []byte, nano int64) []byte {
	at := bytes.IndexByte(raw, '{')
	if at < 0 || !bytes.Contains(raw, []byte("finish")) && !bytes.Contains(raw, []byte("eedback")) {
		return raw
	}
	return dialect.PutCost(raw, fieldOf(jsonscan.At(raw, at), "usageMetadata"), nano)
}

// DropUnasked changes nothing: usage comes without being asked for.
func (Codec) DropUnasked(frames []byte) []byte { return frames }

// NothingToMeter reports whether a run of whole frames ends with content: no end, no block, no
// error. Usage is in every frame, and the one with the end has the last word; a frame
// or two may follow it.
func (Codec) NothingToMeter(frames []byte) bool {
	frames = wire.Tail(frames, 3)
	return !bytes.Contains(frames, []byte("finish")) && !bytes.Contains(frames, []byte(`rror"`)) && !bytes.Contains(frames, []byte("eedback"))
}
