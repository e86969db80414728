package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/relay"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func newSandbox() *Sandbox {
	return New(Options{
		Now:    func() time.Time { return noon },
		Sleep:  func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) },
		Secret: []byte("a secret of the test"),
	})
}

// user is a conversation of one message.
func user(text string, parts ...chat.Part) *chat.Conversation {
	if text != "" {
		parts = append([]chat.Part{{Kind: chat.Text, Text: text}}, parts...)
	}
	return &chat.Conversation{Messages: []chat.Message{{Role: chat.User, Parts: parts}}}
}

// with is the conversation after more messages.
func with(talk *chat.Conversation, messages ...chat.Message) *chat.Conversation {
	c := talk.Clone()
	for _, m := range messages {
		m.At = len(c.Messages)
		c.Messages = append(c.Messages, m)
	}
	return c
}

func request(talk *chat.Conversation, stream bool) *chat.Request {
	return chat.NewRequest("any/model", stream, chat.Origin{Dialect: "openai"}, func() (*chat.Conversation, error) { return talk, nil })
}

// requestIn is one of a client of this dialect.
func requestIn(dialect string, talk *chat.Conversation) *chat.Request {
	return chat.NewRequest("any/model", false, chat.Origin{Dialect: dialect}, func() (*chat.Conversation, error) { return talk, nil })
}

// whole asks for a whole answer, which must come.
func whole(t *testing.T, s *Sandbox, talk *chat.Conversation) *chat.WholeReply {
	t.Helper()
	reply, err := s.Do(t.Context(), request(talk, false), relay.Target{Model: "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	return reply.Whole
}

// said is the text of a whole answer.
func said(t *testing.T, talk *chat.Conversation) string {
	t.Helper()
	return textOf(whole(t, newSandbox(), talk).Answers[0].Parts)
}

// refused is the error of a request that must fail before it is answered.
func refused(t *testing.T, talk *chat.Conversation) *fault.Error {
	t.Helper()
	reply, err := newSandbox().Do(t.Context(), request(talk, false), relay.Target{})
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("%v, %v: want a fault", reply, err)
	}
	return e
}

func TestSaysWhoItIsAndNeverPassesThrough(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		reply, err := newSandbox().Do(t.Context(), request(user("Hello"), stream), relay.Target{Model: "sandbox"})
		if err != nil {
			t.Fatal(err)
		}
		if reply.Provider != "stele" || reply.Target != "sandbox" || reply.Served != "stele/sandbox" || reply.Dialect != "" || reply.Passed || reply.Raw != nil {
			t.Errorf("%+v", reply)
		}
		if (reply.Stream != nil) != stream || (reply.Whole != nil) == stream || (reply.Seen != nil) != stream {
			t.Errorf("stream %v: %+v", stream, reply)
		}
	}
	reply, err := newSandbox().Do(t.Context(), request(user("Hello"), false), relay.Target{Hidden: true})
	if err != nil || reply.Served != "" {
		t.Errorf("hidden, but %q", reply.Served)
	}
}

func TestTheSameConversationGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	for name, talk := range conversations() {
		a, b := whole(t, newSandbox(), talk), whole(t, newSandbox(), talk.Clone())
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s:\n%+v\n%+v", name, a, b)
		}
	}
}

func TestAnotherConversationGetsOtherIDs(t *testing.T) {
	t.Parallel()
	ids := make(map[string]string)
	for name, talk := range conversations() {
		if strings.HasSuffix(name, " cached") {
			continue // a hint, not another conversation
		}
		id := whole(t, newSandbox(), talk).ID
		if other, twice := ids[id]; twice {
			t.Errorf("%s and %s are both %s", name, other, id)
		}
		ids[id] = name
	}
}

