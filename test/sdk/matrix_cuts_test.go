package sdk

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"stele/test/rig"
)

// cutName has the same length however a stream is cut: the model's name is in the
// answer, whose length decides where it can be cut.
func cutName(up away, what string, n int, who string) string {
	return fmt.Sprintf("%s@%s.%05d.%s", up.thinker, what, n, who)
}

var cutWords = words{text: "call:get_weather please"}

// TestMatrixCuts cuts streams at edges of frames and at some offsets
// anywhere: no SDK takes what came for an answer.
func TestMatrixCuts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, c := range clients() {
		for _, up := range s.away {
			t.Run(c.name+"/"+up.dialect, func(t *testing.T) {
				t.Parallel()
				open := func(model string) talk {
					return c.open(t, s, manner{model: up.dialect + "/" + model, stream: true, think: true, tools: []tool{weather}})
				}
				bytes, frames := up.measure(t, c.name, open)
				var cuts []string
				for n := range frames {
					if n%cutStep == 0 || n < 2 || n >= frames-2 {
						cuts = append(cuts, cutName(up, "cut-after", n, c.name))
					}
				}
				random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same every time
				for range randomCuts {
					cuts = append(cuts, cutName(up, "cut-bytes", random.IntN(bytes), c.name))
				}
				// Those before the first event are tried again, after a while: all at the same time.
				var all sync.WaitGroup
				defer all.Wait()
				for _, model := range cuts {
					all.Go(func() {
						if mustFail(t, open(model), cutWords) == nil {
							t.Errorf("%s of %d frames and %d bytes", model, frames, bytes)
						}
					})
				}
			})
		}
	}
}

// measure is how long a stream is that is not cut.
func (a away) measure(t *testing.T, who string, open func(model string) talk) (bytes, frames int) {
	t.Helper()
	model := cutName(a, "not-a-cut", 0, who)
	whole, err := open(model).say(t.Context(), cutWords)
	if err != nil || len(whole.calls) != 1 || !strings.Contains(whole.text, "I will call") {
		t.Fatalf("uncut: %+v, %v", whole, err)
	}
	r := a.asked(model)[0]
	rig.Eventually(t, "the upstream is done", r.Ended)
	bytes, frames = r.Sent()
	if frames < 5 {
		t.Fatalf("only %d frames", frames)
	}
	return bytes, frames
}
