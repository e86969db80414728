package gemini

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

func TestHardCase4CallsWithoutIDs(t *testing.T) {
	t.Parallel()
	const body = `{"contents":[{"parts":[{"text":"go"}]},
		{"role":"model","parts":[{"functionCall":{"name":"get_weather","args":{"a":1}}},{"functionCall":{"name":"get_weather"}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"get_weather","response":{"output":"one"}}},{"functionResponse":{"name":"get_weather","response":{"output":"two"}}}]}]}`
	first, second := talk(t, body), talk(t, body)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same request gives other ids:\n%s", diff)
	}
	asked, heard := first.Messages[1].Parts, first.Messages[2].Parts
	if asked[0].ID == asked[1].ID || asked[0].ID == "" || heard[0].ID != asked[0].ID || heard[1].ID != asked[1].ID {
		t.Errorf("calls %q %q, results %q %q", asked[0].ID, asked[1].ID, heard[0].ID, heard[1].ID)
	}
	if asked[1].Text != "{}" { // hard case 31
		t.Errorf("no arguments are %q", asked[1].Text)
	}
	longer := talk(t, strings.TrimSuffix(body, "]}")+`,{"role":"model","parts":[{"functionCall":{"name":"get_weather"}}]}]}`)
	if longer.Messages[1].Parts[0].ID != asked[0].ID || longer.Messages[3].Parts[0].ID == asked[1].ID {
		t.Error("ids change as the conversation goes on")
	}
}

func TestHardCase32AResultWithoutItsCall(t *testing.T) {
	t.Parallel()
	c := talk(t, `{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]},{"role":"model","parts":[{"text":"ok"}]},{"parts":[{"text":"y"}]}]}`)
	want := chat.Part{Kind: chat.Text, Text: "[Result of f] x"}
	if diff := cmp.Diff([]chat.Part{want}, c.Messages[0].Parts); diff != "" || !lost(c.Notes, chat.FieldPart, chat.Approximated) {
		t.Errorf("%s %+v", diff, c.Notes)
	}
}

