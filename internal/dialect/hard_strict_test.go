package dialect_test

import (
	"testing"
)

// What clients demand of every frame, because the vendor's own frames have it.
var hardStrict = section{"AX", "what strict parsers want in every frame", []hard{
	// Rig (Rust) and BAML skip a frame of Google's whose counts are not all there: of an answer nothing was left but its end;
	// gemini-php throws at it.
	// LangChain adds up how the counts grow from frame to frame, so an estimate that is too high would be kept.
	{number: 1300, name: "counts in every frame of a stream of Google's", answer: "zeros until the end, where they are exact", run: func(t *testing.T) {
		for _, to := range []string{O, A} { // answers that come whole are told in frames, too
			l := take(t, trip{from: G, to: to, stream: true, ask: plain[G], answers: []string{hi[to]}})
			frames := l.events()
			is(t, "more than one frame", len(frames) > 1, true)
			for i, e := range frames {
				for _, name := range []string{"promptTokenCount", "candidatesTokenCount", "totalTokenCount"} {
					n := e.data.Get("usageMetadata." + name)
					is(t, name, n.Exists(), true)
					is(t, name+", told at the end", n.Int() > 0, i == len(frames)-1)
				}
			}
		}
	}},
}}