func TestSaysWhatItWasAsked(t *testing.T) {
	t.Parallel()
	talk := user("What is the capital of France?")
	talk.System = []chat.Part{{Kind: chat.Text, Text: "Be brief and kind."}}
	want := "You said: “What is the capital of France?”. I have read the system prompt (4 words). This is the Stele sandbox: no model was asked."
	if got := said(t, talk); got != want {
		t.Errorf("%q", got)
	}
	const reminder = "<system-reminder>Do not call clock.\nBe an agent.</system-reminder>"
	for _, messages := range [][]string{{reminder + "\nSay hello"}, {"Say hello [[sandbox: think=0]]" + reminder}, {"Say hello", reminder}, {reminder, "Say hello"}} {
		talk := &chat.Conversation{Tools: []chat.Tool{{Name: "clock"}}}
		for _, text := range messages {
			talk.Messages = append(talk.Messages, chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.Text, Text: text}}})
		}
		if got := said(t, talk); !strings.HasPrefix(got, "You said: “Say hello”.") {
			t.Errorf("%q: %q", messages, got)
		}
	}
	for _, parts := range [][]string{{"This is where you work.", "Say hello"}, {"A", "Say hello [[sandbox: think=0]]", " "}, {"Say hello", "[[sandbox: think=0]]"}, {"Say hello", "<environment_details>\nNow\n</environment_details>"},
		{"Say hello", "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nActive exec sessions: none\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}} {
		talk := user("")
		for _, text := range parts {
			talk.Messages[0].Parts = append(talk.Messages[0].Parts, chat.Part{Kind: chat.Text, Text: text})
		}
		if got := said(t, talk); !strings.HasPrefix(got, "You said: “Say hello”.") {
			t.Errorf("%q: %q", parts, got)
		}
	}
	for _, text := range []string{"Привет, мир!", "\u4f60\u597d，\u4e16\u754c。\u4eca\u5929\u597d\u5417？", "नमस्ते दुनिया", "مرحبا بالعالم", "👩‍👩‍👧‍👦 e\u0301té 🇫🇷", "line one\nline two\ttabbed", "<b>&amp;</b>"} {
		if got := said(t, user(text)); !strings.Contains(got, text) {
			t.Errorf("%q is not in %q", text, got)
		}
	}
	long := strings.Repeat("word ", 10_000)
	if got := said(t, user(long)); len(got) > 1000 || !strings.Contains(got, "word word…”") {
		t.Errorf("a long text is echoed as %q", got)
	}
	if got := said(t, user(strings.Repeat("é", 100_000))); len(got) > 2000 {
		t.Errorf("an endless word is echoed as %d bytes", len(got))
	}
	if got := said(t, user("")); !strings.HasPrefix(got, "You sent no words.") {
		t.Errorf("no words are answered with %q", got)
	}
	if e := refused(t, &chat.Conversation{}); e.Code != fault.MissingParameter || e.Details["field"] != "messages" {
		t.Errorf("nothing is refused with %v", e)
	}
}

func TestAnswersTheLastTurnOnly(t *testing.T) {
	t.Parallel()
	talk := with(user("The first question [[sandbox: error=500]]"),
		chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.Text, Text: "An answer"}}},
		chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.Image, Media: &chat.Media{URL: "https://example.com/a.png"}}}},
	)
	got := said(t, talk)
	if strings.Contains(got, "first") || !strings.Contains(got, "You sent no words. You gave me 1 image (at https://example.com/a.png).") {
		t.Errorf("%q", got)
	}
	talk = with(user("Say a poem"), chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.Text, Text: "Roses are"}}})
	if got := said(t, talk); !strings.HasPrefix(got, "I go on after “Roses are”. You said: “Say a poem”.") {
		t.Errorf("%q", got)
	}
}

func TestSeedChangesTheWording(t *testing.T) {
	t.Parallel()
	seen := make(map[string]int64)
	for seed := int64(-10); seed < 10; seed++ {
		talk := user("Hello")
		talk.Sampling.Seed = &seed
		got := said(t, talk)
		if other, twice := seen[got]; twice {
			t.Errorf("seeds %d and %d: %q", seed, other, got)
		}
		seen[got] = seed
	}
}

func TestGivesAsManyAnswersAsAsked(t *testing.T) {
	t.Parallel()
	talk := user("Hello [[sandbox: think=4]]")
	one := whole(t, newSandbox(), talk)
	talk.N = 3
	r := whole(t, newSandbox(), talk)
	if len(r.Answers) != 3 {
		t.Fatalf("%d answers", len(r.Answers))
	}
	texts := make(map[string]bool)
	for _, a := range r.Answers {
		if a.Stop.Reason != chat.EndTurn || a.Parts[0].Kind != chat.Thought || a.Parts[0].Proof == "" {
			t.Errorf("%+v", a)
		}
		texts[textOf(a.Parts)] = true
	}
	if len(texts) != 3 || r.Usage.Output <= 2*one.Usage.Output || r.Usage.Reasoning != 12 || r.Usage.Input != one.Usage.Input {
		t.Errorf("%d different ones, usage %+v of one %+v", len(texts), r.Usage, one.Usage)
	}
	reply, err := newSandbox().Do(t.Context(), request(talk, true), relay.Target{})
	if err != nil {
		t.Fatal(err)
	}
	streamed, err := chat.Collect(reply.Stream)
	if err != nil || len(streamed.Answers) != 3 || streamed.Usage != r.Usage || reply.Seen.Usage != r.Usage {
		t.Fatalf("streamed: %v, %d answers, usage %+v", err, len(streamed.Answers), streamed.Usage)
	}
	for i := range r.Answers {
		if got, want := textOf(streamed.Answers[i].Parts), textOf(r.Answers[i].Parts); got != want {
			t.Errorf("streamed: answer %d is %q, whole %q", i, got, want)
		}
	}
	talk.N = 1000
	if e := refused(t, talk); e.Details["field"] != "n" {
		t.Errorf("1000: %v", e)
	}
}

