package openai

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// mostCited bounds how many addresses are remembered.
const mostCited = 1 << 10

// readAnnotations reads the sources that a delta cites.
func (d *streamReader) readAnnotations(v jsonscan.Value) {
	p := chat.Part{Kind: chat.Text, Citations: readCitations(v)}
	if d.sayCopy(blockText, p); len(d.cited) < mostCited {
		d.cited = append(d.cited, addressesIn([]chat.Part{p})...) // copies by now
	}
}

// tellSources tells what only the end of an answer brings: the sources that a server names in
// every frame.
func (d *streamReader) tellSources() {
	if d.light || d.ended {
		return
	}
	if sources := withoutCited(readSources(jsonscan.At(d.results, 0), jsonscan.At(d.citations, 0)), d.cited); len(sources) > 0 {
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
