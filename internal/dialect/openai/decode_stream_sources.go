package openai

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// tellSources tells what only the end of an answer brings: the sources that a server names in
// every frame.
func (d *streamReader) tellSources() {
	if d.light || d.ended {
		return
	}
	if sources := readSources(jsonscan.At(d.results, 0), jsonscan.At(d.citations, 0)); len(sources) > 0 {
		d.sayCopy(blockText, chat.Part{Kind: chat.Text, Citations: sources})
	}
}

// keepSources keeps what a frame says that the server found.
func (d *streamReader) keepSources(r *reply) {
	if !d.light {
		d.results, d.citations = keepRaw(d.results, r.results), keepRaw(d.citations, r.citations)
	}
}

// keepRaw is a value of a frame, in memory that is kept.
func keepRaw(kept []byte, v jsonscan.Value) []byte {
	if raw := v.Raw(); v.Kind() == array && !bytes.Equal(raw, kept) {
		return append(kept[:0], raw...)
	}
	return kept
}
