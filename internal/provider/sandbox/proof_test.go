package sandbox

import (
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/relay"
)

func TestThinksWhenAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text     string
		thinking *chat.Thinking
		words    int64
		kinds    string
	}{
		"not mentioned":   {"Hello", nil, 0, "text"},
		"none":            {"Hello", &chat.Thinking{Effort: "none"}, 0, "text"},
		"no budget":       {"Hello", &chat.Thinking{Budget: new(int64(0))}, 0, "text"},
		"disabled":        {"Hello", &chat.Thinking{Kind: "disabled"}, 0, "text"},
		"as it likes":     {"Hello", &chat.Thinking{}, 22, "thought text"},
		"low":             {"Hello", &chat.Thinking{Effort: "low"}, 13, "thought text"},
		"high":            {"Hello", &chat.Thinking{Effort: "high"}, 34, "thought text"},
		"small budget":    {"Hello", &chat.Thinking{Effort: "high", Budget: new(int64(10))}, 10, "thought text"},
		"dynamic budget":  {"Hello", &chat.Thinking{Budget: new(int64(-1))}, 22, "thought text"},
		"unseen":          {"Hello", &chat.Thinking{Show: new(false)}, 22, "unseen text"},
		"ordered":         {"Hello [[sandbox: think=5]]", nil, 5, "thought text"},
		"ordered not to":  {"Hello [[sandbox: think=0]]", &chat.Thinking{}, 0, "text"},
		"redacted":        {"Hello [[sandbox: redacted]]", &chat.Thinking{}, 23, "thought redacted text"},
		"only redacted":   {"Hello [[sandbox: redacted]]", nil, 1, "redacted text"},
		"before refusing": {"Hello [[sandbox: refuse]]", &chat.Thinking{}, 22, "thought refusal"},
	} {
		talk := user(c.text)
		talk.Thinking = c.thinking
		r := whole(t, newSandbox(), talk)
		var kinds []string
		for _, p := range r.Answers[0].Parts {
			kind := map[chat.Kind]string{chat.Text: "text", chat.Thought: "thought", chat.Redacted: "redacted", chat.Refusal: "refusal"}[p.Kind]
			if p.Kind == chat.Thought && p.Text == "" {
				kind = "unseen"
			}
			kinds = append(kinds, kind)
			sealed := p.Proof
			if p.Kind == chat.Redacted {
				sealed = p.Text
			}
			e, ok := chat.Unwrap(sealed)
			if e.Raw = ""; (kind == "text" || kind == "refusal") == ok || ok && e != (chat.Envelope{Dialect: "sandbox", Provider: "stele", Model: "sandbox"}) {
				t.Errorf("%s: %s in the envelope %+v", name, kind, e)
			}
		}
		if got := strings.Join(kinds, " "); got != c.kinds || r.Usage.Reasoning != c.words {
			t.Errorf("%s: %s, %+v", name, got, r.Usage)
		}
	}
}

// thoughtful is a question with thinking on that calls a tool, and its answer.
func thoughtful(t *testing.T, s *Sandbox) (*chat.Conversation, chat.Answer) {
	t.Helper()
	talk := tools("weather [[sandbox: redacted]]", weather)
	talk.Thinking = &chat.Thinking{Effort: "low"}
	a := whole(t, s, talk).Answers[0]
	if len(a.Parts) != 3 || a.Parts[0].Kind != chat.Thought || a.Parts[1].Kind != chat.Redacted || a.Parts[2].Kind != chat.ToolCall {
		t.Fatalf("%+v", a)
	}
	return talk, a
}

