package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/relay"
)

// outcome is what a reader of a stream saw.
type outcome struct {
	chunks, words int
	first, took   time.Duration // until the stream was there, and ended
	finished      bool
	err           error
}

// read asks for a stream and reads all of it, in the bubble's time.
func read(ctx context.Context, text string, t relay.Target) outcome {
	begin := time.Now()
	reply, err := New(Options{}).Do(ctx, request(user(text), true), t)
	o := outcome{first: time.Since(begin), err: err}
	if err == nil {
		for chunk, err := range reply.Stream {
			if o.err = err; err != nil {
				break
			}
			o.chunks++
			for _, e := range chunk.Events {
				if e.Kind == chat.Delta {
					o.words++
				}
				o.finished = o.finished || e.Kind == chat.Finish
			}
		}
	}
	o.took = time.Since(begin)
	return o
}

func TestDelaysAndGaps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := read(t.Context(), "[[sandbox: delay=2s gap=200ms words=11]]", relay.Target{})
		if !o.finished || o.first != 2*time.Second || o.took != 4*time.Second || o.words != 11 {
			t.Errorf("%+v", o)
		}
		begin := time.Now()
		_, err := New(Options{}).Do(t.Context(), request(user("[[sandbox: delay=2s gap=200ms words=11]]"), false), relay.Target{})
		if took := time.Since(begin); err != nil || took != 4*time.Second {
			t.Errorf("whole: %v, %v", err, took)
		}
	})
}

func TestFailsAsOrdered(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]struct {
		code fault.Code
		chat int // in the openai family
	}{
		400: {fault.InvalidParameter, 400}, 401: {fault.InvalidAPIKey, 401}, 402: {fault.InsufficientCredits, 402},
		403: {fault.PermissionDenied, 403}, 404: {fault.ModelNotFound, 404}, 408: {fault.UpstreamTimeout, 504},
		409: {fault.IdempotencyConflict, 409}, 413: {fault.BodyTooLarge, 413}, 422: {fault.InvalidParameter, 400},
		429: {fault.RateLimited, 429}, 500: {fault.Internal, 500}, 502: {fault.UpstreamError, 502},
		503: {fault.Unavailable, 503}, 504: {fault.UpstreamTimeout, 504}, 529: {fault.Unavailable, 503},
	} {
		e := refused(t, user(fmt.Sprintf("[[sandbox: error=%d retry_after=3]]", status)))
		if e.Code != want.code || e.Code.ChatStatus() != want.chat || e.RetryAfter != 3*time.Second || !e.Ordered {
			t.Errorf("%d: %+v", status, e)
		}
		o := read(t.Context(), fmt.Sprintf("[[sandbox: error=%d error_after=5 words=20]]", status), relay.Target{})
		if fault.From(o.err).Code != want.code || o.words != 5 || o.finished {
			t.Errorf("%d in the middle: %+v", status, o)
		}
	}
	for text, words := range map[string]int{
		"[[sandbox: error_after=0]]":           0,
		"[[sandbox: error_after=3]]":           3,
		"[[sandbox: error_after=900 words=4]]": 4, // before the end in any case
	} {
		o := read(t.Context(), text, relay.Target{})
		if fault.From(o.err).Code != fault.Unavailable || o.words != words || o.finished {
			t.Errorf("%s: %+v", text, o)
		}
		if e := refused(t, user(text)); e.Code != fault.Unavailable {
			t.Errorf("%s, whole: %v", text, e)
		}
	}
}

func TestIsCutOffLikeALostUpstream(t *testing.T) {
	t.Parallel()
	for n := range 14 {
		text := fmt.Sprintf("[[sandbox: cut=%d words=8]]", n)
		o := read(t.Context(), text, relay.Target{})
		if !errors.Is(o.err, io.ErrUnexpectedEOF) || !errors.Is(o.err, chat.ErrCut) || fault.From(o.err).Code != fault.UpstreamError {
			t.Errorf("%d: %v", n, o.err)
		}
		if o.finished || o.chunks != min(n, 9) {
			t.Errorf("%d: %+v", n, o)
		}
		if e := refused(t, user(text)); !errors.Is(e, io.ErrUnexpectedEOF) {
			t.Errorf("%d, whole: %v", n, e)
		}
	}
}

func TestKeepsSilentUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	for text, words := range map[string]int{
		"[[sandbox: silence]]":                  0,
		"[[sandbox: silence_after=0]]":          0,
		"[[sandbox: silence_after=4]]":          4,
		"[[sandbox: silence_after=99 words=7]]": 7,
	} {
		synctest.Test(t, func(t *testing.T) {
			gone := errors.New("gone")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Hour, func() { cancel(gone) })
			o := read(ctx, text, relay.Target{})
			if !errors.Is(o.err, gone) || o.took != time.Hour || o.words != words || o.finished {
				t.Errorf("%s: %+v", text, o)
			}
		})
	}
}

