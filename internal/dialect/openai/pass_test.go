package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

func pass(t *testing.T, body string, target dialect.Upstream) (string, dialect.Outgoing) {
	t.Helper()
	req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	before := string(req.Origin.Body)
	call, err := Codec{}.PassRequest(req, target)
	if err != nil {
		t.Fatal(err)
	}
	if string(req.Origin.Body) != before {
		t.Fatal("the client's bytes were changed")
	}
	if err := dialect.CheckBody(call.Body); err != nil {
		t.Fatalf("%v\n%s", err, call.Body)
	}
	return string(call.Body), call
}

func TestPassesTheClientsBytes(t *testing.T) {
	t.Parallel()
	gpt := dialect.Upstream{Model: `gpt-5.1"x`}
	const wish = `"stream_options":{"include_usage":true}`
	for name, row := range map[string]struct {
		in, out string
		target  dialect.Upstream
	}{
		"only the name":         {`{ "z": 1.0,  "model" : "public", "messages":[ {"role":"user","content":"<é\u00e9>"} ], "top_k":1}` + "\n", `{ "z": 1.0,  "model" : "gpt-5.1\"x", "messages":[ {"role":"user","content":"<é\u00e9>"} ], "top_k":1}` + "\n", gpt},
		"a nested model stays":  {`{"metadata":{"model":"a"},"model":"b"}`, `{"metadata":{"model":"a"},"model":"gpt-5.1\"x"}`, gpt},
		"usage is asked for":    {`{"stream":true,"model":"b" }`, `{"stream":true,"model":"gpt-5.1\"x" ,` + wish + `}`, gpt},
		"usage is added":        {`{"stream":true,"stream_options":{"include_obfuscation":false},"model":"b"}`, `{"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false},"model":"gpt-5.1\"x"}`, gpt},
		"usage false":           {`{"stream":true,"stream_options":{"include_usage":false},"model":"b"}`, `{"stream":true,` + wish + `,"model":"gpt-5.1\"x"}`, gpt},
		"usage null":            {`{"stream":true,"stream_options":null,"model":"b"}`, `{"stream":true,` + wish + `,"model":"gpt-5.1\"x"}`, gpt},
		"usage empty":           {`{"stream":true,"stream_options":{},"model":"b"}`, `{"stream":true,` + wish + `,"model":"gpt-5.1\"x"}`, gpt},
		"usage asked already":   {`{"stream":true,"stream_options":{ "include_usage":true},"model":"b"}`, `{"stream":true,"stream_options":{ "include_usage":true},"model":"gpt-5.1\"x"}`, gpt},
		"another's usage":       {`{"model":"b","usage":{"include":true},"stream":true}`, `{"model":"gpt-5.1\"x","usage":{"include":true},"stream":true,` + wish + `}`, gpt},
		"another's usage, both": {`{"stream":true,"stream_options":{"include_usage":false},"model":"b","usage":{"include":true}}`, `{"stream":true,` + wish + `,"model":"gpt-5.1\"x","usage":{"include":true}}`, gpt},
		"an answer in its part": {`{"model":"b","messages":[{"role":"assistant","content":[{"type":"text","text":"a","role":"assistant","refusal":null,"annotations":[],"tool_calls":[{"id":"1"}],"reasoning_content":"r"}],"tool_calls":[{"id":"1"}]},{"role":"user","content":[{"type":"text","text":"b","annotations":[1]}]},{"role":"assistant","content":[{"role":"assistant","type":"refusal","refusal":"no"}]}]}`,
			`{"model":"gpt-5.1\"x","messages":[{"role":"assistant","content":[{"type":"text","text":"a"}],"tool_calls":[{"id":"1"}]},{"role":"user","content":[{"type":"text","text":"b","annotations":[1]}]},{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}]}`, gpt},
		"an answer that passes": {`{"model":"b","messages":[{"role":"assistant","content":"a","refusal":null,"annotations":[]},{"role":"assistant","content":[{"type":"text","text":"a"}],"annotations":[]}]}`, `{"model":"gpt-5.1\"x","messages":[{"role":"assistant","content":"a","refusal":null,"annotations":[]},{"role":"assistant","content":[{"type":"text","text":"a"}],"annotations":[]}]}`, gpt},
		"a switch":              {`{"model":"b","reasoning":true,"x":1}`, `{"model":"gpt-5.1","x":1,"reasoning_effort":"medium"}`, dialect.Upstream{Model: "gpt-5.1"}},
		"a switch off":          {`{"model":"b","thinking":false}`, `{"model":"gpt-5.1","reasoning_effort":"none"}`, dialect.Upstream{Model: "gpt-5.1"}},
		"a switch off for o3":   {`{"model":"b","reasoning_effort":false}`, `{"model":"o3","reasoning_effort":"low"}`, dialect.Upstream{Model: "o3"}},
		"a switch for nobody":   {`{"model":"b","thinking":true}`, `{"model":"gpt-4o"}`, dialect.Upstream{Model: "gpt-4o"}},
		"an object":             {`{"model":"b","reasoning":{"effort":"high"}}`, `{"model":"gpt-5.1","reasoning_effort":"high"}`, dialect.Upstream{Model: "gpt-5.1"}},
		"an object elsewhere":   {`{"model":"b","reasoning":{"effort":"high"},"enable_thinking":true}`, `{"model":"x","reasoning":{"effort":"high"},"enable_thinking":true}`, dialect.Upstream{Model: "x", Compatible: true}},
		"a switch elsewhere":    {`{"model":"b","reasoning":false}`, `{"model":"x","reasoning_effort":"none"}`, dialect.Upstream{Model: "x", Compatible: true}},
		"an effort stays":       {`{"model":"b","reasoning_effort":"HIGH"}`, `{"model":"gpt-5.1","reasoning_effort":"HIGH"}`, dialect.Upstream{Model: "gpt-5.1"}},
		"extra_body":            {`{"model":"b","extra_body":{"a.b":1.0,"model":"c","top_k":2},"options":{"top_k":3,"y":[1]},"z":0}`, `{"model":"x","z":0,"a.b":1.0,"top_k":2,"y":[1]}`, dialect.Upstream{Model: "x", Compatible: true}},
		"no message":            {`{"model":"b","messages":[[{"reasoning_content":"t"}]]}`, `{"model":"x","messages":[[{"reasoning_content":"t"}]]}`, dialect.Upstream{Model: "x"}},
		"a model in extra_body": {`{"extra_body":{"model":"c","stream":true}}`, `{"model":"x","stream":true,` + wish + `}`, dialect.Upstream{Model: "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, call := pass(t, row.in, row.target); got != row.out || call.Path != "/chat/completions" {
				t.Errorf("%s\nwant\n%s", got, row.out)
			}
		})
	}
}

