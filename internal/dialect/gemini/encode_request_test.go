package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

func text(s string) chat.Part { return chat.Part{Kind: chat.Text, Text: s} }

func says(r chat.Role, parts ...chat.Part) chat.Message { return chat.Message{Role: r, Parts: parts} }

func calls(id, name, args string) chat.Part {
	return chat.Part{Kind: chat.ToolCall, ID: id, Name: name, Text: args}
}

func result(id string, content ...chat.Part) chat.Part {
	return chat.Part{Kind: chat.ToolResult, ID: id, Content: content}
}

func image() chat.Part {
	return chat.Part{Kind: chat.Image, Media: &chat.Media{Type: "image/png", Base64: "iVBORw0KGgo="}}
}

func pdf() chat.Part {
	return chat.Part{Kind: chat.Document, Media: &chat.Media{Type: "application/pdf", Base64: "JVBERi0x"}}
}

func dialogue(messages ...chat.Message) *chat.Conversation {
	for i := range messages {
		messages[i].At = i
	}
	return &chat.Conversation{Messages: messages}
}

// lost reports whether a loss about a field was reported with a verb.
func lost(losses []chat.Loss, field string, verb chat.Verb) bool {
	for _, l := range losses {
		if l.Field == field && l.Verb == verb {
			return true
		}
	}
	return false
}