func TestTakesItsOwnThoughtsBack(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([]chat.Part) []chat.Part{
		"as they were":    func(p []chat.Part) []chat.Part { return p },
		"redacted only":   func(p []chat.Part) []chat.Part { return p[1:] },
		"thought only":    func(p []chat.Part) []chat.Part { return []chat.Part{p[0], p[2]} },
		"an empty text":   func(p []chat.Part) []chat.Part { return append([]chat.Part{{Kind: chat.Text}}, p...) },
		"carried by call": func(p []chat.Part) []chat.Part { p[2].Proof = p[0].Proof; return p[2:] },
		"with words":      func(p []chat.Part) []chat.Part { return []chat.Part{p[0], {Kind: chat.Text, Text: "I look."}, p[2]} },
	} {
		s := newSandbox()
		talk, a := thoughtful(t, s)
		a.Parts = change(a.Parts)
		whole(t, s, after(talk, a, result("rain"))) // fails the test if it is refused
		t.Log(name)
	}
	// The secret, not the process, is what counts.
	talk, a := thoughtful(t, newSandbox())
	whole(t, newSandbox(), after(talk, a, result("rain")))
	// What was hidden from the client comes back empty, or on the call.
	talk.Thinking.Show = new(false)
	a = whole(t, newSandbox(), talk).Answers[0]
	whole(t, newSandbox(), after(talk, a, result("rain")))
}

func TestRefusesLostOrForgedThoughts(t *testing.T) {
	t.Parallel()
	foreign := chat.Envelope{Dialect: "anthropic", Provider: "claude", Model: "claude-sonnet-4-5", Raw: "EqQB"}.Wrap()
	for name, change := range map[string]func(p []chat.Part) []chat.Part{
		"lost":             func(p []chat.Part) []chat.Part { return p[2:] },
		"behind words":     func(p []chat.Part) []chat.Part { return append([]chat.Part{{Kind: chat.Text, Text: "I look."}}, p...) },
		"a changed letter": func(p []chat.Part) []chat.Part { p[0].Text += "."; return p },
		"emptied":          func(p []chat.Part) []chat.Part { p[0].Text = ""; return p },
		"unsigned":         func(p []chat.Part) []chat.Part { p[0].Proof = ""; return p },
		"a changed proof":  func(p []chat.Part) []chat.Part { p[0].Proof = p[0].Proof[:len(p[0].Proof)-8] + "AAAAAAA="; return p },
		"another's":        func(p []chat.Part) []chat.Part { p[0].Proof = foreign; return p },
		"raw":              func(p []chat.Part) []chat.Part { p[0].Proof = "EqQBCkYIARgC"; return p },
		"redacted changed": func(p []chat.Part) []chat.Part { p[1].Text = p[1].Text[:len(p[1].Text)-4]; return p },
		"redacted another": func(p []chat.Part) []chat.Part { p[1].Text = foreign; return p },
		"swapped":          func(p []chat.Part) []chat.Part { p[1].Text = p[0].Proof; return p },
		"call of another":  func(p []chat.Part) []chat.Part { p[2].Proof = foreign; return p },
		"call only, wrong": func(p []chat.Part) []chat.Part { p[2].Proof = foreign; return p[2:] },
	} {
		s := newSandbox()
		talk, a := thoughtful(t, s)
		a.Parts = change(a.Parts)
		_, err := s.Do(t.Context(), requestIn("anthropic", after(talk, a, result("rain"))), relay.Target{})
		e := fault.From(err)
		if err == nil || e.Code != fault.InvalidParameter || e.Code.ChatStatus() != 400 ||
			!strings.HasPrefix(e.Message, "messages.1.content.") || !strings.Contains(e.Message, "Invalid signature in thinking block") {
			t.Errorf("%s: %v", name, err)
		}
	}
	talk, a := thoughtful(t, newSandbox())
	stranger := New(Options{Secret: []byte("another")})
	if _, err := stranger.Do(t.Context(), request(after(talk, a, result("rain")), false), relay.Target{}); err == nil {
		t.Error("a proof with another secret is taken")
	}
}

