package twins

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestAHangUpDoesNotEndTheAnswer has a client hang up in the middle and come back when the
// answer is over. It is made and paid for once.
func TestAHangUpDoesNotEndTheAnswer(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	books := r.Read(t, "")
	for _, client := range rig.Dialects {
		target := rig.UsualModel[client] + "-gone"
		r.On(client, target, upstream.Pace(20*time.Millisecond))
		wish := keyed(rig.Ask(client, client+"/"+target, "hi", true), target, 0)
		wish.Header.Set("X-Request-Id", "first-"+client)
		head, _ := begin(t, r, wish, 1)
		row := books.Await(t, "first-"+client)
		wish.Header.Set("X-Request-Id", "second-"+client)
		back := r.Good(t, keyed(wish, target, 1))
		if said := rig.Listen(t, client, head+back.Body); !said.Ended || said.Failure != "" {
			t.Errorf("%s: %s\nthen %s", target, head, back.Body)
		}
		if row.Status != 200 || row.Output == 0 || len(r.SentTo(client, target)) != 1 {
			t.Errorf("%s: %+v", target, row)
		}
		if rows := books.Rows(t, "second-"+client); len(rows) > 0 {
			t.Errorf("%s: a replay is in the books: %+v", target, rows)
		}
	}
}

// TestAnAnswerEndsSomeTimeAfterItsClient leaves for good: the upstream is let go, what came
// is in the books, and the answer stays what it was.
func TestAnAnswerEndsSomeTimeAfterItsClient(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "stream: {linger: 100ms}\n", "")
	books := r.Read(t, "")
	for _, client := range rig.Dialects {
		target := rig.UsualModel[client] + "-left"
		r.On(client, target, upstream.Chain(upstream.Endless(), upstream.Pace(2*time.Millisecond)))
		wish := keyed(rig.Ask(client, client+"/"+target, "hi", true), target, 0)
		wish.Header.Set("X-Request-Id", "left-"+client)
		head, _ := begin(t, r, wish, 2)
		row := books.Await(t, "left-"+client)
		first, second := r.Hear(t, wish), r.Hear(t, wish)
		if !strings.HasPrefix(first.Body, head) || first.Body != second.Body || !first.Broken() {
			t.Errorf("%s: %s\nthen %s\nand %s", target, head, first.Body, second.Body)
		}
		if said := rig.Listen(t, client, first.Body); !said.FailedLast(client) {
			t.Errorf("%s ends with %.300s", target, first.Body[max(0, len(first.Body)-300):])
		}
		if row.Status != 499 || row.Output == 0 || len(r.SentTo(client, target)) != 1 {
			t.Errorf("%s: %+v", target, row)
		}
	}
}

// TestALongAnswerIsGivenAndNotKept has answers that are longer than what is kept.
func TestALongAnswerIsGivenAndNotKept(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "stream: {kept: 500B}\n", "")
	for _, stream := range []bool{false, true} {
		for _, client := range rig.Dialects {
			target := rig.UsualModel[client] + "-long" + map[bool]string{true: "-streamed"}[stream]
			wish := keyed(rig.Ask(client, client+"/"+target, strings.Repeat("hello ", 500), stream), target, 0)
			h := r.Good(t, wish)
			if len(h.Body) < 500 {
				t.Fatalf("%s is short: %s", target, h.Body)
			}
			if again := r.Hear(t, wish); again.Status != 409 || !strings.Contains(again.Body, "idempotency_not_kept") {
				t.Errorf("%s: %d %.300s", target, again.Status, again.Body)
			}
			if n := len(r.SentTo(client, target)); n != 1 {
				t.Errorf("%s was asked %d times", target, n)
			}
		}
	}
}

// TestARefusalThatCountsIsReplayed has an upstream refuse what is asked, and one that is busy.
func TestARefusalThatCountsIsReplayed(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	for _, stream := range []bool{false, true} {
		for _, client := range rig.Dialects {
			name := client + map[bool]string{true: "-streamed"}[stream]
			wrong, busy := rig.UsualModel[client]+"@wrong.0."+name, rig.UsualModel[client]+"@broken.0."+name
			wish := keyed(rig.Ask(client, client+"/"+wrong, "hi", stream), wrong, 0)
			first, again := r.Hear(t, wish), r.Hear(t, wish)
			if first.Status != 400 || again.Body != first.Body || again.Header.Get("Idempotency-Replayed") != "true" || len(r.SentTo(client, wrong)) != 1 {
				t.Errorf("%s: %d %s\nthen %d %s", wrong, first.Status, first.Body, again.Status, again.Body)
			}
			wish = keyed(rig.Ask(client, client+"/"+busy, "hi", stream), busy, 0)
			first = r.Hear(t, wish)
			tries := len(r.SentTo(client, busy))
			again = r.Hear(t, wish)
			if first.Status < 500 || again.Status < 500 || len(r.SentTo(client, busy)) <= tries {
				t.Errorf("%s: %d %s\nthen %d %s", busy, first.Status, first.Body, again.Status, again.Body)
			}
		}
	}
}

// TestOurOwnRefusalIsReplayed has the server refuse what is asked itself: for a body that is no request
// and for a model that is not there. No upstream is asked; the key stands for the answer all the same.
func TestOurOwnRefusalIsReplayed(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	for _, client := range rig.Dialects {
		for _, stream := range []bool{false, true} {
			good := rig.Ask(client, client+"/"+rig.UsualModel[client], "hi", stream)
			broken := good
			broken.Body = "{"
			for name, test := range map[string]struct {
				wish   rig.Wish
				status int
			}{"broken": {broken, 400}, "nowhere": {rig.Ask(client, "nowhere", "hi", stream), 404}} {
				key := fmt.Sprint(name, client, stream)
				first, again := r.Hear(t, keyed(test.wish, key, 0)), r.Hear(t, keyed(test.wish, key, 0))
				if first.Status != test.status || again.Body != first.Body || first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Replayed") != "true" {
					t.Errorf("%s: %d %s\nthen %d %s", key, first.Status, first.Body, again.Status, again.Body)
				}
				if name != "broken" { // another path in Gemini's dialect, and so another route
					continue
				}
				if other := r.Hear(t, keyed(good, key, 0)); other.Status != 409 {
					t.Errorf("%s, another body: %d %s", key, other.Status, other.Body)
				}
			}
		}
	}
	r.Run(t, "workspaces", "policy", "set", "default", "--capture=false")
	for status, wish := range map[int]rig.Wish{400: rig.WishFor("openai", "nowhere", "{", false), 404: rig.Ask("openai", "nowhere", "hi", false)} {
		for range 2 { // what may not be kept is told anew
			if h := r.Hear(t, keyed(wish, fmt.Sprint("private", status), 0)); h.Status != status || h.Header.Get("Idempotency-Replayed") != "" {
				t.Errorf("private: %d %s, not %d", h.Status, h.Body, status)
			}
		}
	}
}