func TestContents(t *testing.T) {
	t.Parallel()
	opens := says(chat.User, text("go"))
	weather := says(chat.Assistant, calls("1", "f", `{"a":1}`), calls("2", "g", ""), calls("3", "f", `{"a":2}`))
	for name, test := range map[string]struct {
		in    *chat.Conversation
		want  string // contents, without the ids that say nothing here
		field string // of a loss
		verb  chat.Verb
	}{
		"hard case 2: results in call order, then the text apart": {
			in:   dialogue(opens, weather, says(chat.User, result("3", text("c"))), says(chat.User, result("1", text("a")), result("2", text("b"))), says(chat.User, text("and?"))),
			want: `[U "go"] [M f{"a":1}* g{} f{"a":2}] [U f={"output":"a"} g={"output":"b"} f={"output":"c"}] [U "and?"]`,
		},
		"a call without a result gets one": {
			in:    dialogue(opens, weather, says(chat.User, result("1", text("a")), text("go on"))),
			want:  `[U "go"] [M f{"a":1}* g{} f{"a":2}] [U f={"output":"a"} g={"output":"[no result]"} f={"output":"[no result]"}] [U "go on"]`,
			field: chat.FieldPart, verb: chat.Added,
		},
		"a result without a call becomes text": {
			in:    dialogue(opens, says(chat.User, result("9", text("x")), text("y"))),
			want:  `[U "go" "[Result of 9] x" "y"]`,
			field: chat.FieldPart, verb: chat.Approximated,
		},
		"hard case 13: a picture in a result":           {in: tooled(result("1", text("see"), image())), want: `[U "go"] [M f{}*] [U f={"output":"see"}+image/png]`},
		"hard case 15: a PDF in a result stands apart":  {in: tooled(result("1", text("see"), pdf())), want: `[U "go"] [M f{}*] [U f={"output":"see"}] [U <application/pdf>]`},
		"hard case 17: a failure":                       {in: tooled(chat.Part{Kind: chat.ToolResult, ID: "1", Failed: true, Content: []chat.Part{text("boom")}}), want: `[U "go"] [M f{}*] [U f={"error":"boom"}]`},
		"hard case 19: a list is no object":             {in: tooled(result("1", text("[1,2]"))), want: `[U "go"] [M f{}*] [U f={"output":"[1,2]"}]`},
		"hard case 19: a number is no object":           {in: tooled(result("1", text("42"))), want: `[U "go"] [M f{}*] [U f={"output":"42"}]`},
		"an object is the response":                     {in: tooled(result("1", text(` {"n":12345678901234567890,"f":1.0} `))), want: `[U "go"] [M f{}*] [U f={"n":12345678901234567890,"f":1.0}]`},
		"an object with a reference is text":            {in: tooled(result("1", text(`{"$ref":"x"}`))), want: `[U "go"] [M f{}*] [U f={"output":"{\"$ref\":\"x\"}"}]`},
		"hard case 21: an empty result":                 {in: tooled(result("1", text(""))), want: `[U "go"] [M f{}*] [U f={"output":""}]`},
		"hard case 21: a result without content":        {in: tooled(result("1")), want: `[U "go"] [M f{}*] [U f={"output":""}]`},
		"hard case 24: arguments that are cut":          {in: dialogue(opens, says(chat.Assistant, calls("1", "f", `{"a": tru`)), says(chat.User, result("1"))), want: `[U "go"] [M f{"_raw":"{\"a\": tru"}*] [U f={"output":""}]`, field: chat.FieldPart, verb: chat.Approximated},
		"a custom call":                                 {in: dialogue(opens, says(chat.Assistant, chat.Part{Kind: chat.ToolCall, ID: "1", Name: "f", Custom: true, Text: "a\"b"}), says(chat.User, result("1"))), want: `[U "go"] [M f{"input":"a\"b"}*] [U f={"output":""}]`},
		"hard case 73: two users' turns":                {in: dialogue(says(chat.User, text("a")), says(chat.User, text("b"))), want: `[U "a" "b"]`},
		"hard case 79: an empty answer":                 {in: dialogue(opens, says(chat.Assistant), says(chat.User, text("x"))), want: `[U "go" "x"]`, field: chat.FieldPart, verb: chat.Dropped},
		"hard case 82: system text in the middle":       {in: dialogue(opens, says(chat.Assistant, text("ok")), says(chat.System, text("be kind")), says(chat.User, text("x"))), want: `[U "go"] [M "ok"] [U "<system-reminder>\nbe kind\n</system-reminder>" "x"]`, field: chat.FieldPart, verb: chat.Approximated},
		"hard case 87: a prefill":                       {in: dialogue(opens, says(chat.Assistant, text("{"))), want: `[U "go"] [M "{"] [U "Continue exactly where your last message ends, and do not repeat any of it."]`, field: chat.FieldMessages, verb: chat.Approximated},
		"hard case 89: the model speaks first":          {in: dialogue(says(chat.Assistant, text("hi")), says(chat.User, text("x"))), want: `[U "(The conversation begins with the answer that follows.)"] [M "hi"] [U "x"]`, field: chat.FieldMessages, verb: chat.Added},
		"hard case 81: only a system text":              {in: &chat.Conversation{System: []chat.Part{text("a"), text("b")}}, want: `[U "b"]`, field: chat.FieldSystem, verb: chat.Approximated},
		"hard case 91: a name":                          {in: dialogue(chat.Message{Name: "bob", Parts: []chat.Part{text("x")}}), want: `[U "x"]`, field: chat.FieldName, verb: chat.Dropped},
		"hard case 171: a picture's address":            {in: dialogue(says(chat.User, chat.Part{Kind: chat.Image, Media: &chat.Media{URL: "https://x.example/a.png"}})), want: `[U (https://x.example/a.png image/png)]`},
		"hard case 175: a PDF":                          {in: dialogue(says(chat.User, pdf())), want: `[U <application/pdf>]`},
		"hard case 181: sound that is gone":             {in: dialogue(opens, says(chat.Assistant, chat.Part{Kind: chat.Audio, ID: "audio_1"}), says(chat.User, text("x"))), want: `[U "go" "x"]`, field: chat.FieldPart, verb: chat.Dropped},
		"hard case 181: sound with a transcript":        {in: dialogue(opens, says(chat.Assistant, chat.Part{Kind: chat.Audio, ID: "audio_1", Text: "hm"}), says(chat.User, text("x"))), want: `[U "go"] [M "hm"] [U "x"]`, field: chat.FieldPart, verb: chat.Approximated},
		"hard case 169: bytes are believed":             {in: dialogue(says(chat.User, chat.Part{Kind: chat.Image, Media: &chat.Media{Type: "image/png", Base64: "/9j/4AAQ"}})), want: `[U <image/jpeg>]`},
		"hard case 103: a signature before a call":      {in: dialogue(opens, says(chat.Assistant, chat.Part{Kind: chat.Thought, Proof: "U0lH"}, calls("1", "f", "")), says(chat.User, result("1"))), want: `[U "go"] [M f{}!U0lH] [U f={"output":""}]`},
		"thoughts with the signature of the call":       {in: dialogue(opens, says(chat.Assistant, chat.Part{Kind: chat.Thought, Text: "hm", Proof: "U0lH"}, calls("1", "f", "")), says(chat.User, result("1"))), want: `[U "go"] [M ~hm~ f{}!U0lH] [U f={"output":""}]`},
		"hard case 107: first signed, second bare":      {in: dialogue(opens, says(chat.Assistant, chat.Part{Kind: chat.ToolCall, ID: "1", Name: "f", Proof: "U0lH"}, calls("2", "g", "")), says(chat.User, result("1"), result("2"))), want: `[U "go"] [M f{}!U0lH g{}] [U f={"output":""} g={"output":""}]`},
		"a signature at the end":                        {in: dialogue(opens, says(chat.Assistant, text("a"), chat.Part{Kind: chat.Thought, Proof: "U0lH"}), says(chat.User, text("x"))), want: `[U "go"] [M "a" ""!U0lH] [U "x"]`},
		"another model's thoughts that nobody can read": {in: dialogue(opens, says(chat.Assistant, chat.Part{Kind: chat.Redacted, Text: "xx"}, text("a")), says(chat.User, text("x"))), want: `[U "go"] [M "a"] [U "x"]`, field: chat.FieldPart, verb: chat.Ignored},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call, body := compose(t, test.in, newest)
			if got := outline(body); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
			if test.field != "" && !lost(call.Losses, test.field, test.verb) {
				t.Errorf("no %s %s in %+v", test.field, test.verb, call.Losses)
			}
		})
	}
}