// TestHard1450 has thoughts lost by clients whose dialect an upstream does not speak: langchain-ai/langchainjs#11181.
func TestHard1450LostThoughtsInDialectsThatUpstreamsDoNotSee(t *testing.T) {
	t.Parallel()
	foreign := chat.Envelope{Dialect: "gemini", Provider: "google", Model: "gemini-3-pro", Raw: "EqQB"}.Wrap()
	for _, dialect := range []string{"openai", "gemini"} {
		for name, change := range map[string]func(p []chat.Part) []chat.Part{
			"lost":         func(p []chat.Part) []chat.Part { return p[2:] },
			"words only":   func(p []chat.Part) []chat.Part { p[0].Proof = ""; return []chat.Part{p[0], p[2]} },
			"a stand-in":   func(p []chat.Part) []chat.Part { p[2].Proof = "ErYCCrMCAdHtim9kOoOkrPiC"; return p[2:] },
			"another's":    func(p []chat.Part) []chat.Part { p[0].Proof, p[1].Text = foreign, foreign; return p },
			"behind words": func(p []chat.Part) []chat.Part { return append([]chat.Part{{Kind: chat.Text, Text: "I look."}}, p...) },
		} {
			s := newSandbox()
			talk, a := thoughtful(t, s)
			a.Parts = change(a.Parts)
			back := requestIn(dialect, after(talk, a, result("rain")))
			reply, err := s.Do(t.Context(), back, relay.Target{})
			if err != nil {
				t.Errorf("%s, %s: %v", dialect, name, err)
				continue
			}
			if parts := reply.Whole.Answers[0].Parts; parts[0].Kind == chat.Thought || !strings.Contains(textOf(parts), "rain") {
				t.Errorf("%s, %s: %+v", dialect, name, parts)
			}
			if len(reply.Dropped) != 1 || reply.Dropped[0].Field != chat.FieldThinking || reply.Dropped[0].Verb != chat.Dropped {
				t.Errorf("%s, %s: told %+v", dialect, name, reply.Dropped)
			}
			back.Strict = true
			if _, err := s.Do(t.Context(), back, relay.Target{}); err == nil {
				t.Errorf("%s, %s: not refused in strict mode", dialect, name)
			}
		}
		talk, a := thoughtful(t, newSandbox())
		a.Parts[0].Text += "."
		if _, err := newSandbox().Do(t.Context(), requestIn(dialect, after(talk, a, result("rain"))), relay.Target{}); err == nil {
			t.Errorf("%s: a changed thought is taken", dialect)
		}
	}
}

func TestOnlyTheCurrentLoopIsChecked(t *testing.T) {
	t.Parallel()
	s := newSandbox()
	talk, a := thoughtful(t, s)
	a.Parts[0].Text = "changed"
	done := with(after(talk, a, result("rain")),
		chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.Text, Text: "It rains."}}},
		chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.Text, Text: "Thanks"}}})
	whole(t, s, done)
	// Thinking off: a loop needs no thoughts.
	talk, a = thoughtful(t, s)
	a.Parts = a.Parts[2:]
	talk.Thinking = nil
	whole(t, s, after(talk, a, result("rain")))
	// Text beside the results does not end the loop.
	talk, a = thoughtful(t, s)
	a.Parts[0].Text = "changed"
	loop := after(talk, a, result("rain"))
	loop = with(loop, chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.Text, Text: "and now?"}}})
	if e := refused(t, loop); e.Details["message"] != 1 {
		t.Error(e)
	}
}

// Every turn of a long loop is checked while it goes on.
func TestALongLoop(t *testing.T) {
	t.Parallel()
	s := newSandbox()
	var list []chat.Tool
	for i := range 50 {
		list = append(list, chat.Tool{Name: "tool" + string(rune('a'+i%26)) + string(rune('a'+i/26))})
	}
	talk := tools("Hello", list...)
	talk.Choice.Mode = chat.Required
	talk.Thinking = &chat.Thinking{}
	for i := range 50 {
		a := whole(t, s, talk).Answers[0]
		if called(a) != list[i].Name {
			t.Fatalf("turn %d: %+v", i, a)
		}
		talk = after(talk, a, result("ok"))
	}
	if a := whole(t, s, talk).Answers[0]; called(a) != "" {
		t.Errorf("%+v", a)
	}
}
