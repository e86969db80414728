package test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"stele/test/house"
	"stele/test/upstream"
)

// terminals are in the frame with which an upstream says that its answer is complete.
var terminals = map[string]string{"openai": `"finish_reason":"`, "anthropic": `"message_stop"`, "gemini": `"finishReason"`}

// TestACutUpstreamIsNeverAShortAnswer cuts every upstream at every frame's edge and
// at random offsets, with a broken connection and with a clean end, in all pairs.
// The client sees its dialect's own error and a broken connection, every time.
func TestACutUpstreamIsNeverAShortAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("cut"))
	pairs(t, func(t *testing.T, client, away string) {
		model := "cut-" + client + "-" + away
		target := usualModel[away] + "-" + model
		w := ask(client, model, "Count for me.", true)
		r.on(away, target, much())
		full := listen(t, client, r.good(t, w).body)
		if !full.ended || full.text == "" || full.stop == "" {
			t.Fatalf("the whole stream ends with %q after %q", full.stop, full.text)
		}
		upstreams := r.straight(t, away, r.lastTo(t, away, target))
		size, frames := sent(t, r, away, target)
		try := func(name string, cut upstream.Answer, sent int) {
			t.Helper()
			r.on(away, target, upstream.Chain(much(), cut))
			h := r.send(t, w)
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
func sent(t *testing.T, r *rig, away, target string) (bytes, frames int) {
	t.Helper()
	q := r.lastTo(t, away, target)
	house.Eventually(t, "the upstream is done", q.Ended)
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
func checkCut(t *testing.T, r *rig, client, name string, h heard, full said, mayEnd, passed bool) {
	t.Helper()
	if h.status != http.StatusOK { // nothing had come yet
		if got := hearWhole(t, client, h.body); h.status < 500 || got.failure == "" || h.err != nil {
			t.Errorf("%s: %d %s (%v)", name, h.status, h.body, h.err)
		}
		return
	}
	got := listen(t, client, h.body)
	if mayEnd && h.err == nil && got.failure == "" {
		if got.stop != full.stop || got.text != full.text {
			t.Errorf("%s: complete, but %q and %q", name, got.stop, got.text)
		}
		return
	}
	if !h.broken() || !got.failedLast(client) {
		t.Errorf("%s: the answer ends with %v after\n%s", name, h.err, h.body)
	}
	if got.ended || got.stop != "" && !passed {
		t.Errorf("%s: a made-up end: %s", name, h.body)
	}
	if !strings.HasPrefix(full.text, got.text) {
		t.Errorf("%s: the text is %q, of %q", name, got.text, full.text)
	}
}

// TestACutArrayIsStillJSON has Gemini's client that asked for no events.
func TestACutArrayIsStillJSON(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("array"))
	for _, away := range tongues {
		model := "array-gemini-" + away
		target := usualModel[away] + "-" + model
		w := ask("gemini", model, "Count for me.", true)
		w.path = strings.TrimSuffix(w.path, "?alt=sse")
		r.on(away, target, much())
		if all := list(parse(t, r.good(t, w).body)); len(all) < 2 || text(all[len(all)-1], "candidates", 0, "finishReason") != "STOP" {
			t.Errorf("%s: %v", away, all)
		}
		_, frames := sent(t, r, away, target)
		for n := 2; n < frames-1; n++ {
			r.on(away, target, upstream.Chain(much(), upstream.CutFrames(n)))
			h := r.send(t, w)
			all := list(parse(t, h.body))
			if h.status >= 500 && text(parse(t, h.body), "error", "status") != "" {
				continue // nothing to show had come yet
			}
			if len(all) == 0 || text(all[len(all)-1], "error", "status") == "" || !h.broken() {
				t.Errorf("%s, cut after %d frames: %s (%v)", away, n, h.body, h.err)
			}
		}
	}
}

// TestACutWholeAnswerIsAnError covers answers in one piece: half of one is none.
func TestACutWholeAnswerIsAnError(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("half"))
	pairs(t, func(t *testing.T, client, away string) {
		model := "half-" + client + "-" + away
		target := usualModel[away] + "-" + model
		w := ask(client, model, "Count for me.", false)
		r.good(t, w)
		size, _ := sent(t, r, away, target)
		for _, n := range []int{0, 1, size / 2, size - 1} {
			for _, cut := range []upstream.Answer{upstream.Cut(n), upstream.Short(n)} {
				r.on(away, target, cut)
				h := r.send(t, w)
				if got := hearWhole(t, client, h.body); h.status < 500 || got.failure == "" || h.err != nil {
					t.Errorf("cut after %d of %d: %d %s", n, size, h.status, h.body)
				}
				r.on(away, target, nil)
				r.good(t, w) // so that the breaker stays closed
			}
		}
	})
}
