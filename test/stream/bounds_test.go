package stream

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"stele/test/rig"
	"stele/test/upstream"
)

// most is what one call may hold of an upstream's answer, as in internal/provider.
const most = 64 << 20

// endlessJSON is an answer in one piece that never ends.
func endlessJSON(_ *upstream.Exchange, usual upstream.Reply) upstream.Reply {
	usual.Header = usual.Header.Clone()
	usual.Header.Del("Content-Length")
	usual.Frames = []upstream.Frame{{Bytes: []byte(`{"x":"`)}, {Bytes: []byte(strings.Repeat("a", 64<<10))}}
	usual.End = upstream.Repeat
	return usual
}

// tall announces more than can be taken.
func tall(_ *upstream.Exchange, usual upstream.Reply) upstream.Reply {
	usual.Header = usual.Header.Clone()
	usual.Header.Set("Content-Length", strconv.Itoa(most+1))
	usual.Frames, usual.End = usual.Frames[:1], upstream.Hang
	return usual
}

// TestAnEndlessAnswerIsBounded has upstreams that send more than a server can hold,
// packed and unpacked, one after the other. Each is an error of the client's
// dialect, and the process never holds more than a few times the limit.
func TestAnEndlessAnswerIsBounded(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("big"))
	r.Good(t, rig.Ask("openai", "big-openai-openai", "hi", true))
	before := rig.Memory(t, "VmHWM", r.PID())
	for _, client := range []string{"openai", "gemini"} {
		for _, away := range rig.Dialects {
			model := "big-" + client + "-" + away
			target := rig.UsualModel[away] + "-" + model
			for name, c := range map[string]struct {
				answer upstream.Answer
				stream bool
			}{
				"endless line": {upstream.EndlessLine(), true}, "endless answer": {endlessJSON, false}, "tall": {tall, false},
				"bomb": {upstream.GzipBomb(300), false}, "bomb in a stream": {upstream.GzipBomb(300), true},
			} {
				r.On(away, target, c.answer)
				h := r.Hear(t, rig.Ask(client, model, "hi", c.stream))
				if got := rig.HearWhole(t, client, h.Body); h.Status < 500 || got.Failure == "" {
					t.Errorf("%s, %s: %d %.300s (%v)", name, model, h.Status, h.Body, h.Err)
				}
				r.On(away, target, nil)
				r.Good(t, rig.Ask(client, model, "hi", c.stream))
			}
		}
	}
	grown := rig.Memory(t, "VmHWM", r.PID()) - before
	t.Logf("endless answers cost %d MB at most", grown>>20)
	if grown > 8*most {
		t.Errorf("the process grew by %d MB", grown>>20)
	}
}

// TestALargeAnswerIsNotAnEndlessOne has frames and answers of some megabytes.
func TestALargeAnswerIsNotAnEndlessOne(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("large"))
	words := strings.Repeat("0123456789abcdef", largeText/16)
	large := upstream.Block{Kind: "text", Text: words, Pieces: []string{words[:100], words[100:]}}
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "large-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, upstream.Say(large))
		for _, stream := range []bool{false, true} {
			hear := rig.HearWhole
			if stream {
				hear = rig.Listen
			}
			if got := hear(t, client, r.Good(t, rig.Ask(client, model, "hi", stream)).Body); got.Text != words || !got.Ended {
				t.Errorf("%d bytes of text, want %d; ended: %t", len(got.Text), len(words), got.Ended)
			}
		}
	})
}

// TestBadUTF8IsNotPassedOffAsText has an upstream with a byte that is none in its
// text. What passes through keeps it; what is translated is valid.
func TestBadUTF8IsNotPassedOffAsText(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("bad"))
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "bad-" + client + "-" + away
		r.On(away, rig.UsualModel[away]+"-"+model, upstream.BadUTF8())
		for _, stream := range []bool{false, true} {
			h := r.Hear(t, rig.Ask(client, model, "hi", stream))
			switch {
			case client == away && (h.Status != http.StatusOK || !strings.Contains(h.Body, "this \xff is") && !strings.Contains(h.Body, "\"\xff")):
				t.Errorf("passing through%s: %d %q (%v)", rig.Streamed(stream), h.Status, h.Body, h.Err)
			case client != away && !utf8.ValidString(h.Body):
				t.Errorf("translated%s: %d %q", rig.Streamed(stream), h.Status, h.Body)
			case client != away && h.Status == http.StatusOK && !strings.Contains(h.Body, "\ufffd") && !strings.Contains(h.Body, `"error"`):
				t.Errorf("translated%s, and the text has lost its place: %q", rig.Streamed(stream), h.Body)
			}
		}
	})
}
