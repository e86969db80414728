package sandbox

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"stele/internal/chat"
	"stele/internal/relay"
)

func TestCountsTokens(t *testing.T) {
	t.Parallel()
	square := pictureOf(t, func(b *bytes.Buffer, _ image.Image) error {
		return png.Encode(b, image.NewGray(image.Rect(0, 0, 300, 300)))
	})
	for name, c := range map[string]struct {
		change func(*chat.Conversation)
		input  int64
	}{
		"words":   {func(*chat.Conversation) {}, 2},
		"system":  {func(c *chat.Conversation) { c.System = []chat.Part{{Kind: chat.Text, Text: "be kind"}} }, 4},
		"chinese": {func(c *chat.Conversation) { c.Messages[0].Parts[0].Text = "\u4f60\u597d \u4e16\u754c" }, 4},
		"tool": {func(c *chat.Conversation) {
			c.Tools = []chat.Tool{{Name: "1234", Description: "5678", Schema: []byte("{}")}}
		}, 5},
		"image": {func(c *chat.Conversation) { c.Messages[0].Parts = append(c.Messages[0].Parts, image1(raw(square, ""))) }, 2 + 120},
		"far image": {func(c *chat.Conversation) {
			c.Messages[0].Parts = append(c.Messages[0].Parts, image1(&chat.Media{URL: "x"}))
		}, 2 + 258},
		"document": {func(c *chat.Conversation) {
			c.Messages[0].Parts = append(c.Messages[0].Parts, chat.Part{Kind: chat.Document, Media: &chat.Media{Plain: "12345678"}})
		}, 4},
		"history": {func(c *chat.Conversation) {
			*c = *with(c, chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.Text, Text: "a b c"}}},
				chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.ToolResult, Content: []chat.Part{{Kind: chat.Text, Text: "d e"}}}}})
		}, 7},
	} {
		talk := user("Hello there")
		c.change(talk)
		r := whole(t, newSandbox(), talk)
		if u := r.Usage; u.Input != c.input || !u.Known || u.CacheRead+u.CacheWrite != 0 || u.Output != countWords(textOf(r.Answers[0].Parts)) {
			t.Errorf("%s: %+v", name, u)
		}
	}
	if u := whole(t, newSandbox(), user("[[sandbox: usage=100:20 think=5]]")).Usage; u != (chat.Usage{Input: 100, Output: 20, Known: true}) {
		t.Errorf("ordered: %+v", u)
	}
}

func TestCachesMarkedPrompts(t *testing.T) {
	t.Parallel()
	now := noon
	s := New(Options{Now: func() time.Time { return now }})
	ask := func(question, ttl string) chat.Usage {
		talk := user(question)
		talk.System = []chat.Part{{Kind: chat.Text, Text: "one two three four", Cache: &chat.Cache{TTL: ttl}}}
		return whole(t, s, talk).Usage
	}
	usage := func(input, read, write, hour int64) chat.Usage {
		return chat.Usage{Input: input, CacheRead: read, CacheWrite: write, CacheWrite1h: hour, Known: true}
	}
	for i, step := range []struct {
		ttl   string
		after time.Duration
		want  chat.Usage
	}{
		{"", 0, usage(2, 0, 4, 0)},
		{"", 4 * time.Minute, usage(2, 4, 0, 0)},
		{"", 4 * time.Minute, usage(2, 4, 0, 0)}, // used again: kept again
		{"", 5 * time.Minute, usage(2, 0, 4, 0)},
		{"1h", 6 * time.Minute, usage(2, 0, 4, 4)},
		{"1h", 59 * time.Minute, usage(2, 4, 0, 0)},
	} {
		now = now.Add(step.after)
		got := ask(fmt.Sprint("Question ", i), step.ttl)
		if got.Output = 0; got != step.want {
			t.Errorf("step %d: %+v, want %+v", i, got, step.want)
		}
	}
}

// With automatic caching each turn reads what the one before wrote.
func TestCachesTheWholePromptWhenAsked(t *testing.T) {
	t.Parallel()
	s := newSandbox()
	talk := user("one two")
	talk.Cache = &chat.Cache{}
	for turn, want := range []chat.Usage{{CacheWrite: 2}, {CacheRead: 2, CacheWrite: 3}, {CacheRead: 5, CacheWrite: 3}, {CacheRead: 8, CacheWrite: 3}} {
		u := whole(t, s, talk).Usage
		if u.CacheRead != want.CacheRead || u.CacheWrite != want.CacheWrite || u.Input != 0 {
			t.Errorf("turn %d: %+v, want %+v", turn, u, want)
		}
		talk = with(talk, chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.Text, Text: "three"}}},
			chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.Text, Text: "four five"}}})
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	s := newSandbox()
	ask := func(i int) chat.Usage {
		talk := user(fmt.Sprint("prompt ", i))
		talk.Cache = &chat.Cache{}
		return whole(t, s, talk).Usage
	}
	for i := range mostKept + 10 {
		ask(i)
		ask(0) // used all the time
	}
	if n := s.cache.kept.Len(); n != mostKept {
		t.Errorf("%d kept", n)
	}
	if ask(0).CacheRead != 2 || ask(mostKept).CacheRead != 2 || ask(1).CacheRead != 0 {
		t.Error("the wrong ones are kept")
	}
}

// What a request that fails would have cached is not cached.
func TestFailuresLeaveTheCacheAlone(t *testing.T) {
	t.Parallel()
	s := newSandbox()
	talk := user("Hello [[sandbox: error=500]]")
	talk.Cache = &chat.Cache{}
	if _, err := s.Do(t.Context(), request(talk, false), relay.Target{}); err == nil || s.cache.kept.Len() != 0 {
		t.Errorf("%v, %d kept", err, s.cache.kept.Len())
	}
}