// OpenRouter's clients ask for usage in words of its own. They get it as those who ask in OpenAI's.
func TestUsageIsAskedForInTwoWays(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]bool{
		`"usage":{"include":true}`: true, `"extra_body":{"usage":{"include":true}}`: true, `"stream_options":{"include_usage":false},"usage":{"include":true}`: true,
		`"usage":{"include":false}`: false, `"usage":null`: false, `"usage":{"include":false},"stream_options":{"include_usage":true}`: true,
	} {
		req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}],` + asked + `}`)})
		if err != nil {
			t.Fatal(err)
		}
		talk, err := req.Conversation()
		if err != nil || len(talk.Notes) > 0 || len(talk.Extra) > 0 || req.Origin.Usage != want {
			t.Errorf("%s: %v, %v, %v, usage is sent: %v", asked, err, talk.Notes, talk.Extra, req.Origin.Usage)
		}
	}
}

func TestPassOpensEnvelopes(t *testing.T) {
	t.Parallel()
	seal := func(provider, raw string) string {
		return chat.Envelope{Dialect: name, Provider: provider, Model: "m", Raw: raw}.Wrap()
	}
	target := dialect.Upstream{Model: "x", Proof: func(text string) (string, bool) {
		e, ok := chat.Unwrap(text)
		return e.Raw, ok && e.Provider == "here"
	}}
	message := func(provider string) string {
		return `{"role":"assistant","content":"c","reasoning_content":"t","reasoning_details":[{"type":"reasoning.text","text":"t","signature":"` + seal(provider, "S") +
			`"},{"type":"reasoning.encrypted","data":"` + seal(provider, "R") + `"}],"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},` +
			`"extra_content":{"google":{"thought_signature":"` + seal(provider, "G") + `"}}}]}`
	}
	plain := `{"role":"user", "content":"q"}`
	got, _ := pass(t, saying(plain+","+message("here")+","+message("there")), target)
	if strings.Contains(got, chat.EnvelopePrefix) || !strings.Contains(got, plain) {
		t.Error(got)
	}
	m := gjson.Get(got, "messages")
	if m.Get("1.reasoning_details.0.signature").Str != "S" || m.Get("1.reasoning_details.1.data").Str != "R" ||
		m.Get("1.tool_calls.0.extra_content.google.thought_signature").Str != "G" || m.Get("1.reasoning_content").Str != "t" {
		t.Error(m.Get("1").Raw)
	}
	if m.Get("2.reasoning_details").Exists() || m.Get("2.tool_calls.0.extra_content").Exists() || m.Get("2.reasoning_content").Exists() ||
		m.Get("2.tool_calls.0.id").Str != "a" {
		t.Error(m.Get("2").Raw)
	}
}

// TestPassTakesBackWhatWeInvented sends the author of the API, who refuses what he
// does not know, the history of a conversation that others took part in.
func TestPassTakesBackWhatWeInvented(t *testing.T) {
	t.Parallel()
	const said = `{"role":"assistant", "content":"c"%s}`
	invented := fmt.Sprintf(said, `,"reasoning_content":"t","reasoning_details":[{"type":"reasoning.text","text":"t"}]`)
	got, _ := pass(t, saying(invented), dialect.Upstream{Model: "x"})
	if want := fmt.Sprintf(said, ""); gjson.Get(got, "messages.0").Raw != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	got, _ = pass(t, saying(invented), dialect.Upstream{Model: "x", Compatible: true})
	if gjson.Get(got, "messages.0").Raw != invented {
		t.Error(got)
	}
}

func TestRenamesAnswersAndFrames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"id":"a","model":"up","choices":[{"message":{"content":"\"model\":\"up\""}}]}`: `{"id":"a","model":"mine","choices":[{"message":{"content":"\"model\":\"up\""}}]}`,
		"data: {\"choices\":[],\"model\": \"up\" }\r\n\r\n":                              "data: {\"choices\":[],\"model\": \"mine\" }\r\n\r\n",
		"data: [DONE]\n\n":            "data: [DONE]\n\n",
		": {comment}\n\n":             ": {comment}\n\n",
		`{"choices":[{"model":"x"}]}`: `{"choices":[{"model":"x"}]}`,
		"data: {\"model\":\"u\n\n":    "data: {\"model\":\"u\n\n",
	} {
		if got := string(Codec{}.Rename([]byte(in), "mine")); got != want {
			t.Errorf("%s", got)
		}
	}
}

// What a client did not ask for is taken out of all frames, and words that look like it stay.
func TestUsageThatNobodyAskedForIsTakenOut(t *testing.T) {
	t.Parallel()
	const with = `data: {"choices":[{"delta":{"content":"say ,\"usage\":null"}}],"usage":null,"obfuscation":"a"}` + "\n\n"
	const without = `data: {"choices":[{"delta":{"content":"say ,\"usage\":null"}}],"obfuscation":"a"}` + "\n\n"
	const counted = `data: {"choices":[],"usage":{"prompt_tokens":1}}` + "\n\n"
	for given, want := range map[string]string{
		with: without, with + with + with: without + without + without, without: without, counted: counted, with + counted: without + counted, "": "",
	} {
		if got := string(Codec{}.DropUnasked([]byte(given))); got != want {
			t.Errorf("%s\nbecame %s\nnot %s", given, got, want)
		}
	}
}

// TestAnAnswerInItsPartIsRead reads a message that repeats itself in the part of its words, and tells nothing of what is said all the same.
func TestAnAnswerInItsPartIsRead(t *testing.T) {
	t.Parallel()
	const source = `[{"type":"url_citation","url_citation":{"url":"https://example.com/a","title":"A","start_index":0,"end_index":1}}]`
	const body = `{"model":"b","messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"a","role":"assistant","refusal":null,"annotations":` + source +
		`,"reasoning_content":"r","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}]},{"role":"user","content":[{"type":"text","text":"y","annotations":[1]}]}]}`
	req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	c, err := req.Conversation()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []chat.Kind
	for _, p := range c.Messages[1].Parts {
		kinds = append(kinds, p.Kind)
	}
	if got := fmt.Sprint(kinds); got != fmt.Sprint([]chat.Kind{chat.Thought, chat.Text}) || len(c.Messages[1].Parts[1].Citations) != 1 {
		t.Errorf("%s, %+v", got, c.Messages[1].Parts)
	}
	if got := fmt.Sprint(c.Notes); strings.Count(got, "content[") != 1 || !strings.Contains(got, "messages[2].content[0].annotations") {
		t.Errorf("told %s", got)
	}
	if _, call := pass(t, body, dialect.Upstream{Model: "x", Compatible: true}); len(call.Losses) != 1 || !strings.Contains(call.Losses[0].Field, "messages[1].content[0].annotations") {
		t.Errorf("lost %+v", call.Losses)
	}
}
