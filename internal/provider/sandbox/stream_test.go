package sandbox

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/relay"
)

// conversations are one of each kind, and every pair of what can be mixed.
func conversations() map[string]*chat.Conversation {
	weather := chat.Tool{Name: "get_weather", Schema: []byte(schemas["weather"])}
	clock := chat.Tool{Name: "clock", Schema: []byte(`{"type":"object"}`)}
	shell := chat.Tool{Kind: chat.Custom, Name: "shell"}
	bases := map[string]*chat.Conversation{
		"nothing":   user(""),
		"hello":     user("Hello, world"),
		"languages": user("Привет \u4f60\u597d\u4e16\u754c नमस्ते 👩‍👩‍👧‍👦"),
		"long":      user("[[sandbox: words=200]]"),
		"blank":     user(`[[sandbox: text=""]]`),
		"verbatim":  user(`[[sandbox: text="  two  spaces\nand a line "]]`),
		"picture":   user("Look", chat.Part{Kind: chat.Image, Media: &chat.Media{URL: "https://example.com/x.png"}}),
		"call":      tools("Weather please", weather),
		"calls":     tools("Ask the weather, the clock and the shell", weather, clock, shell),
		"required":  tools("Hi", weather),
		"result":    tools("Weather please", weather),
		"refusal":   user("[[sandbox: refuse]]"),
		"filter":    user("[[sandbox: filter]]"),
		"counted":   user("[[sandbox: usage=7:9]]"),
		"odd end":   user("[[sandbox: finish=length]]"),
		"said call": tools(`[[sandbox: text="Let me look." tool=clock]]`, clock),
	}
	bases["required"].Choice.Mode = chat.Required
	bases["result"] = with(bases["result"],
		chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.ToolCall, ID: "c1", Name: "get_weather", Text: "{}"}}},
		chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.ToolResult, ID: "c1", Content: []chat.Part{{Kind: chat.Text, Text: "Rain"}}}}})
	twists := map[string]func(*chat.Conversation){
		"":         func(*chat.Conversation) {},
		"thinking": func(c *chat.Conversation) { c.Thinking = &chat.Thinking{Effort: "low"} },
		"unseen":   func(c *chat.Conversation) { c.Thinking = &chat.Thinking{Show: new(false)} },
		"short":    func(c *chat.Conversation) { c.Sampling.MaxTokens = new(int64(3)) },
		"shortest": func(c *chat.Conversation) { c.Sampling.MaxTokens = new(int64(1)) },
		"stopped":  func(c *chat.Conversation) { c.Sampling.Stop = []string{"nowhere", "he S", "the"} },
		"seeded":   func(c *chat.Conversation) { c.Sampling.Seed = new(int64(3)) },
		"object":   func(c *chat.Conversation) { c.Format = &chat.Format{Kind: chat.JSONObject} },
		"schema": func(c *chat.Conversation) {
			c.Format = &chat.Format{Kind: chat.JSONSchema, Schema: []byte(schemas["deep"])}
		},
		"cached":    func(c *chat.Conversation) { c.Cache = &chat.Cache{} },
		"malformed": func(c *chat.Conversation) { c.System = []chat.Part{{Kind: chat.Text, Text: "[[sandbox: malformed]]"}} },
		"redacted": func(c *chat.Conversation) {
			c.System = []chat.Part{{Kind: chat.Text, Text: "[[sandbox: redacted think=5]]"}}
		},
	}
	all := make(map[string]*chat.Conversation)
	for name, base := range bases {
		for twist, change := range twists {
			if name == "result" && twist == "thinking" || name == "result" && twist == "unseen" {
				continue // its loop has no thoughts
			}
			c := base.Clone()
			change(c)
			all[strings.TrimSpace(name+" "+twist)] = c
		}
	}
	return all
}