func TestRefusesAPromptThatIsLongerThanTheWindowThatWasOrdered(t *testing.T) {
	t.Parallel()
	long := user("one two three four five six seven eight nine ten [[sandbox: window=10]]")
	if e := refused(t, long); e.Code != fault.InvalidParameter || e.Details["reason"] != "context_length_exceeded" || e.Details["window"] != int64(10) {
		t.Errorf("too long: %v, %v", e, e.Details)
	}
	whole(t, newSandbox(), user("one two three [[sandbox: window=10]]"))
}

func TestTellsLogprobs(t *testing.T) {
	t.Parallel()
	talk := user("Hello")
	talk.Logprobs = new(2)
	answer := whole(t, newSandbox(), talk).Answers[0]
	var got struct {
		Content []struct {
			Token   string  `json:"token"`
			Logprob float64 `json:"logprob"`
			Bytes   []byte  `json:"-"`
			Top     []struct {
				Token   string  `json:"token"`
				Logprob float64 `json:"logprob"`
			} `json:"top_logprobs"`
		} `json:"content"`
	}
	if err := json.Unmarshal(answer.Logprobs, &got); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, c := range got.Content {
		text += c.Token
		if c.Logprob >= 0 || len(c.Top) != 2 || c.Top[0].Token != c.Token || c.Top[0].Logprob != c.Logprob || c.Top[1].Logprob >= c.Logprob {
			t.Errorf("%+v", c)
		}
	}
	if text != textOf(answer.Parts) {
		t.Errorf("%q", text)
	}
	reply, err := newSandbox().Do(t.Context(), request(talk, true), relay.Target{})
	if err != nil || len(reply.Dropped) != 1 || reply.Dropped[0].Field != chat.FieldLogprobs {
		t.Errorf("streamed: %v, %+v", err, reply.Dropped)
	}
}

func TestReportsWhatItCannotDo(t *testing.T) {
	t.Parallel()
	note := chat.Lost(chat.FieldTopK, chat.Approximated, "by the decoder")
	talk := user("Hello")
	talk.Notes = []chat.Loss{note}
	talk.Tools = []chat.Tool{{Kind: chat.Server, Name: "web_search", At: 4}}
	talk.Extra = []chat.Extra{{Name: "openai.logit_bias"}, {Name: "openai.store", Effect: chat.Harmless}}
	talk.Output = []string{"text", "audio"}
	talk.Audio = json.RawMessage(`{"voice":"a"}`)
	reply, err := newSandbox().Do(t.Context(), request(talk, false), relay.Target{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range reply.Dropped {
		got = append(got, l.Field+" "+string(l.Verb))
	}
	want := "top_k approximated, tool dropped, openai.logit_bias dropped, openai.store ignored, modalities dropped, audio dropped"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s", strings.Join(got, ", "))
	}
	req := request(talk, false)
	req.Strict = true
	_, err = newSandbox().Do(t.Context(), req, relay.Target{})
	strict, ok := errors.AsType[*chat.StrictError](err)
	if !ok || len(strict.Losses()) != 5 {
		t.Errorf("strict: %v", err)
	}
	talk.Extra = []chat.Extra{{Name: "gemini.cachedContent", Effect: chat.Vital}}
	if e := refused(t, talk); e.Code != fault.InvalidParameter || e.Details["field"] != "cachedContent" {
		t.Errorf("vital: %v", e)
	}
	talk.Extra, talk.Output = nil, []string{"audio"}
	if e := refused(t, talk); e.Details["field"] != chat.FieldOutput {
		t.Errorf("audio only: %v", e)
	}
}

func TestAnUnreadableConversationIsItsDecodersError(t *testing.T) {
	t.Parallel()
	unreadable := errors.New("unreadable")
	req := chat.NewRequest("m", false, chat.Origin{}, func() (*chat.Conversation, error) { return nil, unreadable })
	if _, err := newSandbox().Do(t.Context(), req, relay.Target{}); !errors.Is(err, unreadable) {
		t.Error(err)
	}
}
