package test

import (
	"net/http"
	"strings"
	"testing"

	"stele/test/upstream"
)

// TestAnErrorInsideA200 has an upstream that says all is well and then that it is
// not: in one piece, in the first frame, or later.
func TestAnErrorInsideA200(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("alone")+twofold("first"))
	busy := map[string]int{"openai": http.StatusServiceUnavailable, "anthropic": 529, "gemini": http.StatusServiceUnavailable}
	kinds := map[string]string{"openai": "service_unavailable_error|server_error", "anthropic": "overloaded_error", "gemini": "UNAVAILABLE"}
	pairs(t, func(t *testing.T, client, away string) {
		alone := usualModel[away] + "-alone-" + client + "-" + away
		w := func(stream bool) wish { return ask(client, "alone-"+client+"-"+away, "hi", stream) }

		for name, answer := range map[string]upstream.Answer{"in one piece": upstream.ErrorIn200(), "in the first frame": upstream.ErrorAfter(0)} {
			r.on(away, alone, answer)
			h := r.send(t, w(name != "in one piece"))
			got := hearWhole(t, client, h.body)
			if h.status != busy[client] || got.failure == "" || h.err != nil {
				t.Errorf("%s: %d %s (%v)", name, h.status, h.body, h.err)
			}
			r.on(away, alone, nil)
			r.good(t, w(false))
		}
		r.good(t, w(true))
		_, frames := sent(t, r, away, alone)
		for n := 3; n < frames-1; n++ {
			r.on(away, alone, upstream.ErrorAfter(n))
			h := r.send(t, w(true))
			if h.status != http.StatusOK {
				if n > 3 {
					t.Errorf("after %d frames: %d %s", n, h.status, h.body)
				}
				continue
			}
			got := listen(t, client, h.body)
			if !h.broken() || !got.failedLast(client) || got.ended || got.stop != "" && client != away {
				t.Errorf("after %d frames: %v after\n%s", n, h.err, h.body)
			}
			last := got.events[len(got.events)-1]
			if kind := text(last, "error", "type") + text(last, "error", "status"); !strings.Contains(kinds[client], kind) {
				t.Errorf("after %d frames the error is a %s: %v", n, kind, last)
			}
		}

		// With a second target a client does not hear of it.
		model := "first-" + client + "-" + away
		a, b := usualModel[away]+"-"+model+"-a", usualModel[away]+"-"+model+"-b"
		for _, stream := range []bool{false, true} {
			for _, answer := range []upstream.Answer{upstream.ErrorIn200(), upstream.ErrorAfter(0), upstream.CutFrames(0), upstream.HTML(http.StatusOK)} {
				r.on(away, a, answer)
				h := r.good(t, ask(client, model, "hi", stream))
				if served := h.header.Get("X-Stele-Served-By"); served != away+"/"+b {
					t.Errorf("served by %q", served)
				}
				r.on(away, a, nil)
				r.good(t, ask(client, model, "hi", stream))
			}
		}
		r.on(away, a, upstream.ErrorAfter(4))
		before := len(r.sentTo(away, b))
		if h := r.send(t, ask(client, model, "hi", true)); !h.broken() || len(r.sentTo(away, b)) != before {
			t.Errorf("another target was asked after the first byte: %v %s", h.err, h.body)
		}
	})
}

// TestABareErrorInAStream has an upstream that forgets the form of its stream.
func TestABareErrorInAStream(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("bare"))
	bodies := map[string]string{
		"openai":    `{"error":{"message":"Overloaded.","type":"server_error","param":null,"code":"server_is_overloaded"}}`,
		"anthropic": `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		"gemini":    `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`,
	}
	pairs(t, func(t *testing.T, client, away string) {
		model := "bare-" + client + "-" + away
		target := usualModel[away] + "-" + model
		for _, end := range []string{"\n\n", "\n"} {
			r.on(away, target, upstream.Frames(bodies[away]+end))
			if h := r.send(t, ask(client, model, "hi", true)); h.status != 503 && h.status != 529 {
				t.Errorf("%d %s", h.status, h.body)
			}
		}
		r.on(away, target, func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
			usual = upstream.CutFrames(4)(x, usual)
			usual.Frames, usual.End = append(usual.Frames, upstream.Frame{Bytes: []byte(bodies[away] + "\n\n")}), upstream.Finish
			return usual
		})
		h := r.send(t, ask(client, model, "hi there you", true))
		if got := listen(t, client, h.body); !h.broken() || !got.failedLast(client) || got.ended {
			t.Errorf("%v after %s", h.err, h.body)
		}
	})
}
