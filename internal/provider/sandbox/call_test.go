package sandbox

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/relay"
)

var (
	weather = chat.Tool{Name: "get_weather", Schema: json.RawMessage(schemas["weather"])}
	clock   = chat.Tool{Name: "clock"}
	shell   = chat.Tool{Kind: chat.Custom, Name: "shell"}
)

// called is the names of the tools in an answer.
func called(a chat.Answer) string {
	var names []string
	for _, p := range a.Parts {
		if p.Kind == chat.ToolCall {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " ")
}

func TestCallsTools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		choice chat.Choice
		want   string
	}{
		"not spoken of":             {"Hello", chat.Choice{}, ""},
		"named":                     {"Use get_weather now.", chat.Choice{}, "get_weather"},
		"named in other words":      {"What's the weather in Paris?", chat.Choice{Mode: chat.Auto}, "get_weather"},
		"in another case":           {"GET_WEATHER!", chat.Choice{}, "get_weather"},
		"part of a word":            {"The clockwork is weathered.", chat.Choice{}, ""},
		"offered to another agent":  {"It is done: I read it. Name one of the tools and I call it: get_weather, clock or shell. This is the Stele sandbox: no model was asked.", chat.Choice{}, ""},
		"nothing but a reminder":    {"<system-reminder>The shell has ended.</system-reminder>", chat.Choice{}, ""},
		"offered, and then named":   {"Name one of the tools and I call it: get_weather or clock. This is the Stele sandbox: no model was asked. Use the shell.", chat.Choice{}, "shell"},
		"several":                   {"Ask the shell for the weather", chat.Choice{}, "get_weather shell"},
		"several, one at a time":    {"Ask the shell for the weather", chat.Choice{Serial: true}, "get_weather"},
		"ordered":                   {"[[sandbox: tool=clock]]", chat.Choice{}, "clock"},
		"several ordered":           {"[[sandbox: tools=shell,clock]]", chat.Choice{}, "shell clock"},
		"ordered before spoken of":  {"weather [[sandbox: tool=clock]]", chat.Choice{}, "clock"},
		"none":                      {"weather [[sandbox: tool=clock]]", chat.Choice{Mode: chat.None}, ""},
		"required":                  {"Hello", chat.Choice{Mode: chat.Required}, "get_weather"},
		"required and spoken of":    {"clock", chat.Choice{Mode: chat.Required}, "clock"},
		"validated":                 {"Hello", chat.Choice{Mode: chat.Validated}, "get_weather"},
		"validated, limited":        {"Hello", chat.Choice{Mode: chat.Validated, Names: []string{"shell"}}, "shell"},
		"the named one":             {"weather", chat.Choice{Mode: chat.Named, Name: "clock"}, "clock"},
		"allowed":                   {"weather clock", chat.Choice{Mode: chat.Allowed, Names: []string{"clock"}}, "clock"},
		"allowed, not spoken of":    {"weather", chat.Choice{Mode: chat.Allowed, Names: []string{"clock"}}, ""},
		"allowed and forced":        {"weather", chat.Choice{Mode: chat.Allowed, Names: []string{"clock"}, Forced: true}, "clock"},
		"the order of a tool's end": {"[[sandbox: refuse tool=clock]]", chat.Choice{}, ""},
	} {
		talk := tools(c.text, weather, clock, shell)
		talk.Choice = c.choice
		a := whole(t, newSandbox(), talk).Answers[0]
		if got := called(a); got != c.want || (a.Stop.Reason == chat.ToolUse) != (c.want != "") {
			t.Errorf("%s: %q, want %q, %+v", name, got, c.want, a.Stop)
		}
	}
}

func TestRefusesToolsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*chat.Conversation){
		"named":    func(c *chat.Conversation) { c.Choice = chat.Choice{Mode: chat.Named, Name: "radio"} },
		"required": func(c *chat.Conversation) { c.Choice.Mode, c.Tools = chat.Required, nil },
		"ordered":  func(c *chat.Conversation) { c.Messages[0].Parts[0].Text = "[[sandbox: tool=radio]]" },
		"server's": func(c *chat.Conversation) {
			c.Choice = chat.Choice{Mode: chat.Named, Name: "web_search"}
			c.Tools = []chat.Tool{{Kind: chat.Server, Name: "web_search"}}
		},
	} {
		talk := tools("Hello", weather)
		change(talk)
		if e := refused(t, talk); e.Code != fault.InvalidParameter {
			t.Errorf("%s: %v", name, e)
		}
	}
}

