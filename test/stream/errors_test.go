package stream

import (
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestAnErrorInsideA200 has an upstream that says all is well and then that it is
// not: in one piece, in the first frame, or later.
func TestAnErrorInsideA200(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("alone")+rig.Twofold("first"))
	busy := map[string]int{"openai": http.StatusServiceUnavailable, "anthropic": 529, "gemini": http.StatusServiceUnavailable}
	kinds := map[string]string{"openai": "service_unavailable_error|server_error", "anthropic": "overloaded_error", "gemini": "UNAVAILABLE"}
	rig.Pairs(t, func(t *testing.T, client, away string) {
		alone := rig.UsualModel[away] + "-alone-" + client + "-" + away
		w := func(stream bool) rig.Wish { return rig.Ask(client, "alone-"+client+"-"+away, "hi", stream) }

		for name, answer := range map[string]upstream.Answer{"in one piece": upstream.ErrorIn200(), "in the first frame": upstream.ErrorAfter(0)} {
			r.On(away, alone, answer)
			h := r.Hear(t, w(name != "in one piece"))
			got := rig.HearWhole(t, client, h.Body)
			if h.Status != busy[client] || got.Failure == "" || h.Err != nil {
				t.Errorf("%s: %d %s (%v)", name, h.Status, h.Body, h.Err)
			}
			r.On(away, alone, nil)
			r.Good(t, w(false))
		}
		r.Good(t, w(true))
		_, frames := sent(t, r, away, alone)
		for n := 3; n < frames-1; n++ {
			r.On(away, alone, upstream.ErrorAfter(n))
			h := r.Hear(t, w(true))
			if h.Status != http.StatusOK {
				if n > 3 {
					t.Errorf("after %d frames: %d %s", n, h.Status, h.Body)
				}
				continue
			}
			got := rig.Listen(t, client, h.Body)
			if !h.Broken() || !got.FailedLast(client) || got.Ended || got.Stop != "" && client != away {
				t.Errorf("after %d frames: %v after\n%s", n, h.Err, h.Body)
			}
			last := got.Events[len(got.Events)-1]
			if kind := rig.Text(last, "error", "type") + rig.Text(last, "error", "status"); !strings.Contains(kinds[client], kind) {
				t.Errorf("after %d frames the error is a %s: %v", n, kind, last)
			}
		}

		// With a second target a client does not hear of it.
		model := "first-" + client + "-" + away
		a, b := rig.UsualModel[away]+"-"+model+"-a", rig.UsualModel[away]+"-"+model+"-b"
		for _, stream := range []bool{false, true} {
			for _, answer := range []upstream.Answer{upstream.ErrorIn200(), upstream.ErrorAfter(0), upstream.CutFrames(0), upstream.HTML(http.StatusOK)} {
				r.On(away, a, answer)
				h := r.Good(t, rig.Ask(client, model, "hi", stream))
				if served := h.Header.Get("X-Stele-Served-By"); served != away+"/"+b {
					t.Errorf("served by %q", served)
				}
				r.On(away, a, nil)
				r.Good(t, rig.Ask(client, model, "hi", stream))
			}
		}
		r.On(away, a, upstream.ErrorAfter(4))
		before := len(r.SentTo(away, b))
		if h := r.Hear(t, rig.Ask(client, model, "hi", true)); !h.Broken() || len(r.SentTo(away, b)) != before {
			t.Errorf("another target was asked after the first byte: %v %s", h.Err, h.Body)
		}
	})
}

// TestABareErrorInAStream has an upstream that forgets the form of its stream.
func TestABareErrorInAStream(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("bare"))
	bodies := map[string]string{
		"openai":    `{"error":{"message":"Overloaded.","type":"server_error","param":null,"code":"server_is_overloaded"}}`,
		"anthropic": `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
		"gemini":    `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`,
	}
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "bare-" + client + "-" + away
		target := rig.UsualModel[away] + "-" + model
		for _, end := range []string{"\n\n", "\n"} {
			r.On(away, target, upstream.Frames(bodies[away]+end))
			if h := r.Hear(t, rig.Ask(client, model, "hi", true)); h.Status != 503 && h.Status != 529 {
				t.Errorf("%d %s", h.Status, h.Body)
			}
		}
		r.On(away, target, func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
			usual = upstream.CutFrames(4)(x, usual)
			usual.Frames, usual.End = append(usual.Frames, upstream.Frame{Bytes: []byte(bodies[away] + "\n\n")}), upstream.Finish
			return usual
		})
		h := r.Hear(t, rig.Ask(client, model, "hi there you", true))
		if got := rig.Listen(t, client, h.Body); !h.Broken() || !got.FailedLast(client) || got.Ended {
			t.Errorf("%v after %s", h.Err, h.Body)
		}
	})
}
