package stream

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// terminals are in the frame with which an upstream says that its answer is complete.
var terminals = map[string]string{"openai": `"finish_reason":"`, "anthropic": `"message_stop"`, "gemini": `"finishReason"`}

// TestACutUpstreamIsNeverAShortAnswer cuts every upstream at every frame's edge and
// at random offsets, with a broken connection and with a clean end, in all pairs.
// The client sees its dialect's own error and a broken connection, every time.
func TestACutUpstreamIsNeverAShortAnswer(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("cut"))
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "cut-" + client + "-" + away
		target := rig.UsualModel[away] + "-" + model
		w := rig.Ask(client, model, "Count for me.", true)
		r.On(away, target, rig.Much())
		full := rig.Listen(t, client, r.Good(t, w).Body)
		if !full.Ended || full.Text == "" || full.Stop == "" {
			t.Fatalf("the whole stream ends with %q after %q", full.Stop, full.Text)
		}
		upstreams := r.Straight(t, away, r.LastTo(t, away, target))
		size, frames := sent(t, r, away, target)
		try := func(name string, cut upstream.Answer, sent int) {
			t.Helper()
			r.On(away, target, upstream.Chain(rig.Much(), cut))
			h := r.Hear(t, w)
			complete := sent >= 0 && strings.Contains(upstreams[:min(sent, len(upstreams))], terminals[away])
			checkCut(t, r, client, name, h, full, complete && strings.HasPrefix(name, "short"), client == away)
		}
		for n := range frames {
			try(fmt.Sprintf("cut after %d frames", n), upstream.CutFrames(n), -1)
			try(fmt.Sprintf("short after %d frames", n), upstream.ShortFrames(n), edge(upstreams, n))
		}
		for range 20 {
			n := 1 + rand.IntN(size-1)
			try(fmt.Sprintf("cut after %d bytes", n), upstream.Cut(n), -1)
			try(fmt.Sprintf("short after %d bytes", n), upstream.Short(n), n)
		}
	})
}

// sent is how much a target has sent in its last answer, when that is over.
func sent(t *testing.T, r *rig.Front, away, target string) (bytes, frames int) {
	t.Helper()
	q := r.LastTo(t, away, target)
	rig.Eventually(t, "the upstream is done", q.Ended)
	return q.Sent()
}

// edge is the length of the first n events of a stream.
func edge(stream string, n int) int {
	length := 0
	for frame := range strings.SplitAfterSeq(strings.ReplaceAll(stream, "\r\n\r\n", "\n\n\n\n"), "\n\n") {
		if strings.TrimSpace(frame) == "" {
			length += len(frame)
			continue
		}
		if n--; n < 0 {
			break
		}
		length += len(frame)
	}
	return length
}

// checkCut looks at what a client got of a stream that was cut.
func checkCut(t *testing.T, r *rig.Front, client, name string, h rig.Heard, full rig.Said, mayEnd, passed bool) {
	t.Helper()
	if h.Status != http.StatusOK { // nothing had come yet
		if got := rig.HearWhole(t, client, h.Body); h.Status < 500 || got.Failure == "" || h.Err != nil {
			t.Errorf("%s: %d %s (%v)", name, h.Status, h.Body, h.Err)
		}
		return
	}
	got := rig.Listen(t, client, h.Body)
	if mayEnd && h.Err == nil && got.Failure == "" {
		if got.Stop != full.Stop || got.Text != full.Text {
			t.Errorf("%s: complete, but %q and %q", name, got.Stop, got.Text)
		}
		return
	}
	if !h.Broken() || !got.FailedLast(client) {
		t.Errorf("%s: the answer ends with %v after\n%s", name, h.Err, h.Body)
	}
	if got.Ended || got.Stop != "" && !passed {
		t.Errorf("%s: a made-up end: %s", name, h.Body)
	}
	if !strings.HasPrefix(full.Text, got.Text) {
		t.Errorf("%s: the text is %q, of %q", name, got.Text, full.Text)
	}
}

// TestACutArrayIsStillJSON has Gemini's client that asked for no events.
func TestACutArrayIsStillJSON(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("array"))
	for _, away := range rig.Dialects {
		model := "array-gemini-" + away
		target := rig.UsualModel[away] + "-" + model
		w := rig.Ask("gemini", model, "Count for me.", true)
		w.Path = strings.TrimSuffix(w.Path, "?alt=sse")
		r.On(away, target, rig.Much())
		if all := rig.List(rig.Parse(t, r.Good(t, w).Body)); len(all) < 2 || rig.Text(all[len(all)-1], "candidates", 0, "finishReason") != "STOP" {
			t.Errorf("%s: %v", away, all)
		}
		_, frames := sent(t, r, away, target)
		for n := 2; n < frames-1; n++ {
			r.On(away, target, upstream.Chain(rig.Much(), upstream.CutFrames(n)))
			h := r.Hear(t, w)
			all := rig.List(rig.Parse(t, h.Body))
			if h.Status >= 500 && rig.Text(rig.Parse(t, h.Body), "error", "status") != "" {
				continue // nothing to show had come yet
			}
			if len(all) == 0 || rig.Text(all[len(all)-1], "error", "status") == "" || !h.Broken() {
				t.Errorf("%s, cut after %d frames: %s (%v)", away, n, h.Body, h.Err)
			}
		}
	}
}

// TestACutWholeAnswerIsAnError covers answers in one piece: half of one is none.
func TestACutWholeAnswerIsAnError(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("half"))
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "half-" + client + "-" + away
		target := rig.UsualModel[away] + "-" + model
		w := rig.Ask(client, model, "Count for me.", false)
		r.Good(t, w)
		size, _ := sent(t, r, away, target)
		last := size - 1
		if away == "anthropic" && client != away { // it comes as a stream, which may lack the end of its last line
			last -= 2
		}
		for _, n := range []int{0, 1, size / 2, last} {
			for _, cut := range []upstream.Answer{upstream.Cut(n), upstream.Short(n)} {
				r.On(away, target, cut)
				h := r.Hear(t, w)
				if got := rig.HearWhole(t, client, h.Body); h.Status < 500 || got.Failure == "" || h.Err != nil {
					t.Errorf("cut after %d of %d: %d %s", n, size, h.Status, h.Body)
				}
				r.On(away, target, nil)
				r.Good(t, w) // so that the breaker stays closed
			}
		}
	})
}