func TestHardCase74ReplayedChunks(t *testing.T) {
	t.Parallel()
	c := talk(t, `{"contents":[{"role":"user","parts":[{"text":"Hi"}]},
		{"role":"model","parts":[{"text":"hm","thought":true}]},{"role":"model","parts":[{"text":"m","thought":true}]},
		{"role":"model","parts":[{"text":"Hel"}]},{"role":"model","parts":[{"text":"lo"},{"text":"again"}]},
		{"role":"model","parts":[{"text":"","thoughtSignature":"U0lH"}]},{"role":"model","parts":[]},
		{"role":"user","parts":[{"text":"x"}]}]}`)
	if len(c.Messages) != 3 {
		t.Fatalf("%d turns: %+v", len(c.Messages), c.Messages)
	}
	want := []chat.Part{
		{Kind: chat.Thought, Text: "hmm"},
		{Kind: chat.Text, Text: "Hello", At: packAt(3, 0)},
		{Kind: chat.Text, Text: "again", Proof: "U0lH", At: packAt(4, 1)},
	}
	if diff := cmp.Diff(want, c.Messages[1].Parts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if path := (Codec{}).Path(chat.LostPart(c.Messages[1], c.Messages[1].Parts[2], chat.Dropped, "")); path != "contents[4].parts[1]" {
		t.Errorf("path %q", path)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	const hi = `"contents":[{"parts":[{"text":"hi"}]}]`
	show := true
	budget := int64(7)
	for name, test := range map[string]struct {
		body string
		got  func(*chat.Conversation) any
		want any
	}{
		"hard case 92: no role is the user's": {`{` + hi + `}`, func(c *chat.Conversation) any { return c.Messages[0].Role }, chat.User},
		"one Content instead of a list":       {`{"contents":{"parts":{"text":"hi"}}}`, func(c *chat.Conversation) any { return c.Messages[0].Parts[0].Text }, "hi"},
		"hard case 93: a tool's turn": {`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"tool","parts":[{"functionResponse":{"name":"f","response":{"error":{"code":5}}}}]}]}`, func(c *chat.Conversation) any {
			p := c.Messages[1].Parts[0]
			return []any{p.Kind, p.Failed, p.Content[0].Text}
		}, []any{chat.ToolResult, true, `{"code":5}`}},
		"hard case 25: digits stay":         {`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":12345678901234567890,"b":1.0,"c":1e2,"d":"\u00e9"}}}]}]}`, func(c *chat.Conversation) any { return c.Messages[0].Parts[0].Text }, `{"a":12345678901234567890,"b":1.0,"c":1e2,"d":"\u00e9"}`},
		"hard case 188: any base64":         {`{"contents":[{"parts":[{"inlineData":{"mimeType":"IMAGE/PNG","data":"_-8\n"}}]}]}`, func(c *chat.Conversation) any { return *c.Messages[0].Parts[0].Media }, chat.Media{Type: "image/png", Base64: "/+8="}},
		"hard case 187: a file at Google":   {`{"contents":[{"parts":[{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/x","mimeType":"image/png"}}]}]}`, func(c *chat.Conversation) any { return *c.Messages[0].Parts[0].Media }, chat.Media{Type: "image/png", FileID: "https://generativelanguage.googleapis.com/v1beta/files/x"}},
		"hard case 186: a file of ours":     {`{"contents":[{"parts":[{"fileData":{"fileUri":"files/file_x"}}]}]}`, func(c *chat.Conversation) any { return c.Messages[0].Parts[0].Media.FileID }, "file_x"},
		"hard case 183: YouTube is a video": {`{"contents":[{"parts":[{"fileData":{"fileUri":"https://youtu.be/x"}}]}]}`, func(c *chat.Conversation) any { return c.Messages[0].Parts[0].Kind }, chat.Video},
		"system as a string":                {`{"systemInstruction":"be kind",` + hi + `}`, func(c *chat.Conversation) any { return c.System[0].Text }, "be kind"},
		"thinkingConfig at the root":        {`{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":"7"},` + hi + `}`, func(c *chat.Conversation) any { return *c.Thinking }, chat.Thinking{Budget: &budget, Show: &show}},
		"its own thinkingConfig counts":     {`{"thinkingConfig":{"thinkingBudget":1},"generationConfig":{"thinkingConfig":{"thinkingLevel":"high"}},` + hi + `}`, func(c *chat.Conversation) any { return c.Thinking.Effort }, "high"},
		"reasoning: true":                   {`{"reasoning":true,` + hi + `}`, func(c *chat.Conversation) any { return []any{c.Thinking.Effort, *c.Thinking.Show} }, []any{"", false}},
		"thinking: false":                   {`{"thinking":false,` + hi + `}`, func(c *chat.Conversation) any { return c.Thinking.Effort }, "none"},
		"reasoning_effort: HIGH":            {`{"reasoning_effort":"HIGH",` + hi + `}`, func(c *chat.Conversation) any { return c.Thinking.Effort }, "high"},
		"options are merged under the body": {`{"options":{"generationConfig":{"temperature":1,"topP":0.5},"contents":[{"parts":[{"text":"no"}]}],"reasoning":false},"generationConfig":{"temperature":0},` + hi + `}`, func(c *chat.Conversation) any {
			return []any{*c.Sampling.Temperature, *c.Sampling.TopP, c.Messages[0].Parts[0].Text, c.Thinking.Effort}
		}, []any{0.0, 0.5, "hi", "none"}},
		"null is nothing":                  {`{"tools":null,"generationConfig":{"temperature":null,"stopSequences":null},"systemInstruction":null,` + hi + `}`, func(c *chat.Conversation) any { return []any{c.Tools, c.Sampling, c.System} }, []any{[]chat.Tool(nil), chat.Sampling{}, []chat.Part(nil)}},
		"enums by number":                  {`{"tools":{"functionDeclarations":{"name":"f"}},"toolConfig":{"functionCallingConfig":{"mode":2}},` + hi + `}`, func(c *chat.Conversation) any { return c.Choice.Mode }, chat.Required},
		"one allowed name":                 {`{"toolConfig":{"functionCallingConfig":{"mode":"any","allowedFunctionNames":["f"]}},` + hi + `}`, func(c *chat.Conversation) any { return c.Choice }, chat.Choice{Mode: chat.Named, Name: "f"}},
		"two allowed names":                {`{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f","g"]}},` + hi + `}`, func(c *chat.Conversation) any { return c.Choice }, chat.Choice{Mode: chat.Allowed, Names: []string{"f", "g"}, Forced: true}},
		"responseFormat":                   {`{"generationConfig":{"responseFormat":[{"text":{"mimeType":"application/json","schema":{"type":"object","properties":{"snake_case":{}}}}}]},` + hi + `}`, func(c *chat.Conversation) any { return string(c.Format.Schema) }, `{"type":"object","properties":{"snake_case":{}}}`},
		"logprobs":                         {`{"generationConfig":{"responseLogprobs":true},` + hi + `}`, func(c *chat.Conversation) any { return *c.Logprobs }, 0},
		"the answer to everything unknown": {`{"foo_bar":1,"generationConfig":{"speechConfig":{"a":1}},` + hi + `}`, func(c *chat.Conversation) any { return []string{c.Extra[0].Name, c.Extra[1].Name} }, []string{"gemini.foo_bar", "gemini.generationConfig.speechConfig"}},
		"a placeholder is no signature":    {`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"skip_thought_signature_validator"}]}]}`, func(c *chat.Conversation) any { return c.Messages[0].Parts[0].Proof }, ""},
		"hard case 49: a tool at Google": {`{"tools":[{"google_search":{"a_b":1}},{"functionDeclarations":[{"name":"f"}]}],` + hi + `}`, func(c *chat.Conversation) any {
			return []any{c.Tools[0].Kind, c.Tools[0].Name, string(c.Tools[0].Raw), c.Tools[1].Name}
		}, []any{chat.Server, "googleSearch", `{"googleSearch":{"a_b":1}}`, "f"}},
		"hard case 146: JSON Schema as it is":  {`{"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"$schema":"x","type":"object"}}]}],` + hi + `}`, func(c *chat.Conversation) any { return string(c.Tools[0].Schema) }, `{"$schema":"x","type":"object"}`},
		"its own schema":                       {`{"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"max_items":{"type":3,"nullable":true},"l":{"type":"ARRAY","max_items":"3","items":{"type":"STRING","format":"enum","enum":["a"]}}}}}]}],` + hi + `}`, func(c *chat.Conversation) any { return string(c.Tools[0].Schema) }, `{"properties":{"max_items":{"type":["integer","null"]},"l":{"maxItems":3,"items":{"enum":["a"],"type":"string"},"type":"array"}},"type":"object"}`},
		"a clip's settings are the part's own": {`{"contents":[{"parts":[{"text":"x"},{"fileData":{"fileUri":"https://youtu.be/x"},"videoMetadata":{"fps":2}}]}]}`, func(c *chat.Conversation) any { return []any{c.Extra[0].Name, string(c.Messages[0].Parts[1].Raw)} }, []any{"gemini.contents[0].parts[1].videoMetadata", `{"videoMetadata":{"fps":2}}`}},
		"another upstream's signature": {`{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"` + foreign + `"}]}]}`, func(c *chat.Conversation) any {
			p := c.Messages[0].Parts
			return []any{p[0].Kind, p[0].Proof, p[1].Kind, p[1].Proof}
		}, []any{chat.Thought, foreign, chat.ToolCall, ""}},
		"thoughts that only another can read": {`{"contents":[{"role":"model","parts":[{"thoughtSignature":"` + hide("xx") + `"},{"text":"a"}]}]}`, func(c *chat.Conversation) any {
			p := c.Messages[0].Parts
			return []any{p[0].Kind, p[0].Text, p[1].Text}
		}, []any{chat.Redacted, "xx", "a"}},
		"resolution of all media": {`{"generationConfig":{"mediaResolution":"MEDIA_RESOLUTION_LOW"},"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}]}`, func(c *chat.Conversation) any { return c.Messages[0].Parts[0].Media.Detail }, "low"},
		"escaped keys are keys":   {`{"contents":[{"parts":[{"\u0074ext":"hi"}]}]}`, func(c *chat.Conversation) any { return c.Messages[0].Parts[0].Text }, "hi"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, test.got(talk(t, test.body))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

var foreign = chat.Envelope{Dialect: "anthropic", Provider: "p", Model: "m", Raw: "EqQB"}.Wrap()

func TestHardCase94SnakeCaseIsTheSame(t *testing.T) {
	t.Parallel()
	snake := talk(t, `{"system_instruction":{"parts":[{"text":"s"}]},"generation_config":{"max_output_tokens":9,"thinking_config":{"include_thoughts":true}},
		"contents":[{"parts":[{"inline_data":{"mime_type":"image/png","data":"AAAA"}}]}],"tools":[{"function_declarations":[{"name":"a_b","parameters_json_schema":{"type":"object","properties":{"x_y":{"type":"string"}}}}]}],
		"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["a_b"]}}}`)
	camel := talk(t, `{"systemInstruction":{"parts":[{"text":"s"}]},"generationConfig":{"maxOutputTokens":9,"thinkingConfig":{"includeThoughts":true}},
		"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}],"tools":[{"functionDeclarations":[{"name":"a_b","parametersJsonSchema":{"type":"object","properties":{"x_y":{"type":"string"}}}}]}],
		"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a_b"]}}}`)
	if diff := cmp.Diff(camel, snake); diff != "" || len(camel.Extra) > 0 {
		t.Errorf("(-camel +snake)\n%s %+v", diff, camel.Extra)
	}
}

func TestWrongRequests(t *testing.T) {
	t.Parallel()
	const hi = `"contents":[{"parts":[{"text":"hi"}]}]`
	for body, field := range map[string]string{
		`{}`:                                    "contents",
		`{"contents":[]}`:                       "contents",
		`{"contents":"hi"}`:                     "contents",
		`{"contents":[5]}`:                      "contents[0]",
		`{"contents":[{"parts":[{"text":5}]}]}`: "contents[0].parts[0].text",
		`{"contents":[{"parts":["x"]}]}`:        "contents[0].parts[0]",
		`{"contents":[{"role":"system","parts":[{"text":"x"}]}]}`:                                                  "contents[0].role",
		`{"contents":[{"parts":[{"text":"x"},{"text":"y","functionCall":{"name":"f"}}]}]}`:                         "contents[0].parts[1]",
		`{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"!!"}}]}]}`:                           "contents[0].parts[0].inlineData.data",
		`{` + hi + `,"generationConfig":{"temperature":"warm"}}`:                                                   "generationConfig.temperature",
		`{` + hi + `,"generationConfig":{"maxOutputTokens":1.5}}`:                                                  "generationConfig.maxOutputTokens",
		`{` + hi + `,"generationConfig":{"topK":true}}`:                                                            "generationConfig.topK",
		`{` + hi + `,"generationConfig":{"stopSequences":[1]}}`:                                                    "generationConfig.stopSequences[0]",
		`{` + hi + `,"generationConfig":{"temperature":1},"generation_config":{"temperature":2}}`:                  "generationConfig",
		`{` + hi + `,"tools":[],"tool_config":{},"toolConfig":{}}`:                                                 "toolConfig",
		`{` + hi + `,"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW","thinkingBudget":5}}}`:            "generationConfig.thinkingConfig", // hard case 118
		`{` + hi + `,"thinkingConfig":{"thinkingLevel":"ultra"}}`:                                                  "thinkingConfig.thinkingLevel",
		`{` + hi + `,"reasoning_effort":"ultra"}`:                                                                  "reasoning_effort",                            // hard case 121
		`{` + hi + `,"tools":[{"functionDeclarations":[{"name":"f","parameters":{},"parametersJsonSchema":{}}]}]}`: "tools[0].functionDeclarations[0].parameters", // hard case 146
		`{` + hi + `,"tools":[{"functionDeclarations":[{}]}]}`:                                                     "tools[0].functionDeclarations[0].name",
		`{` + hi + `,"generationConfig":{"responseSchema":{},"responseJsonSchema":{}}}`:                            "generationConfig.responseSchema",
		`{` + hi + `,"toolConfig":{"functionCallingConfig":{"mode":"MAYBE"}}}`:                                     "toolConfig.functionCallingConfig.mode",
		`{` + hi + `,"options":5}`: "options",
	} {
		_, err := request(t, body).Conversation()
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Details["field"] != field || e.Code.ChatStatus() != 400 {
			t.Errorf("%s: %v, want %s", body, err, field)
		}
	}
	for _, body := range []string{``, `[]`, `{"a":1,"a":2}`, `{"contents":`, strings.Repeat("[", 100_000)} { // hard case 268
		if _, err := (Codec{}).DecodeRequest(dialect.Incoming{Model: "m", Body: []byte(body)}); fault.From(err).Code != fault.InvalidRequestBody {
			t.Errorf("%.20s: %v", body, err)
		}
	}
	if _, err := (Codec{}).DecodeRequest(dialect.Incoming{Body: []byte(`{}`)}); fault.From(err).Code != fault.MissingParameter {
		t.Errorf("no model: %v", err)
	}
}

func TestPass(t *testing.T) {
	t.Parallel()
	ours := chat.Envelope{Dialect: "gemini", Provider: "p", Model: "m", Raw: "U0lH"}.Wrap()
	proof := func(text string) (string, bool) {
		e, ok := chat.Unwrap(text)
		return e.Raw, ok && e.Dialect == "gemini"
	}
	for name, test := range map[string]struct{ model, in, want string }{
		"untouched":                 {newest, ` {"contents" : [ {"parts":[{"text":"hi"}]} ], "unknown" :1.0, "generation_config":{"temperature":  0 } } `, ""},
		"system as a string":        {newest, `{"systemInstruction" : "a\n" , "contents":[]}`, `{"systemInstruction" : {"parts":[{"text":"a\n"}]} , "contents":[]}`},
		"thinkingConfig":            {newest, `{"thinking_config":{"thinkingLevel":"LOW"}, "contents":[]}`, `{"contents":[],"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}}`},
		"into generationConfig":     {newest, `{"contents":[], "generationConfig": { "topK":1 } , "thinkingConfig":{}}`, `{"contents":[], "generationConfig": { "topK":1 ,"thinkingConfig":{}}}`},
		"into an empty one":         {newest, `{"generationConfig":{},"thinkingConfig":{"a":1}}`, `{"generationConfig":{"thinkingConfig":{"a":1}}}`},
		"its own counts":            {newest, `{"generationConfig":{"thinkingConfig":{"b":2}},"thinkingConfig":{"a":1}}`, `{"generationConfig":{"thinkingConfig":{"b":2}}}`},
		"reasoning: true":           {newest, `{"reasoning":true,"contents":[]}`, `{"contents":[]}`},
		"reasoning: false":          {newest, `{"reasoning":false}`, `{"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW"}}}`},
		"thinking: false in tokens": {"gemini-2.5-flash", `{"contents":[],"thinking":false}`, `{"contents":[],"generationConfig":{"thinkingConfig":{"thinkingBudget":0}}}`},
		"options":                   {newest, `{"options":{"safetySettings":[1],"contents":[2],"generationConfig":{"topK":1,"topP":1}},"generationConfig":{"topK":2},"contents":[]}`, `{"generationConfig":{"topK":2,"topP":1},"contents":[],"safetySettings":[1]}`},
		"a model in the body":       {"up", `{"model":"models/x","contents":[]}`, `{"model":"models/up","contents":[]}`},
		"our envelope":              {newest, `{"contents":[{"parts":[{"functionCall":{"name":"f"},"thoughtSignature": "` + ours + `"}]}]}`, `{"contents":[{"parts":[{"functionCall":{"name":"f"},"thoughtSignature": "U0lH"}]}]}`},
		"another's on a call":       {newest, `{"contents":[{"parts":[{"thought_signature":"` + foreign + `","functionCall":{"name":"f"}}]}]}`, `{"contents":[{"parts":[{"thought_signature":"skip_thought_signature_validator","functionCall":{"name":"f"}}]}]}`},
		"another's on text":         {newest, `{"contents":[{"parts":[{"text":"a", "thoughtSignature":"` + foreign + `"},{"thoughtSignature":"` + foreign + `" ,"text":"b"}]}]}`, `{"contents":[{"parts":[{"text":"a"},{"text":"b"}]}]}`},
		"another's alone":           {newest, `{"contents":[{"parts":[{"thoughtSignature":"` + hide("x") + `"}]}]}`, `{"contents":[{"parts":[{"text":""}]}]}`},
		"another's without words":   {newest, `{"contents":[{"parts":[{"text":"go"}]}, {"role":"model","parts":[{"text":"","thought":true,"thoughtSignature":"` + foreign + `"}, {"text":"a"}]}]}`, `{"contents":[{"parts":[{"text":"go"}]}, {"role":"model","parts":[{"text":"a"}]}]}`},
		"another's in pieces":       {newest, `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"","thoughtSignature":"` + foreign + `"}]},{"role":"model","parts":[{"text":"a"}]}]}`, `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"a"}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := request(t, test.in)
			call, err := Codec{}.PassRequest(req, dialect.Upstream{Model: test.model, Stream: true, Proof: proof})
			if err != nil {
				t.Fatal(err)
			}
			want := test.want
			if want == "" {
				want = test.in
				if &call.Body[0] != &req.Origin.Body[0] {
					t.Error("copied for nothing")
				}
			}
			if string(call.Body) != want {
				t.Errorf("\n got %s\nwant %s", call.Body, want)
			}
			if call.Path != "/v1beta/models/"+test.model+":streamGenerateContent?alt=sse" {
				t.Errorf("path %s", call.Path)
			}
			if !json.Valid(call.Body) {
				t.Error("not JSON")
			}
		})
	}
	if _, err := (Codec{}).PassRequest(request(t, `{"thinking":"ultra"}`), dialect.Upstream{Model: newest}); fault.From(err).Code != fault.InvalidParameter {
		t.Errorf("an unknown effort: %v", err)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		loss chat.Loss
		want string
	}{
		{chat.Lost(chat.FieldTopK, "", ""), "generationConfig.topK"},
		{chat.Lost(chat.FieldSystem, "", ""), "systemInstruction"},
		{chat.Lost("gemini.safetySettings", "", ""), "safetySettings"},
		{chat.Loss{Field: chat.FieldPart, Message: 0, Part: 1}, "contents[0].parts[1]"},
		{chat.Loss{Field: chat.FieldPart, Message: 2, Part: -1}, "contents[2]"},
		{chat.Loss{Field: chat.FieldTool, Message: -1, Part: packAt(1, 2)}, "tools[1].functionDeclarations[2]"},
		{chat.Loss{Field: chat.FieldTool, Message: -1, Part: 3}, "tools[3]"},
	} {
		if got := (Codec{}).Path(test.loss); got != test.want {
			t.Errorf("%+v: %s, want %s", test.loss, got, test.want)
		}
	}
}
