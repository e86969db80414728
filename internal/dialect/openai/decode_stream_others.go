package openai

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// learnOther notes that something came which no other API has, to be told of at the end: there
// it interrupts no text.
func (d *streamReader) learnOther(kind string) {
	const most = 16
	if len(d.others) < most && !slices.Contains(d.others, kind) {
		d.others = append(d.others, strings.Clone(kind))
	}
}

// tellOthers tells what only the end of an answer brings: the sources that a server names in
// every frame, and what there is no place for.
func (d *streamReader) tellOthers() {
	if d.light || d.ended {
		return
	}
	if sources := found(jsonscan.At(d.results, 0), jsonscan.At(d.citations, 0)); len(sources) > 0 {
		d.sayCopy(blockText, chat.Part{Kind: chat.Text, Citations: sources})
	}
	for i, kind := range d.others {
		d.tell(chat.Event{Kind: chat.Delta, Block: blockOther + i, Part: other(kind)})
	}
	d.others = nil
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