func TestArgumentsFitTheTool(t *testing.T) {
	t.Parallel()
	a := whole(t, newSandbox(), tools("Ask the weather, clock and shell: ls -la \u4f60\u597d", weather, clock, shell)).Answers[0]
	if len(a.Parts) != 3 {
		t.Fatalf("%+v", a)
	}
	ids := make(map[string]bool)
	for _, p := range a.Parts {
		if !regexp.MustCompile(`^call_[a-zA-Z0-9]{24}$`).MatchString(p.ID) || ids[p.ID] {
			t.Errorf("id %q", p.ID)
		}
		ids[p.ID] = true
	}
	if err := validates(schemas["weather"], a.Parts[0].Text); err != nil || a.Parts[0].Text != `{"city":"city","unit":"c"}` {
		t.Errorf("%s: %v", a.Parts[0].Text, err)
	}
	if a.Parts[1].Text != "{}" {
		t.Errorf("a tool without a schema is called with %q", a.Parts[1].Text)
	}
	if p := a.Parts[2]; !p.Custom || p.Text != "Ask the weather, clock and shell: ls -la \u4f60\u597d" {
		t.Errorf("%+v", p)
	}
	for name, schema := range schemas {
		if !strings.Contains(schema, `"object"`) {
			continue
		}
		talk := tools("", chat.Tool{Name: "f", Schema: json.RawMessage(schema)})
		talk.Choice.Mode = chat.Required
		if err := validates(schema, whole(t, newSandbox(), talk).Answers[0].Parts[0].Text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArgumentsStreamInPieces(t *testing.T) {
	t.Parallel()
	reply, err := newSandbox().Do(t.Context(), request(tools("weather", weather), true), relay.Target{})
	if err != nil {
		t.Fatal(err)
	}
	pieces := 0
	for chunk, err := range reply.Stream {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range chunk.Events {
			if e.Kind == chat.Delta {
				pieces++
			}
		}
	}
	if pieces < 3 {
		t.Errorf("%d pieces", pieces)
	}
}

// step is a conversation after an answer and the results of its calls.
func after(talk *chat.Conversation, a chat.Answer, results ...chat.Part) *chat.Conversation {
	at := 0
	for _, p := range a.Parts {
		if p.Kind == chat.ToolCall {
			results[at].Kind, results[at].ID = chat.ToolResult, p.ID
			at++
		}
	}
	return with(talk, chat.Message{Role: chat.Assistant, Parts: a.Parts}, chat.Message{Role: chat.User, Parts: results})
}

func result(text string) chat.Part {
	return chat.Part{Content: []chat.Part{{Kind: chat.Text, Text: text}}}
}

func TestAnswersAfterResults(t *testing.T) {
	t.Parallel()
	s := newSandbox()
	talk := tools("Ask the weather and the clock", weather, clock)
	failed := result("It is broken")
	failed.Failed = true
	failed.Content = append(failed.Content, chat.Part{Kind: chat.Image, Media: &chat.Media{URL: "https://example.com/dial.png"}})
	a := whole(t, s, after(talk, whole(t, s, talk).Answers[0], result(`{"sky":"rain"}`), failed)).Answers[0]
	want := "The tool get_weather said “{\"sky\":\"rain\"}”. The tool clock failed and said “It is broken” and gave 1 image (at https://example.com/dial.png). " +
		"You said: “Ask the weather and the clock”."
	if got := textOf(a.Parts); !strings.HasPrefix(got, want) || a.Stop.Reason != chat.EndTurn {
		t.Errorf("%q %+v", got, a.Stop)
	}
}

// A client that insists on calls sees each tool once, and then an answer: loops end.
func TestLoopsEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		choice chat.Choice
		want   []string
	}{
		"required":      {"Hello", chat.Choice{Mode: chat.Required}, []string{"get_weather", "clock", "shell", ""}},
		"named":         {"Hello", chat.Choice{Mode: chat.Named, Name: "clock"}, []string{"clock", ""}},
		"one at a time": {"weather and shell", chat.Choice{Serial: true}, []string{"get_weather", "shell", ""}},
		"ordered":       {"[[sandbox: tools=shell,clock]]", chat.Choice{}, []string{"shell clock", ""}},
	} {
		s := newSandbox()
		talk := tools(c.text, weather, clock, shell)
		talk.Choice = c.choice
		talk.Thinking = &chat.Thinking{Effort: "low"}
		ids := make(map[string]bool)
		for i, want := range c.want {
			a := whole(t, s, talk).Answers[0]
			if got := called(a); got != want {
				t.Fatalf("%s, step %d: %q, want %q", name, i, got, want)
			}
			for _, p := range a.Parts {
				if p.Kind == chat.ToolCall && ids[p.ID] {
					t.Errorf("%s, step %d: the id %s again", name, i, p.ID)
				}
				ids[p.ID] = true
			}
			talk = after(talk, a, result("1"), result("2"))
		}
	}
}

func TestCallsWithOrderedArguments(t *testing.T) {
	t.Parallel()
	talk := tools(`[[sandbox: tool=clock times=3 arguments="{\"zone\": \"CET\"}"]]`, weather, clock)
	for n := range 4 {
		a := whole(t, newSandbox(), talk).Answers[0]
		if n == 3 {
			if got := called(a); got != "" {
				t.Errorf("%q is called a fourth time", got)
			}
			return
		}
		if last := a.Parts[len(a.Parts)-1]; called(a) != "clock" || last.Text != `{"zone": "CET"}` {
			t.Errorf("call %d: %q with %s", n, called(a), last.Text)
		}
		talk = after(talk, a, result("noon"))
	}
}

func TestMalformsOnOrder(t *testing.T) {
	t.Parallel()
	a := whole(t, newSandbox(), tools("weather clock [[sandbox: malformed]]", weather, clock)).Answers[0]
	for _, p := range a.Parts {
		if json.Valid([]byte(p.Text)) || p.Text == "" {
			t.Errorf("%q", p.Text)
		}
	}
	talk := user("[[sandbox: malformed]]")
	for _, f := range []*chat.Format{{Kind: chat.JSONObject}, {Kind: chat.JSONSchema, Schema: json.RawMessage(schemas["weather"])}} {
		talk.Format = f
		if got := said(t, talk); json.Valid([]byte(got)) || got[0] != '{' {
			t.Errorf("%q", got)
		}
	}
}

func TestStructuredOutput(t *testing.T) {
	t.Parallel()
	talk := user("Hello <there> & “you”")
	talk.Format = &chat.Format{Kind: chat.JSONObject}
	var object map[string]any
	if err := json.Unmarshal([]byte(said(t, talk)), &object); err != nil || !strings.Contains(object["answer"].(string), "Hello <there> & “you”") {
		t.Errorf("%v: %v", object, err)
	}
	for name, schema := range schemas {
		talk.Format = &chat.Format{Kind: chat.JSONSchema, Schema: json.RawMessage(schema)}
		if got := said(t, talk); validates(schema, got) != nil {
			t.Errorf("%s: %s: %v", name, got, validates(schema, got))
		}
	}
	talk.Format = &chat.Format{Kind: chat.JSONSchema}
	if got := said(t, talk); json.Unmarshal([]byte(got), &object) != nil {
		t.Errorf("without a schema: %s", got)
	}
	enum := []string{"red", "green", "blue sky"}
	talk.Format = &chat.Format{Kind: chat.EnumText, Schema: json.RawMessage(`{"type":"string","enum":["red","green","blue sky"]}`)}
	seen := make(map[string]bool)
	for seed := range int64(3) {
		talk.Sampling.Seed = &seed
		got := said(t, talk)
		if seen[got] = true; !slices.Contains(enum, got) {
			t.Errorf("%q", got)
		}
	}
	if len(seen) != 3 {
		t.Errorf("seeds choose %v", seen)
	}
	for schema, want := range map[string]string{`{"type":"string"}`: "text", `{"type":"integer"}`: "sandbox", ``: "sandbox"} {
		talk.Format.Schema = json.RawMessage(schema)
		if got := said(t, talk); got != want {
			t.Errorf("%s: %q", schema, got)
		}
	}
}

// Clients that ask for any JSON tell its shape in words, before what they ask or behind it.
func TestAnySchemaThatIsToldInWords(t *testing.T) {
	t.Parallel()
	const ref = `{"$ref":"#/definitions/X","definitions":{"X":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}}`
	for name, schema := range map[string]string{"weather": schemas["weather"], "by reference": ref} {
		for _, words := range []string{"JSON schema:\n%\nYou MUST answer with a JSON object.", "Use {name}, an {\"a\": 1} and { so on. %", "%"} {
			told := strings.ReplaceAll(words, "%", schema)
			system := user("Hello")
			system.System = []chat.Part{{Kind: chat.Text, Text: told}}
			for _, talk := range []*chat.Conversation{user(told), system} {
				talk.Format = &chat.Format{Kind: chat.JSONObject}
				if got := said(t, talk); validates(schema, got) != nil {
					t.Errorf("%s: %s: %v", name, got, validates(schema, got))
				}
			}
		}
	}
	if got := toldSchema(strings.Repeat("{", 100_000), `{"type":"string"}`, `{"properties":5}`); got != nil {
		t.Errorf("found %s", got)
	}
}

// After a hand-off the tool that was ordered is offered no longer: the order was obeyed.
func TestAToolThatWasCalledNeedNotBeOfferedAgain(t *testing.T) {
	t.Parallel()
	talk := tools("[[sandbox: tool=transfer]]", weather)
	talk.Messages = append(talk.Messages,
		chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.ToolCall, ID: "c", Name: "transfer", Text: "{}"}}},
		chat.Message{Role: chat.User, Parts: []chat.Part{{Kind: chat.ToolResult, ID: "c", Name: "transfer", Content: []chat.Part{{Kind: chat.Text, Text: "done"}}}}})
	reply, err := New(Options{}).Do(t.Context(), (&chat.Request{Model: Model}).With(talk), relay.Target{Model: Model})
	if err != nil {
		t.Fatal(err)
	}
	if got := called(reply.Whole.Answers[0]); got != "" {
		t.Errorf("calls %s", got)
	}
}
