package test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"stele/test/house"
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

// TestAnEndlessAnswerIsBounded has upstreams that send more than anybody can hold,
// packed and unpacked, one after the other. Each is an error of the client's
// dialect, and the process never holds more than a few times the limit.
func TestAnEndlessAnswerIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("big"))
	r.good(t, ask("openai", "big-openai-openai", "hi", true))
	before := house.Memory(t, "VmHWM", r.PID())
	for _, client := range []string{"openai", "gemini"} {
		for _, away := range tongues {
			model := "big-" + client + "-" + away
			target := usualModel[away] + "-" + model
			for name, c := range map[string]struct {
				answer upstream.Answer
				stream bool
			}{
				"endless line": {upstream.EndlessLine(), true}, "endless answer": {endlessJSON, false}, "tall": {tall, false},
				"bomb": {upstream.GzipBomb(300), false}, "bomb in a stream": {upstream.GzipBomb(300), true},
			} {
				r.on(away, target, c.answer)
				h := r.send(t, ask(client, model, "hi", c.stream))
				if got := hearWhole(t, client, h.body); h.status < 500 || got.failure == "" {
					t.Errorf("%s, %s: %d %.300s (%v)", name, model, h.status, h.body, h.err)
				}
				r.on(away, target, nil)
				r.good(t, ask(client, model, "hi", c.stream))
			}
		}
	}
	grown := house.Memory(t, "VmHWM", r.PID()) - before
	t.Logf("endless answers cost %d MB at most", grown>>20)
	if grown > 8*most {
		t.Errorf("the process grew by %d MB", grown>>20)
	}
}

// TestALargeAnswerIsNotAnEndlessOne has frames and answers of some megabytes.
func TestALargeAnswerIsNotAnEndlessOne(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("large"))
	words := strings.Repeat("0123456789abcdef", largeText/16)
	large := upstream.Block{Kind: "text", Text: words, Pieces: []string{words[:100], words[100:]}}
	pairs(t, func(t *testing.T, client, away string) {
		model := "large-" + client + "-" + away
		r.on(away, usualModel[away]+"-"+model, upstream.Say(large))
		for _, stream := range []bool{false, true} {
			hear := hearWhole
			if stream {
				hear = listen
			}
			if got := hear(t, client, r.good(t, ask(client, model, "hi", stream)).body); got.text != words || !got.ended {
				t.Errorf("%d bytes of text, want %d; ended: %t", len(got.text), len(words), got.ended)
			}
		}
	})
}

// TestBadUTF8IsNotPassedOffAsText has an upstream with a byte that is none in its
// text. What passes through keeps it; what is translated is valid.
func TestBadUTF8IsNotPassedOffAsText(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("bad"))
	pairs(t, func(t *testing.T, client, away string) {
		model := "bad-" + client + "-" + away
		r.on(away, usualModel[away]+"-"+model, upstream.BadUTF8())
		for _, stream := range []bool{false, true} {
			h := r.send(t, ask(client, model, "hi", stream))
			switch {
			case client == away && (h.status != http.StatusOK || !strings.Contains(h.body, "this \xff is") && !strings.Contains(h.body, "\"\xff")):
				t.Errorf("passing through%s: %d %q (%v)", streamed(stream), h.status, h.body, h.err)
			case client != away && !utf8.ValidString(h.body):
				t.Errorf("translated%s: %d %q", streamed(stream), h.status, h.body)
			case client != away && h.status == http.StatusOK && !strings.Contains(h.body, "\ufffd") && !strings.Contains(h.body, `"error"`):
				t.Errorf("translated%s, and the text has lost its place: %q", streamed(stream), h.body)
			}
		}
	})
}