func TestWaitsNoLongerThanAnUpstreamMay(t *testing.T) {
	t.Parallel()
	target := relay.Target{Timeouts: catalog.Timeouts{FirstByte: 10 * time.Second, Gap: 5 * time.Second, Total: time.Minute}}
	for text, took := range map[string]time.Duration{
		"[[sandbox: silence]]":                   10 * time.Second,
		"[[sandbox: delay=11s]]":                 10 * time.Second,
		"[[sandbox: silence_after=1]]":           5 * time.Second,
		"[[sandbox: gap=6s]]":                    5 * time.Second,
		"[[sandbox: delay=9s gap=4s words=100]]": time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			o := read(t.Context(), text, target)
			if fault.From(o.err).Code != fault.UpstreamTimeout || o.took != took || o.finished {
				t.Errorf("%s: %+v", text, o)
			}
		})
	}
}

func TestEndsAtOnceWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, text := range []string{"[[sandbox: delay=10s]]", "[[sandbox: gap=1s words=20]]"} {
			for _, stream := range []bool{true, false} {
				ctx, cancel := context.WithCancel(t.Context())
				begin := time.Now()
				time.AfterFunc(2500*time.Millisecond, cancel)
				reply, err := New(Options{}).Do(ctx, request(user(text), stream), relay.Target{})
				if err == nil && stream {
					_, err = chat.Collect(reply.Stream)
				}
				if took := time.Since(begin); !errors.Is(err, context.Canceled) || took != 2500*time.Millisecond {
					t.Errorf("%s, stream %v: %v after %v", text, stream, err, took)
				}
			}
		}
		// Even where nothing waits.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		reply, err := New(Options{}).Do(ctx, request(user("[[sandbox: words=1000]]"), true), relay.Target{})
		if err != nil {
			t.Fatal(err)
		}
		chunks := 0
		for _, err := range reply.Stream {
			if chunks++; chunks == 5 {
				cancel()
			}
			if chunks == 6 && !errors.Is(err, context.Canceled) || chunks > 6 {
				t.Fatalf("chunk %d: %v", chunks, err)
			}
		}
		if _, err := New(Options{}).Do(ctx, request(user("Hello"), false), relay.Target{}); !errors.Is(err, context.Canceled) {
			t.Errorf("already gone: %v", err)
		}
	})
}

func TestEndsAsOrdered(t *testing.T) {
	t.Parallel()
	for word, reason := range map[string]chat.Reason{"length": chat.MaxTokens, "stop": chat.EndTurn, "tool": chat.ToolUse, "refusal": chat.Refused} {
		if got := whole(t, newSandbox(), user("[[sandbox: finish="+word+"]]")).Answers[0].Stop.Reason; got != reason {
			t.Errorf("%s: %v", word, got)
		}
	}
	a := whole(t, newSandbox(), user("[[sandbox: refuse]]")).Answers[0]
	if a.Stop.Reason != chat.Refused || len(a.Parts) != 1 || a.Parts[0].Kind != chat.Refusal || a.Parts[0].Text != a.Stop.Explanation {
		t.Errorf("refuse: %+v", a)
	}
	a = whole(t, newSandbox(), user("Hello [[sandbox: filter]]")).Answers[0]
	if a.Stop.Reason != chat.Refused || a.Stop.Category != "SAFETY" || len(words(textOf(a.Parts))) != 5 {
		t.Errorf("filter: %+v", a)
	}
}

func TestCutsAtTheMostTokens(t *testing.T) {
	t.Parallel()
	for most := int64(1); most < 40; most++ {
		talk := user("[[sandbox: words=20 think=10]]")
		talk.Sampling.MaxTokens = &most
		r := whole(t, newSandbox(), talk)
		a := r.Answers[0]
		want := chat.MaxTokens
		if most >= 30 {
			want = chat.EndTurn
		}
		if a.Stop.Reason != want || r.Usage.Completion() != min(most, 30) || r.Usage.Reasoning != min(most, 10) {
			t.Errorf("%d: %+v %+v", most, a.Stop, r.Usage)
		}
		if a.Parts[0].Proof == "" { // what is cut is signed as it is
			t.Errorf("%d: unsigned", most)
		}
	}
	talk := user("Hello")
	talk.Sampling.MaxTokens = new(int64(0))
	if e := refused(t, talk); e.Code != fault.InvalidParameter {
		t.Error(e)
	}
}

func TestStopsAtStopSequences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stops    []string
		text     string
		sequence string
	}{
		{[]string{"four"}, "one two three ", "four"},
		{[]string{"five", "o th"}, "one tw", "o th"},
		{[]string{"one"}, "", "one"},
		{[]string{"", "nowhere"}, "one two three four five", ""},
		{[]string{"é"}, "one two three four five", ""},
	} {
		talk := user(`[[sandbox: text="one two three four five"]]`)
		talk.Sampling.Stop = c.stops
		a := whole(t, newSandbox(), talk).Answers[0]
		reason := chat.StopSequence
		if c.sequence == "" {
			reason = chat.EndTurn
		}
		if got := textOf(a.Parts); got != c.text || a.Stop.Reason != reason || a.Stop.Sequence != c.sequence {
			t.Errorf("%q: %q, %+v", c.stops, got, a.Stop)
		}
	}
	talk := user(`[[sandbox: text="one two three four five"]]`)
	talk.Sampling.Stop, talk.Sampling.MaxTokens = []string{"four"}, new(int64(2))
	if a := whole(t, newSandbox(), talk).Answers[0]; a.Stop.Reason != chat.MaxTokens || !strings.HasSuffix(textOf(a.Parts), "two") {
		t.Errorf("the tokens end first: %+v", a)
	}
}
