package stream

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// signs are how each dialect says that it is still there, before the first event.
var signs = map[string]string{
	"openai": ": keep-alive\n\n", "anthropic": "event: ping\ndata: {\"type\":\"ping\"}\n\n", "gemini": "\n\n", "array": "\n",
}

// held makes an upstream wait until it is let go, and then do as it is told.
func held(answer upstream.Answer) (gate chan struct{}, held upstream.Answer) {
	gate = make(chan struct{})
	return gate, func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
		<-gate
		return answer(x, usual)
	}
}

// TestSignsOfLife has an upstream that says nothing at all until the client has
// its 200 and two signs of life: before the first byte, in all nine pairs, and for
// the array. What comes afterwards is an answer, an error, or another target's answer.
func TestSignsOfLife(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "stream: {keep_alive: 50ms}\n", rig.Lone("good", "bad", "array")+rig.Twofold("other"))
	wait := func(t *testing.T, client, away, model, target string, answer upstream.Answer) (*http.Response, string) {
		t.Helper()
		gate, answer := held(answer)
		r.On(away, target, answer)
		w := rig.Ask(strings.Replace(client, "array", "gemini", 1), model, "hi", true)
		if client == "array" {
			w.Path = strings.TrimSuffix(w.Path, "?alt=sse")
		}
		h, err := r.Client.Do(r.RequestFor(t, w)) // returns with the header
		if err != nil {
			t.Fatal(err)
		}
		defer h.Body.Close()
		begun := ""
		if client == "array" {
			begun = "[" // nothing stands before it
		}
		two := make([]byte, len(begun)+2*len(signs[client]))
		if _, err := io.ReadFull(h.Body, two); err != nil || string(two) != begun+strings.Repeat(signs[client], 2) || h.StatusCode != http.StatusOK {
			t.Errorf("%d %q (%v)", h.StatusCode, two, err)
		}
		close(gate)
		rest, err := io.ReadAll(h.Body)
		if err != nil {
			return h, string(rest) + "broken"
		}
		return h, begun + strings.TrimPrefix(string(rest), signs[client])
	}
	rig.Pairs(t, func(t *testing.T, client, away string) {
		pair := client + "-" + away
		_, body := wait(t, client, away, "good-"+pair, rig.UsualModel[away]+"-good-"+pair, upstream.Usual())
		if got := rig.Listen(t, client, body); got.Text != "You said: hi" || !got.Ended {
			t.Errorf("%q", body)
		}
		_, body = wait(t, client, away, "bad-"+pair, rig.UsualModel[away]+"-bad-"+pair, upstream.Overloaded())
		cut, broken := strings.CutSuffix(body, "broken")
		if got := rig.Listen(t, client, cut); !broken || !got.FailedLast(client) {
			t.Errorf("%q", body)
		}
		_, body = wait(t, client, away, "other-"+pair, rig.UsualModel[away]+"-other-"+pair+"-a", upstream.Overloaded())
		if got := rig.Listen(t, client, body); got.Text != "You said: hi" || !got.Ended {
			t.Errorf("%q", body)
		}
		if client == "gemini" {
			h, body := wait(t, "array", away, "array-"+pair, rig.UsualModel[away]+"-array-"+pair, upstream.Usual())
			if all := rig.List(rig.Parse(t, body)); len(all) < 2 || !strings.HasPrefix(h.Header.Get("Content-Type"), "application/json") {
				t.Errorf("%q", body)
			}
		}
	})
}

// TestSignsOfLifeInTheMiddle has an upstream fall silent between two frames. The
// signs stand between whole events, with the line ends of those around them.
func TestSignsOfLifeInTheMiddle(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "stream: {keep_alive: 50ms}\n", rig.Lone("gap"))
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "gap-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, upstream.Chain(rig.Much(), upstream.Gap(5, 2*time.Second)))
		body := r.Good(t, rig.Ask(client, model, "hi", true)).Body
		sign := signs[client]
		end := "\n"
		if client == "gemini" {
			if away == "gemini" {
				end = "\r\n" // its own frames, passed on
			}
			sign = strings.Repeat(end, 6) // the end of an event and twice the sign
		}
		if strings.Count(body, sign) < 1 || client != "gemini" && strings.Count(body, sign) < 3 {
			t.Errorf("%d signs of life in %q", strings.Count(body, sign), body)
		}
		if got := rig.Listen(t, client, body); !got.Ended || got.Failure != "" {
			t.Errorf("%q", body)
		}
		begun := strings.TrimLeft(body, "\n") // signs before the first event cannot know its line ends
		if client == "gemini" && strings.Count(begun, "\n")+strings.Count(begun, "\r") != len(end)*strings.Count(begun, end) {
			t.Errorf("mixed line ends in %q", body)
		}
	})
}

// TestEventsAreNotHeldBack reads a slow stream: each event is there when the
// upstream has sent it, not when the next one comes.
func TestEventsAreNotHeldBack(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("slow"))
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "slow-" + client + "-" + away
		words := upstream.Say(upstream.Text("one two three four five six"))
		for _, after := range []string{"one", "two", "three", "four"} {
			gone := make(chan struct{})
			r.On(away, rig.UsualModel[away]+"-"+model, func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
				usual = words(x, usual)
				for i, f := range usual.Frames {
					if strings.Contains(string(f.Bytes), `"`+after+` `) {
						usual = upstream.Silent(i+1)(x, usual)
						break
					}
				}
				close(gone)
				return usual
			})
			h, err := r.Client.Do(r.RequestFor(t, rig.Ask(client, model, "hi", true)))
			if err != nil {
				t.Fatal(err)
			}
			<-gone
			lines := bufio.NewReader(h.Body)
			for found := false; !found; {
				line, err := lines.ReadString('\n')
				if err != nil {
					t.Fatalf("after %q: %v", after, err)
				}
				found = strings.Contains(line, after+" ")
			}
			h.Body.Close()
		}
	})
}
