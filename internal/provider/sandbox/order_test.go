package sandbox

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"stele/internal/chat"
	"stele/internal/fault"
)

func TestReadsOrders(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		rest string
		want func(*orders)
	}{
		"nothing here":                {"nothing here", func(*orders) {}},
		"[[sandbox]] is no order":     {"[[sandbox]] is no order", func(*orders) {}},
		"a [[sandbox: delay=2s]] b":   {"a b", func(o *orders) { o.delay = 2 * time.Second }},
		"a\n[[sandbox: delay=2s]]\nb": {"a\nb", func(o *orders) { o.delay = 2 * time.Second }},
		"[[sandbox:delay=1.5]]a":      {"a", func(o *orders) { o.delay = 1500 * time.Millisecond }},
		"[[ SandBox : GAP=200ms ]]":   {"", func(o *orders) { o.gap = 200 * time.Millisecond }},
		"[[sandbox: error=429 retry_after=3]]": {"", func(o *orders) {
			o.status, o.retryAfter = 429, 3*time.Second
		}},
		"[[sandbox: error=529,error_after=5,]]": {"", func(o *orders) { o.status, o.failAfter = 529, 5 }},
		"[[sandbox: cut=0, silence;malformed]]": {"", func(o *orders) { o.cut, o.silence, o.malformed = 0, true, true }},
		"[[sandbox: silence_after=7 silence=false refuse=true filter]]": {"", func(o *orders) {
			o.silenceAfter, o.refuse, o.filter = 7, true, true
		}},
		"x [[sandbox: words=3]] y [[sandbox: words=5 think=9]] z":                   {"x y z", func(o *orders) { o.words, o.think = 5, 9 }},
		"[[sandbox: finish=length redacted]]":                                       {"", func(o *orders) { o.finish, o.redacted = chat.MaxTokens, true }},
		"[[sandbox: tool=get_weather]]":                                             {"", func(o *orders) { o.tools = []string{"get_weather"} }},
		"[[sandbox: tools=a,b]]":                                                    {"", func(o *orders) { o.tools = []string{"a", "b"} }},
		"[[sandbox: tools=a,b,delay=2s]]":                                           {"", func(o *orders) { o.tools, o.delay = []string{"a", "b"}, 2*time.Second }},
		"[[sandbox: tools=a, b.c:d, refuse]]":                                       {"", func(o *orders) { o.tools, o.refuse = []string{"a", "b.c:d"}, true }},
		"[[sandbox: tools=a,refuse]]":                                               {"", func(o *orders) { o.tools = []string{"a", "refuse"} }},
		`[[sandbox: tools="a, b" cut=1]]`:                                           {"", func(o *orders) { o.tools, o.cut = []string{"a", "b"}, 1 }},
		"[[sandbox: text=\"say \\\"]]\\\", \\\\ and\\n\u4f60\u597d [x]\" cut=1]] q": {"q", func(o *orders) { o.text, o.cut = new("say \"]]\", \\ and\n\u4f60\u597d [x]"), 1 }},
		`[[sandbox: text=“curly ones”]]`:                                            {"", func(o *orders) { o.text = new("curly ones") }},
		`[[sandbox: text=bare]]`:                                                    {"", func(o *orders) { o.text = new("bare") }},
		`[[sandbox: text=""]]`:                                                      {"", func(o *orders) { o.text = new("") }},
		"[[sandbox: usage=100:20]]":                                                 {"", func(o *orders) { o.counted, o.usageInput, o.usageWord = true, 100, 20 }},
		"[[sandbox:]]nothing":                                                       {"nothing", func(*orders) {}},
	} {
		got, want := noOrders(), noOrders()
		rest, err := got.read(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if c.want(&want); !reflect.DeepEqual(got, want) || rest != c.rest {
			t.Errorf("%s: %q\n%+v\n%+v", text, rest, got, want)
		}
	}
}

func TestRefusesWrongOrders(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[[sandbox: dance]]":           "it knows delay, gap, error, retry_after, error_after, cut,",
		"[[sandbox: delay]]":           "write it as delay=2s",
		"[[sandbox: delay=soon]]":      "write it as delay=2s",
		"[[sandbox: delay=-1s]]":       "delay",
		"[[sandbox: delay=NaN]]":       "delay",
		"[[sandbox: delay=+Inf]]":      "delay",
		"[[sandbox: delay=11m]]":       "delay",
		"[[sandbox: error=418]]":       "error=429",
		"[[sandbox: error=]]":          "error=429",
		"[[sandbox: cut=-1]]":          "cut",
		"[[sandbox: words=0]]":         "words",
		"[[sandbox: words=1e9]]":       "words",
		"[[sandbox: words=99999999]]":  "words",
		"[[sandbox: silence=perhaps]]": "silence",
		"[[sandbox: finish=well]]":     "length|stop|tool|refusal",
		"[[sandbox: usage=5]]":         "usage=in:out",
		"[[sandbox: usage=-5:1]]":      "usage=in:out",
		"[[sandbox: tool=]]":           "tool=name",
		"[[sandbox: delay=2s":          "not closed",
		`[[sandbox: text="open]]`:      "quote",
		"[[sandbox: =5]]":              "does not know",
	} {
		e := refused(t, user(text))
		if e.Code != fault.InvalidParameter || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %v, want %q", text, e, want)
		}
	}
	if e := refused(t, user(strings.Repeat("x [[sandbox:]]", 101))); !strings.Contains(e.Message, "more than 100") {
		t.Error(e)
	}
	e := refused(t, user("[[sandbox: "+strings.Repeat("x", 100_000)+"]]"))
	if len(e.Message) > 500 {
		t.Errorf("%d bytes of message", len(e.Message))
	}
}

func TestOrdersOfTheSystemPromptCountToo(t *testing.T) {
	t.Parallel()
	talk := user("Hello [[sandbox: text=B]]")
	talk.System = []chat.Part{{Kind: chat.Text, Text: "[[sandbox: text=A finish=length]]"}}
	r := whole(t, newSandbox(), talk)
	if got := textOf(r.Answers[0].Parts); got != "B" || r.Answers[0].Stop.Reason != chat.MaxTokens {
		t.Errorf("%q, %+v", got, r.Answers[0].Stop)
	}
	talk = user("Hello [[sandbox: words=8]] you")
	if got := said(t, talk); !strings.HasPrefix(got, "You said: “Hello you”.") {
		t.Errorf("the order is echoed: %q", got)
	}
}

func FuzzOrders(f *testing.F) {
	for _, b := range book {
		f.Add("a [[sandbox: " + b.name + "=" + b.form + "]] b")
	}
	f.Add(`[[sandbox: tools=a, b,c=d text="x\"]]" cut=3`)
	f.Add("[[sandbox:[[sandbox:]]]]")
	f.Fuzz(func(t *testing.T, text string) {
		o := noOrders()
		rest, err := o.read(text)
		if err != nil {
			if fault.From(err).Code != fault.InvalidParameter {
				t.Fatal(err)
			}
			return
		}
		if len(rest) > len(text) {
			t.Fatalf("%q became %q", text, rest)
		}
		if opening.FindStringIndex(text) == nil && rest != strings.TrimSpace(text) {
			t.Fatalf("%q became %q without an order", text, rest)
		}
	})
}

// A reader of the manual finds every order in it.
func TestEveryOrderIsInTheManual(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range book {
		form := "`" + b.name
		if b.form != "" {
			form += "="
		}
		if !strings.Contains(string(manual), form) {
			t.Errorf("docs/sandbox.md does not explain %s", b.name)
		}
	}
}