func tooled(r chat.Part) *chat.Conversation {
	return dialogue(says(chat.User, text("go")), says(chat.Assistant, calls("1", "f", "")), says(chat.User, r))
}

// outline tells contents in short: * is the placeholder, ! a signature.
func outline(body string) string {
	var turns []string
	for _, content := range gjson.Get(body, "contents").Array() {
		words := []string{strings.ToUpper(content.Get("role").Str[:1])}
		for _, p := range content.Get("parts").Array() {
			var w string
			switch {
			case p.Get("thought").Bool():
				w = "~" + p.Get("text").Str + "~"
			case p.Get("functionCall").Exists():
				w = p.Get("functionCall.name").Str + p.Get("functionCall.args").Raw
			case p.Get("functionResponse").Exists():
				w = p.Get("functionResponse.name").Str + "=" + p.Get("functionResponse.response").Raw
				for _, inner := range p.Get("functionResponse.parts").Array() {
					w += "+" + inner.Get("inlineData.mimeType").Str
				}
			case p.Get("inlineData").Exists():
				w = "<" + p.Get("inlineData.mimeType").Str + ">"
			case p.Get("fileData").Exists():
				w = "(" + p.Get("fileData.fileUri").Str + " " + p.Get("fileData.mimeType").Str + ")"
			default:
				w = p.Get("text").Raw
			}
			if s := p.Get("thoughtSignature").Str; s == unsigned {
				w += "*"
			} else if s != "" {
				w += "!" + s
			}
			words = append(words, w)
		}
		turns = append(turns, "["+strings.Join(words, " ")+"]")
	}
	return strings.Join(turns, " ")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	number := func(f float64) *float64 { return &f }
	whole := func(n int64) *int64 { return &n }
	strict := true
	hello := []chat.Message{says(chat.User, text("hi"))}
	tool := func(name string) chat.Tool { return chat.Tool{Name: name} }
	for name, test := range map[string]struct {
		in    chat.Conversation
		model string
		path  string
		want  string // raw JSON at path; "": nothing
		field string
		verb  chat.Verb
	}{
		"hard case 28: no parameters":               {in: chat.Conversation{Tools: []chat.Tool{{Name: "f"}, {Name: "g", Schema: json.RawMessage(`{"type":"object","properties":{}}`)}}}, path: "tools", want: `[{"functionDeclarations":[{"name":"f"},{"name":"g"}]}]`},
		"hard case 29: five functions, one list":    {in: chat.Conversation{Tools: []chat.Tool{tool("a"), tool("b"), tool("c"), tool("d"), tool("e")}}, path: "tools.#", want: `1`},
		"hard case 30: the same tool twice":         {in: chat.Conversation{Tools: []chat.Tool{tool("a"), tool("a")}}, path: "tools.0.functionDeclarations.#", want: `1`},
		"hard case 33: dots and colons are legal":   {in: chat.Conversation{Tools: []chat.Tool{tool("mcp.server:read-file")}}, path: "tools.0.functionDeclarations.0.name", want: `"mcp.server:read-file"`},
		"hard case 37: none keeps the tools":        {in: chat.Conversation{Tools: []chat.Tool{tool("a")}, Choice: chat.Choice{Mode: chat.None}}, path: "toolConfig.functionCallingConfig", want: `{"mode":"NONE"}`},
		"hard case 44: one call at a time":          {in: chat.Conversation{Tools: []chat.Tool{tool("a")}, Choice: chat.Choice{Mode: chat.Auto, Serial: true}}, path: "toolConfig.functionCallingConfig", want: `{"mode":"AUTO"}`, field: chat.FieldParallel, verb: chat.Dropped},
		"required":                                  {in: chat.Conversation{Tools: []chat.Tool{tool("a")}, Choice: chat.Choice{Mode: chat.Required}}, path: "toolConfig.functionCallingConfig", want: `{"mode":"ANY"}`},
		"named":                                     {in: chat.Conversation{Tools: []chat.Tool{tool("3d")}, Choice: chat.Choice{Mode: chat.Named, Name: "3d"}}, path: "toolConfig.functionCallingConfig.allowedFunctionNames.#", want: `1`, field: chat.FieldTool, verb: chat.Ignored},
		"allowed":                                   {in: chat.Conversation{Tools: []chat.Tool{tool("a"), tool("b")}, Choice: chat.Choice{Mode: chat.Allowed, Names: []string{"b"}}}, path: "toolConfig.functionCallingConfig", want: `{"mode":"VALIDATED","allowedFunctionNames":["b"]}`, field: chat.FieldChoice, verb: chat.Approximated},
		"strict":                                    {in: chat.Conversation{Tools: []chat.Tool{{Name: "a", Strict: &strict}}}, path: "toolConfig.functionCallingConfig", want: `{"mode":"VALIDATED"}`},
		"a choice without tools":                    {in: chat.Conversation{Choice: chat.Choice{Mode: chat.Required}}, path: "toolConfig", field: chat.FieldChoice, verb: chat.Dropped},
		"a custom tool":                             {in: chat.Conversation{Tools: []chat.Tool{{Kind: chat.Custom, Name: "p", Grammar: json.RawMessage(`{}`)}}}, path: "tools.0.functionDeclarations.0.parametersJsonSchema", want: dialect.FreeText, field: chat.FieldTool, verb: chat.Approximated},
		"hard case 85: both system texts":           {in: chat.Conversation{System: []chat.Part{text("a"), text(" "), text("b")}}, path: "systemInstruction", want: `{"parts":[{"text":"a"},{"text":"b"}]}`},
		"hard case 116: tokens for a level":         {in: chat.Conversation{Thinking: &chat.Thinking{Budget: whole(10000)}}, path: "generationConfig.thinkingConfig", want: `{"thinkingLevel":"MEDIUM"}`, field: chat.FieldThinking, verb: chat.Approximated},
		"hard case 116: tokens":                     {in: chat.Conversation{Thinking: &chat.Thinking{Budget: whole(10000)}}, model: "gemini-2.5-flash", path: "generationConfig.thinkingConfig", want: `{"thinkingBudget":10000}`},
		"as many as it likes":                       {in: chat.Conversation{Thinking: &chat.Thinking{Budget: whole(-1)}}, model: "gemini-2.5-flash", path: "generationConfig.thinkingConfig", want: `{"thinkingBudget":-1}`},
		"effort for tokens":                         {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "high"}}, model: "gemini-2.5-pro", path: "generationConfig.thinkingConfig", want: `{"thinkingBudget":24576}`},
		"no thinking":                               {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "none"}}, model: "models/gemini-2.5-flash", path: "generationConfig.thinkingConfig", want: `{"thinkingBudget":0}`},
		"no thinking, which is not possible":        {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "none"}}, model: "gemini-2.5-pro", path: "generationConfig.thinkingConfig", want: `{"thinkingBudget":128}`, field: chat.FieldThinking, verb: chat.Approximated},
		"no thinking on gemini-3.8-flash":           {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "none"}}, model: "gemini-3.8-flash", path: "generationConfig.thinkingConfig", want: `{"thinkingLevel":"LOW"}`, field: chat.FieldThinking, verb: chat.Approximated},
		"no thinking on gemini-4-argon":             {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "none"}}, model: "gemini-4-argon", path: "generationConfig.thinkingConfig", want: `{"thinkingLevel":"LOW"}`, field: chat.FieldThinking, verb: chat.Approximated},
		"no thinking on a newer one":                {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "none"}}, model: "gemini-3-flash", path: "generationConfig.thinkingConfig", want: `{"thinkingLevel":"MINIMAL"}`, field: chat.FieldThinking, verb: chat.Approximated},
		"minimal on the one without it":             {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "minimal"}}, model: "gemini-3.1-pro", path: "generationConfig.thinkingConfig", want: `{"thinkingLevel":"LOW"}`, field: chat.FieldThinking, verb: chat.Approximated},
		"more than there is":                        {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "max", Show: &strict}}, model: "gemini-3-flash", path: "generationConfig.thinkingConfig", want: `{"thinkingLevel":"HIGH","includeThoughts":true}`, field: chat.FieldThinking, verb: chat.Approximated},
		"a model that does not think":               {in: chat.Conversation{Thinking: &chat.Thinking{Effort: "low"}}, model: "gemini-2.0-flash", path: "generationConfig", field: chat.FieldThinking, verb: chat.Dropped},
		"hard case 131: a nullable type":            {in: chat.Conversation{Format: &chat.Format{Kind: chat.JSONSchema, Schema: json.RawMessage(`{"type":["string","null"]}`)}}, path: "generationConfig.responseJsonSchema", want: `{"type":["string","null"]}`},
		"any JSON":                                  {in: chat.Conversation{Format: &chat.Format{Kind: chat.JSONObject}}, path: "generationConfig", want: `{"responseMimeType":"application/json"}`},
		"JSON with tools on an older model":         {in: chat.Conversation{Tools: []chat.Tool{tool("a")}, Format: &chat.Format{Kind: chat.JSONObject}}, model: "gemini-2.5-flash", path: "generationConfig", field: chat.FieldFormat, verb: chat.Approximated},
		"hard case 148: more tokens than there are": {in: chat.Conversation{Sampling: chat.Sampling{MaxTokens: whole(1 << 20)}}, path: "generationConfig.maxOutputTokens", want: `8192`, field: chat.FieldMaxTokens, verb: chat.Approximated},
		"hard case 164: a long seed":                {in: chat.Conversation{Sampling: chat.Sampling{Seed: whole(1099511627776)}}, path: "generationConfig", field: chat.FieldSeed, verb: chat.Dropped},
		"hard case 167: top k":                      {in: chat.Conversation{Sampling: chat.Sampling{TopK: number(40)}}, path: "generationConfig.topK", want: `40`},
		"hard case 167: six stops":                  {in: chat.Conversation{Sampling: chat.Sampling{Stop: []string{"a", "b", "c", "d", "e", "f"}}}, path: "generationConfig.stopSequences", want: `["a","b","c","d","e"]`},
		"hard case 193: marks for a cache":          {in: chat.Conversation{Cache: &chat.Cache{}}, path: "cachedContent", field: chat.FieldCache, verb: chat.Ignored},
		"a tier":                                    {in: chat.Conversation{Tier: "default"}, path: "serviceTier", want: `"standard"`},
		"another's tier":                            {in: chat.Conversation{Tier: "scale"}, path: "serviceTier", field: chat.FieldTier, verb: chat.Dropped},
		"a user":                                    {in: chat.Conversation{User: "u"}, path: "labels", field: chat.FieldUser, verb: chat.Ignored},
		"another dialect's field":                   {in: chat.Conversation{Extra: []chat.Extra{{Name: "openai.logit_bias", Value: json.RawMessage(`{}`)}}}, path: "logit_bias", field: "openai.logit_bias", verb: chat.Dropped},
		"its own field":                             {in: chat.Conversation{Extra: []chat.Extra{{Name: "gemini.generationConfig.imageConfig", Value: json.RawMessage(`{"a":1}`)}}}, path: "generationConfig.imageConfig", want: `{"a":1}`},
		"detail on a newer model":                   {in: chat.Conversation{Messages: []chat.Message{says(chat.User, chat.Part{Kind: chat.Image, Media: &chat.Media{Base64: "iVBORw0KGgo=", Detail: "low"}})}}, path: "contents.0.parts.0.mediaResolution", want: `{"level":"MEDIA_RESOLUTION_LOW"}`},
		"detail on an older model":                  {in: chat.Conversation{Messages: []chat.Message{says(chat.User, chat.Part{Kind: chat.Image, Media: &chat.Media{Base64: "iVBORw0KGgo=", Detail: "high"}})}}, model: "gemini-2.5-pro", path: "generationConfig.mediaResolution", want: `"MEDIA_RESOLUTION_HIGH"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := test.in
			if in.Messages == nil {
				in.Messages = hello
			}
			if test.model == "" {
				test.model = newest
			}
			call, err := Codec{}.EncodeRequest(&in, dialect.Upstream{Model: test.model, MaxOutput: 8192, Proof: trusting})
			if err != nil {
				t.Fatal(err)
			}
			if got := gjson.GetBytes(call.Body, test.path).Raw; got != test.want {
				t.Errorf("%s = %s, want %s\n%s", test.path, got, test.want, call.Body)
			}
			if test.field != "" && !lost(call.Losses, test.field, test.verb) {
				t.Errorf("no %s %s in %+v", test.field, test.verb, call.Losses)
			}
			if test.field == "" && len(call.Losses) > 0 && !strings.Contains(name, "30") {
				t.Errorf("losses: %+v", call.Losses)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	hello := []chat.Message{says(chat.User, text("hi"))}
	for name, in := range map[string]chat.Conversation{
		"hard case 30: two tools of a name":      {Messages: hello, Tools: []chat.Tool{{Name: "a"}, {Name: "a", Description: "x"}}},
		"hard case 49: another's server tool":    {Messages: hello, Tools: []chat.Tool{{Kind: chat.Server, Name: "web_search", Raw: json.RawMessage(`{"type":"web_search_20250305","name":"web_search"}`)}}},
		"hard case 52: a tool that is not there": {Messages: hello, Tools: []chat.Tool{{Name: "a"}}, Choice: chat.Choice{Mode: chat.Named, Name: "b"}},
		"hard case 185: another's file":          {Messages: []chat.Message{says(chat.User, chat.Part{Kind: chat.Document, Media: &chat.Media{FileID: "file-abc"}})}},
		"what must not be left out":              {Messages: hello, Extra: []chat.Extra{{Name: "anthropic.container", Effect: chat.Vital}}},
		"hard case 77: nothing at all":           {Messages: []chat.Message{says(chat.User, text(""))}},
		"hard case 149: no tokens":               {Messages: hello, Sampling: chat.Sampling{MaxTokens: new(int64)}},
	} {
		_, err := Codec{}.EncodeRequest(&in, dialect.Upstream{Model: newest})
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Code != fault.InvalidParameter || e.Details["field"] == nil || e.Details["field"] == "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := e.About.(chat.Loss); !ok {
			t.Errorf("%s: does not say what it is about", name)
		}
	}
}

func TestHardCase35NamesAreRestored(t *testing.T) {
	t.Parallel()
	c := dialogue(says(chat.User, text("go")), says(chat.Assistant, calls("1", "3d_render", "")), says(chat.User, result("1")))
	c.Tools = []chat.Tool{{Name: "3d_render"}}
	call, body := compose(t, c, newest)
	sent := gjson.Get(body, "tools.0.functionDeclarations.0.name").Str
	if !isLegalName(sent) || call.Names[sent] != "3d_render" {
		t.Errorf("sent %q, back %v", sent, call.Names)
	}
	for _, path := range []string{"contents.1.parts.0.functionCall.name", "contents.2.parts.0.functionResponse.name"} {
		if got := gjson.Get(body, path).Str; got != sent {
			t.Errorf("%s = %q, want %q", path, got, sent)
		}
	}
}

func TestALongerConversationBeginsWithTheShorter(t *testing.T) {
	t.Parallel()
	c := dialogue(says(chat.User, text("begin")))
	before := ""
	for turn := range 100 {
		_, body := compose(t, c, newest)
		list := gjson.Get(body, "contents").Raw
		if !strings.HasPrefix(list, before) {
			t.Fatalf("turn %d:\n%s\ndoes not begin with\n%s", turn, list, before)
		}
		before = strings.TrimSuffix(list, "]")
		id := fmt.Sprint("c", turn)
		proof := ""
		if turn%3 == 0 {
			proof = "U0lH"
		}
		c.Messages = append(c.Messages,
			says(chat.Assistant, chat.Part{Kind: chat.Thought, Text: "hm", Proof: proof}, calls(id, "3d", `{"a":1}`), calls(id+"x", "g", "")),
			says(chat.User, result(id, text("one"), pdf()), result(id+"x", image())),
			says(chat.System, text("note")))
	}
}