func TestWholeIsStreamed(t *testing.T) {
	t.Parallel()
	for name, talk := range conversations() {
		want := whole(t, newSandbox(), talk)
		reply, err := newSandbox().Do(t.Context(), request(talk, true), relay.Target{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := chat.Collect(grammar(t, name, reply.Stream))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\n%+v", name, got, want)
		}
		text := 0
		for _, p := range got.Answers[0].Parts {
			text += len(p.Text)
		}
		if reply.Seen.Usage != want.Usage || reply.Seen.Text != text || reply.Seen.Chunks == 0 {
			t.Errorf("%s: seen %+v of %+v and %d bytes", name, *reply.Seen, want.Usage, text)
		}
	}
}

// The parts of a whole answer are written in one place and those of further
// answers in another: they must be the same.
func TestFurtherAnswersAreMadeAsTheFirst(t *testing.T) {
	t.Parallel()
	for name, talk := range conversations() {
		s := newSandbox()
		p, err := s.plan(talk)
		if err != nil {
			t.Fatal(err)
		}
		want := whole(t, s, talk).Answers[0].Parts
		if got := p.answers[0].parts(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v\n%+v", name, got, want)
		}
	}
}

// grammar checks the law of strict events while they pass:
// Start (Open Delta* Close)* Finish, blocks numbered from 0, usage at the ends only.
func grammar(t *testing.T, name string, stream chat.Stream) chat.Stream {
	t.Helper()
	return func(yield func(chat.Chunk, error) bool) {
		state, block := "begin", 0
		open := chat.Part{}
		for chunk, err := range stream {
			for _, e := range chunk.Events {
				wrong := func(why string) { t.Errorf("%s: %s: %+v after %s", name, why, e, state) }
				if e.Usage != (chat.Usage{}) && e.Kind != chat.Start && e.Kind != chat.Finish {
					wrong("usage in the middle")
				}
				if (e.Kind == chat.Open || e.Kind == chat.Delta || e.Kind == chat.Close) && e.Block != block {
					wrong("misnumbered")
				}
				was := state
				switch e.Kind {
				case chat.Start:
					state = "between"
					if was != "begin" || e.ID == "" || e.Model == "" || !e.Usage.Known || e.Usage.Completion() != 0 {
						wrong("start")
					}
				case chat.Open:
					state, open = "open", e.Part
					if was != "between" || e.Part.Kind == 0 || e.Part.Text != "" || e.Part.Proof != "" || e.Part.Kind == chat.ToolCall && (e.Part.ID == "" || e.Part.Name == "") {
						wrong("open")
					}
				case chat.Delta:
					if state != "open" || e.Part.Kind != open.Kind || e.Part.ID != "" || e.Part.Name != "" || e.Part.Text == "" && e.Part.Proof == "" {
						wrong("delta")
					}
				case chat.Close:
					state = "between"
					if was != "open" || e.Part.Kind != open.Kind {
						wrong("close")
					}
					block++
				case chat.Finish:
					state = "end"
					if was != "between" || e.Stop.Reason == 0 || !e.Usage.Known {
						wrong("finish")
					}
				default:
					wrong("not strict")
				}
			}
			if !yield(chunk, err) {
				return
			}
			if err != nil {
				return
			}
		}
		if state != "end" {
			t.Errorf("%s: ended in peace in state %s", name, state)
		}
	}
}

func TestStreamsWordByWord(t *testing.T) {
	t.Parallel()
	reply, err := newSandbox().Do(t.Context(), request(user("[[sandbox: text=\"one two, three \u4f60\u597d\"]]"), true), relay.Target{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for chunk, err := range reply.Stream {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range chunk.Events {
			if e.Kind == chat.Delta {
				told = append(told, e.Part.Text)
			}
		}
	}
	if got := strings.Join(told, "|"); got != "one| two,| three| \u4f60|\u597d" {
		t.Error(got)
	}
}

// A reader who leaves is metered for what it got, and nothing more is made.
func TestAReaderMayLeave(t *testing.T) {
	t.Parallel()
	reply, err := newSandbox().Do(t.Context(), request(user("[[sandbox: words=100]]"), true), relay.Target{})
	if err != nil {
		t.Fatal(err)
	}
	chunks := 0
	for range reply.Stream {
		if chunks++; chunks == 11 {
			break
		}
	}
	if got := reply.Seen.UsageToMeter(1000); !got.Known || got.Output != 10 || got.Input == 0 || reply.Seen.Chunks != 11 {
		t.Errorf("%+v", *reply.Seen)
	}
	reply.Close()
	reply.Close()
}

func TestWordsMakeUpTheirText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "  a", "a  ", "a b\nc", "\u65e5\u672c\u8a9e\u3067\u3059。", "ab\u65e5\u672ccd", "\u65e5\u672c \u8a9e", "e\u0301 a\u0301b", "👩‍👩‍👧‍👦\u65e5👩‍👧", "\u845b\U000E0100\u98fe", "bad \xff\xfe bytes\xff", "\xff", "a\u200d\u65e5",
	} {
		list := words(text)
		if strings.Join(list, "") != text {
			t.Errorf("%q became %q", text, list)
		}
		for _, w := range list {
			if w == "" {
				t.Errorf("%q: an empty word in %q", text, list)
			}
		}
		if strings.Join(cutBites(text), "") != text {
			t.Errorf("%q was bitten into %q", text, cutBites(text))
		}
	}
	for text, n := range map[string]int{"one two three": 3, "\u65e5\u672c\u8a9e\u3067\u3059。": 5, "a\u65e5\u672cb": 4, "\u845b\U000E0100\u98fe": 2, "👩‍👩‍👧‍👦 family": 2} {
		if got := words(text); len(got) != n {
			t.Errorf("%q: %q, want %d", text, got, n)
		}
	}
}

func TestExactlyAsManyWordsAsOrdered(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 7, 50, 1000, 10_000} {
		r := whole(t, newSandbox(), user(fmt.Sprintf("Hello [[sandbox: words=%d]]", n)))
		if got := len(words(textOf(r.Answers[0].Parts))); got != n || r.Usage.Output != int64(n) {
			t.Errorf("%d words and %d tokens, want %d", got, r.Usage.Output, n)
		}
	}
}

func BenchmarkStreamOf100Words(b *testing.B) {
	s := newSandbox()
	talk := user("[[sandbox: words=100]]")
	b.ReportAllocs()
	for b.Loop() {
		reply, err := s.Do(b.Context(), request(talk, true), relay.Target{})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range reply.Stream {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// tools is a conversation that offers tools.
func tools(text string, list ...chat.Tool) *chat.Conversation {
	c := user(text)
	c.Tools = list
	return c
}
