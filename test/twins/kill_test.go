package twins

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestAKilledStreamEndsTheSameForAll kills the server in the middle of streams. Who brings
// the key again gets what was recorded and the dialect's own error, always the same bytes,
// and nothing is asked for again.
func TestAKilledStreamEndsTheSameForAll(t *testing.T) {
	t.Parallel()
	engines(t, "", func(t *testing.T, r *rig.Front) {
		for _, client := range rig.Dialects {
			for _, away := range rig.Dialects {
				target := rig.UsualModel[away] + "-killed-" + client
				r.On(away, target, upstream.Silent(3))
				wish := keyed(rig.Ask(client, away+"/"+target, "hi", true), target, 0)
				answer, err := r.Client.Do(r.RequestFor(t, wish))
				if err != nil {
					t.Fatal(err)
				}
				body := bufio.NewReader(answer.Body)
				head, _ := readEvents(body, 1)
				r.Kill(t)
				rest, _ := io.ReadAll(body)
				answer.Body.Close()
				r.Start(t)
				head += string(rest)

				first, second := r.Hear(t, wish), r.Hear(t, wish)
				tail := r.Hear(t, keyed(wish, target, count(head)))
				if !strings.HasPrefix(first.Body, head) || first.Body != second.Body || head+tail.Body != first.Body {
					t.Errorf("%s: the client has %s\nits twins %s\nand %s\nthe rest is %s", target, head, first.Body, second.Body, tail.Body)
				}
				said := rig.Listen(t, client, first.Body)
				if !first.Broken() || !second.Broken() || !tail.Broken() || said.Ended || !said.FailedLast(client) {
					t.Errorf("%s: %s (%v)", target, first.Body, first.Err)
				}
				if n := len(r.SentTo(away, target)); n != 1 {
					t.Errorf("%s was asked %d times", target, n)
				}
			}
		}
	})
}

// TestAKilledAnswerIsNotAskedForAgain kills the server while upstreams think about a whole
// answer: what came of it is not known, and that is said.
func TestAKilledAnswerIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	engines(t, "", func(t *testing.T, r *rig.Front) {
		for _, stream := range []bool{false, true} {
			for _, client := range rig.Dialects {
				target := fmt.Sprintf("%s-thinking-%t", rig.UsualModel[client], stream)
				r.On(client, target, upstream.Never())
				wish := keyed(rig.Ask(client, client+"/"+target, "hi", stream), target, 0)
				left := make(chan struct{})
				go func() {
					defer close(left)
					if answer, err := r.Client.Do(r.RequestFor(t, wish)); err == nil {
						answer.Body.Close()
					}
				}()
				rig.Eventually(t, "the upstream is asked", func() bool { return len(r.SentTo(client, target)) == 1 })
				r.Kill(t)
				<-left
				r.Start(t)
				first, second := r.Hear(t, wish), r.Hear(t, wish)
				if first.Status != http.StatusConflict || !strings.Contains(first.Body, "idempotency_outcome_unknown") || first.Body != second.Body {
					t.Errorf("%s: %d %s\nthen %d %s", target, first.Status, first.Body, second.Status, second.Body)
				}
				if first.Header.Get("X-Should-Retry") != "false" {
					t.Errorf("%s: %v", target, first.Header)
				}
				if n := len(r.SentTo(client, target)); n != 1 {
					t.Errorf("%s was asked %d times", target, n)
				}
			}
		}
	})
}

// TestAnAnswerThatWasWholeStaysWhole kills the server the moment a client has all of its
// answer, while the upstream has not even hung up.
func TestAnAnswerThatWasWholeStaysWhole(t *testing.T) {
	t.Parallel()
	lingering := func(_ *upstream.Exchange, usual upstream.Reply) upstream.Reply {
		usual.End = upstream.Hang
		return usual
	}
	engines(t, "", func(t *testing.T, r *rig.Front) {
		for _, client := range rig.Dialects {
			target := rig.UsualModel[client] + "-whole"
			wish := keyed(rig.Ask(client, client+"/"+target, "hi", true), target, 0)
			events := count(r.Good(t, keyed(wish, "plain "+target, 0)).Body)
			r.On(client, target, lingering)
			answer, err := r.Client.Do(r.RequestFor(t, wish))
			if err != nil {
				t.Fatal(err)
			}
			all, _ := readEvents(bufio.NewReader(answer.Body), events)
			r.Kill(t)
			answer.Body.Close()
			r.Start(t)
			if h := r.Good(t, wish); h.Body != all {
				t.Errorf("%s: the client has %s\nits twin %s", target, all, h.Body)
			}
			if n := len(r.SentTo(client, target)); n != 2 {
				t.Errorf("%s was asked %d times", target, n)
			}
		}
	})
}
