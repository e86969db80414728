package stream

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// late are models of each pair with timeouts of their own and no second try.
func late(timeouts map[string]string) string {
	models := ""
	for purpose, limits := range timeouts {
		models += strings.ReplaceAll(rig.Lone(purpose), "retries: 0}", "retries: 0, timeouts: "+limits+"}")
	}
	return models
}

// tooLate is what each dialect calls an upstream that does not answer in time.
var tooLate = map[string]string{"openai": "upstream_timeout", "anthropic": "timeout_error", "gemini": "DEADLINE_EXCEEDED"}

// steady is an answer without an end, some frames a second.
func steady() upstream.Answer {
	return func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
		usual = upstream.Endless()(x, usual)
		for i := range usual.Frames {
			usual.Frames[i].Pause = 20 * time.Millisecond
		}
		return usual
	}
}

// TestAnUpstreamThatIsTooLate has one that never answers, one that stops in the
// middle, and one that never stops.
func TestAnUpstreamThatIsTooLate(t *testing.T) {
	t.Parallel()
	const slow = "60s"
	r := rig.NewFront(t, "", late(map[string]string{
		"first": "{first_byte: 150ms, gap: " + slow + ", total: " + slow + "}",
		"gap":   "{first_byte: " + slow + ", gap: 150ms, total: " + slow + "}",
		"total": "{first_byte: " + slow + ", gap: " + slow + ", total: 3s}",
	}))
	books := r.Read(t, "")
	var ids []string
	for _, client := range rig.Dialects {
		for _, away := range rig.Dialects {
			for i := range 6 {
				ids = append(ids, fmt.Sprintf("late-%s-%s-%d", client, away, i))
			}
		}
	}
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		for i, c := range []struct {
			purpose string
			answer  upstream.Answer
			stream  bool
			begun   bool
		}{
			{"first", upstream.Never(), false, false},
			{"first", upstream.Never(), true, false},
			{"first", upstream.Silent(0), true, false},
			{"gap", upstream.Chain(rig.Much(), upstream.Silent(6)), true, true},
			{"total", upstream.Never(), false, false},
			{"total", steady(), true, true},
		} {
			model := c.purpose + "-" + client + "-" + away
			r.On(away, rig.UsualModel[away]+"-"+model, c.answer)
			w := rig.Ask(client, model, "hi", c.stream)
			w.Header.Set("X-Request-Id", fmt.Sprintf("late-%s-%s-%d", client, away, i))
			h := r.Hear(t, w)
			if !c.begun {
				if h.Status != http.StatusGatewayTimeout || !strings.Contains(h.Body, tooLate[client]) || h.Err != nil {
					t.Errorf("%d %s: %d %s (%v)", i, model, h.Status, h.Body, h.Err)
				}
				continue
			}
			got := rig.Listen(t, client, h.Body)
			if !h.Broken() || !got.FailedLast(client) || got.Ended || !strings.Contains(fmt.Sprint(got.Events[len(got.Events)-1]), tooLate[client]) {
				t.Errorf("%d %s: %v after %.300s…", i, model, h.Err, h.Body[max(0, len(h.Body)-300):])
			}
		}
	})
	for _, id := range ids {
		if row := books.Await(t, id); row.Status != http.StatusGatewayTimeout || row.Code != "upstream_timeout" {
			t.Errorf("%s: the row is %+v", id, row)
		}
	}
}

// TestASlowBodyIsNotALateOne has an answer in one piece that comes in drops: each
// in time, all together later than the first had to be.
func TestASlowBodyIsNotALateOne(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", late(map[string]string{"drops": "{first_byte: 4s, gap: 10s, total: 2m}"}))
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "drops-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, upstream.Chain(upstream.Pieces(6), upstream.Pace(80*time.Millisecond)))
		if got := rig.HearWhole(t, client, r.Good(t, rig.Ask(client, model, "hi", false)).Body); got.Text != "You said: hi" {
			t.Errorf("%q", got.Text)
		}
	})
}
