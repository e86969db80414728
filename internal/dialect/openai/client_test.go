package openai

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// talk is a conversation of one user's turn and further members of the body.
func talk(members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"model":"m","messages":[{"role":"user","content":"hi"}]` + members + `}`
}

// saying is a conversation of just these messages.
func saying(messages string) string { return `{"model":"m","messages":[` + messages + `]}` }

// refusal is the error of a body that is refused, now or when it is understood.
func refusal(t *testing.T, body string) *fault.Error {
	t.Helper()
	req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(body)})
	if err == nil {
		_, err = req.Conversation()
	}
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("not refused: %v\n%s", err, body)
	}
	return e
}

func TestRefusesWhatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body  string
		code  fault.Code
		field string
	}{
		"hard case 256: keys in another case":      {`{"Model":"x","MESSAGES":[]}`, fault.MissingParameter, "model"},
		"no model":                                 {`{"messages":[]}`, fault.MissingParameter, "model"},
		"null model":                               {`{"model":null}`, fault.MissingParameter, "model"},
		"model is a number":                        {`{"model":1}`, fault.InvalidParameter, "model"},
		"stream is a word":                         {talk(`"stream":"yes"`), fault.InvalidParameter, "stream"},
		"stream_options is a word":                 {talk(`"stream_options":"yes"`), fault.InvalidParameter, "stream_options"},
		"not JSON":                                 {`{"model":`, fault.InvalidRequestBody, ""},
		"a list":                                   {`[]`, fault.InvalidRequestBody, ""},
		"duplicate keys":                           {`{"model":"a","model":"b"}`, fault.InvalidRequestBody, "model"},
		"hard case 268: very deep":                 {`{"model":"m","x":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + `}`, fault.InvalidRequestBody, ""},
		"no messages":                              {`{"model":"m"}`, fault.MissingParameter, "messages"},
		"empty messages":                           {`{"model":"m","messages":[]}`, fault.InvalidParameter, "messages"},
		"a role nobody has":                        {saying(`{"role":"bot","content":"x"}`), fault.InvalidParameter, "messages[0].role"},
		"hard case 270: max_tokens in quotes":      {talk(`"max_tokens":"100"`), fault.InvalidParameter, "max_tokens"},
		"hard case 270: temperature in quotes":     {talk(`"temperature":"0.5"`), fault.InvalidParameter, "temperature"},
		"hard case 271: bare strings":              {saying(`{"role":"user","content":["a"]}`), fault.InvalidParameter, "messages[0].content[0]"},
		"hard case 271: a type nobody has":         {saying(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"smell"}]}`), fault.InvalidParameter, "messages[0].content[1]"},
		"hard case 121: an effort nobody has":      {talk(`"reasoning_effort":"ultra"`), fault.InvalidParameter, "reasoning_effort"},
		"hard case 52: a choice without its tool":  {talk(`"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":{"type":"function","function":{"name":"b"}}`), fault.InvalidParameter, "tool_choice"},
		"hard case 30: two tools of one name":      {talk(`"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a","description":"x"}}]`), fault.InvalidParameter, "tools[1]"},
		"a picture that is none":                   {saying(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"ftp://x"}}]}`), fault.InvalidParameter, "messages[0].content[0]"},
		"a format nobody has":                      {talk(`"response_format":{"type":"xml"}`), fault.InvalidParameter, "response_format.type"},
		"no answers":                               {talk(`"n":0`), fault.InvalidParameter, "n"},
		"extra_body is a word":                     {talk(`"extra_body":"x"`), fault.InvalidParameter, "extra_body"},
		"a call of nothing":                        {saying(`{"role":"assistant","tool_calls":[{"id":"a","type":"magic"}]}`), fault.InvalidParameter, "messages[0].tool_calls[0]"},
		"a picture in the system text":             {saying(`{"role":"system","content":[{"type":"image_url","image_url":{"url":"https://x"}}]}`), fault.InvalidParameter, "messages[0].content[0]"},
		"hard case 119: reasoning that is a thing": {talk(`"reasoning":[1]`), fault.InvalidParameter, "reasoning"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := refusal(t, row.body)
			if field, _ := e.Details["field"].(string); e.Code != row.code || field != row.field {
				t.Errorf("%s about %q (%s), want %s about %q", e.Code, field, e.Message, row.code, row.field)
			}
		})
	}
}

func TestHardCase119And121And126ThinkingSwitches(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"thinking":true`:                                                   "medium/-/show",
		`"reasoning":true`:                                                  "medium/-/show",
		`"reasoning":{"enabled":false}`:                                     "none/-/hide",
		`"enable_thinking":false`:                                           "none/-/hide",
		`"enable_thinking":true`:                                            "medium/-/show",
		`"thinking":false`:                                                  "none/-/hide",
		`"reasoning_effort":true`:                                           "medium/-/show",
		`"reasoning_effort":false`:                                          "none/-/hide",
		`"reasoning_effort":"HIGH"`:                                         "high/-/show",
		`"reasoning_effort":"none"`:                                         "none/-/hide",
		`"reasoning_effort":null`:                                           "nil",
		`"reasoning":{"effort":"low"}`:                                      "low/-/show",
		`"reasoning":{"effort":"low","exclude":true}`:                       "low/-/hide",
		`"reasoning":{"max_tokens":2000}`:                                   "/2000/show",
		`"thinking":{"type":"disabled"}`:                                    "none/-/hide",
		`"thinking":{"type":"adaptive"}`:                                    "/-/show",
		`"extra_body":{"reasoning_effort":"low"}`:                           "low/-/show",
		`"options":{"thinking":true}`:                                       "medium/-/show",
		`"thinking":{"type":"enabled"}`:                                     "medium/-/show",
		`"reasoning_effort":"low","extra_body":{"x":1}`:                     "low/-/show",
		`"thinking":{"type":"enabled","budget_tokens":9}`:                   "/9/show",
		`"reasoning_effort":"high","extra_body":{"reasoning_effort":"low"}`: "high/-/show",
		`"reasoning_effort":"high","reasoning":{"max_tokens":2000}`:         "high/2000/show!",
		`"reasoning_effort":"high","enable_thinking":false`:                 "none/-/hide!",
	} {
		_, c := decode(t, []byte(talk(body)))
		got := "nil"
		if th := c.Thinking; th != nil {
			budget, show := "-", "hide"
			if th.Budget != nil {
				budget = fmt.Sprint(*th.Budget)
			}
			if *th.Show {
				show = "show"
			}
			got = th.Effort + "/" + budget + "/" + show
		}
		if len(c.Notes) > 0 {
			got += "!"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

func TestHardCase155NullIsAbsent(t *testing.T) {
	t.Parallel()
	_, want := decode(t, []byte(talk("")))
	_, got := decode(t, []byte(talk(`"temperature":null,"stop":null,"tools":null,"response_format":null,"stream_options":null,"n":null,`+
		`"reasoning":null,"tool_choice":null,"metadata":null,"stream":null,"extra_body":null,"user":null,"functions":null,"max_tokens":null`)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadsWhatClientsSend(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body  string
		holds func(c *chat.Conversation) bool
	}{
		"a schema beside json_object": {talk(`"response_format":{"type":"json_object","schema":{"type":"object"}}`), func(c *chat.Conversation) bool {
			return c.Format.Kind == chat.JSONSchema && string(c.Format.Schema) == `{"type":"object"}`
		}},
		"hard case 22: no arguments": {saying(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":""}},{"id":"b","type":"function","function":{"name":"f"}}]}`), func(c *chat.Conversation) bool {
			p := c.Messages[0].Parts
			return p[0].Text == "" && p[1].Text == "" && p[1].ID == "b"
		}},
		"hard case 25: digits stay": {saying(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"a\":12345678901234567890,\"b\":1.0,\"c\":1e2}"}}]}`), func(c *chat.Conversation) bool {
			return c.Messages[0].Parts[0].Text == `{"a":12345678901234567890,"b":1.0,"c":1e2}`
		}},
		"hard case 27: no tools but a choice": {talk(`"tools":[],"tool_choice":"auto","parallel_tool_calls":true`), func(c *chat.Conversation) bool {
			return len(c.Tools) == 0 && !c.Choice.Serial
		}},
		"hard case 30: the same tool twice": {talk(`"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]`), func(c *chat.Conversation) bool {
			return len(c.Tools) == 1 && len(c.Notes) == 1
		}},
		"hard case 47: functions": {`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"18"}],"functions":[{"name":"f"}],"function_call":{"name":"f"}}`, func(c *chat.Conversation) bool {
			call, result := c.Messages[1].Parts[0], c.Messages[2].Parts[0]
			return c.Legacy && c.Choice.Mode == chat.Named && c.Choice.Serial && call.ID != "" && call.ID == result.ID && result.Name == "f"
		}},
		"hard case 76 and 77: empty content": {saying(`{"role":"user","content":""},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`), func(c *chat.Conversation) bool {
			return len(c.Messages[0].Parts) == 0 && len(c.Messages[1].Parts) == 1
		}},
		"hard case 79: nothing at all": {saying(`{"role":"user","content":"x"},{"role":"assistant","content":null}`), func(c *chat.Conversation) bool {
			return len(c.Messages) == 2 && len(c.Messages[1].Parts) == 0
		}},
		"hard case 80, 81 and 85: only system": {saying(`{"role":"developer","content":"a"},{"role":"system","content":"b"}`), func(c *chat.Conversation) bool {
			return len(c.Messages) == 0 && len(c.System) == 2 && c.System[0].Text == "a" && c.System[1].At == 1
		}},
		"hard case 82: system in the middle": {saying(`{"role":"system","content":"a"},{"role":"user","content":"b"},{"role":"system","content":"c"}`), func(c *chat.Conversation) bool {
			return len(c.System) == 1 && c.Messages[1].Role == chat.System && c.Messages[1].At == 2
		}},
		"hard case 91: a name": {saying(`{"role":"user","name":"ann","content":"b"}`), func(c *chat.Conversation) bool {
			return c.Messages[0].Name == "ann"
		}},
		"hard case 150: two limits": {talk(`"max_tokens":10,"max_completion_tokens":20`), func(c *chat.Conversation) bool {
			return *c.Sampling.MaxTokens == 20 && len(c.Notes) == 1
		}},
		"hard case 156: one stop, and none": {talk(`"stop":"END"`), func(c *chat.Conversation) bool { return cmp.Equal(c.Sampling.Stop, []string{"END"}) }},
		"hard case 160: three answers":      {talk(`"n":3`), func(c *chat.Conversation) bool { return c.N == 3 }},
		"hard case 162: logprobs":           {talk(`"logprobs":true,"top_logprobs":4`), func(c *chat.Conversation) bool { return *c.Logprobs == 4 }},
		"hard case 168: a loose data URL": {saying(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;charset=utf-8;base64,iVBORw0K\nGgo"}}]}`), func(c *chat.Conversation) bool {
			m := c.Messages[0].Parts[0].Media
			return m.Type == "image/png" && m.Base64 == "iVBORw0KGgo="
		}},
		"hard case 174: a PDF": {saying(`{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBERi0="}}]}`), func(c *chat.Conversation) bool {
			p := c.Messages[0].Parts[0]
			return p.Kind == chat.Document && p.Name == "a.pdf" && p.Media.Base64 == "JVBERi0="
		}},
		"hard case 178: a bare PDF": {saying(`{"role":"user","content":[{"type":"file","file":{"file_data":"JVBERi0xLjQK"}}]}`), func(c *chat.Conversation) bool {
			return c.Messages[0].Parts[0].Media.Type == "application/pdf"
		}},
		"hard case 181: a sound without content": {saying(`{"role":"assistant","content":null,"audio":{"id":"audio_1"}}`), func(c *chat.Conversation) bool {
			p := c.Messages[0].Parts[0]
			return p.Kind == chat.Audio && p.ID == "audio_1"
		}},
		"hard case 185: a file id": {saying(`{"role":"user","content":[{"type":"file","file":{"file_id":"file-abc"}}]}`), func(c *chat.Conversation) bool {
			return c.Messages[0].Parts[0].Media.FileID == "file-abc"
		}},
		"hard case 192: marks": {saying(`{"role":"user","content":[{"type":"text","text":"","cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"x"}]}`), func(c *chat.Conversation) bool {
			return c.Messages[0].Parts[0].Cache.TTL == "1h" && c.Messages[0].Parts[1].Cache == nil
		}},
		"a result without an id": {saying(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"x"}`), func(c *chat.Conversation) bool {
			return c.Messages[1].Parts[0].ID == "a" && c.Messages[1].Parts[0].Name == "f"
		}},
		"unknown fields are named": {`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x","mood":1}],"mood":2}],"mood":3.0}`, func(c *chat.Conversation) bool {
			return len(c.Notes) == 2 && len(c.Extra) == 1 && c.Extra[0].Name == "openai.mood" && string(c.Extra[0].Value) == "3.0" && c.Extra[0].Effect == chat.Shapes
		}},
		"effects": {talk(`"web_search_options":{},"store":true,"moderation":{"policy":{"input":{"mode":"block"}}}`), func(c *chat.Conversation) bool {
			return c.Extra[0].Effect == chat.Vital && c.Extra[1].Effect == chat.Harmless && c.Extra[2].Effect == chat.Vital
		}},
		"extra_body is merged under": {talk(`"temperature":1,"extra_body":{"temperature":0,"top_k":5},"options":{"top_k":7,"seed":3}`), func(c *chat.Conversation) bool {
			return *c.Sampling.Temperature == 1 && *c.Sampling.TopK == 5 && *c.Sampling.Seed == 3 && len(c.Extra) == 0
		}},
		"thoughts collected from a stream": {saying(`{"role":"assistant","content":"x","reasoning_content":"ab","reasoning_details":[{"type":"reasoning.text","text":"a","index":0},{"type":"reasoning.text","text":"b","index":0},{"type":"reasoning.text","text":"","signature":"S","index":0}]}`), func(c *chat.Conversation) bool {
			p := c.Messages[0].Parts
			return len(p) == 2 && p[0].Kind == chat.Thought && p[0].Text == "ab" && p[0].Proof == "S"
		}},
		"a signature whose words are apart": {saying(`{"role":"assistant","content":"x","reasoning_content":"ab","reasoning_details":[{"type":"reasoning.text","signature":"S","index":0}]}`), func(c *chat.Conversation) bool {
			p := c.Messages[0].Parts
			return len(p) == 2 && p[0].Text == "ab" && p[0].Proof == "S"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, c := decode(t, []byte(row.body)); !row.holds(c) {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestPathsAreTheClientsOwn(t *testing.T) {
	t.Parallel()
	_, c := decode(t, []byte(saying(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},`+
		`{"role":"assistant","content":"x","reasoning_content":"t","refusal":"r","audio":{"id":"audio_1"},"tool_calls":[{"id":"a","type":"function","function":{"name":"f"}},{"id":"b","type":"function","function":{"name":"f"}}]}`)))
	var got []string
	for _, m := range c.Messages {
		for _, p := range m.Parts {
			got = append(got, Codec{}.Path(chat.LostPart(m, p, chat.Dropped, "")))
		}
	}
	for _, l := range []chat.Loss{
		chat.Lost(chat.FieldMaxTokens, chat.Dropped, ""), chat.Lost(chat.FieldThinking, chat.Dropped, ""), chat.Lost(chat.FieldFormat, chat.Dropped, ""),
		chat.LostTool(chat.Tool{At: 2}, chat.Dropped, ""), chat.Lost("openai.logit_bias", chat.Dropped, ""), chat.Lost(chat.FieldTopK, chat.Dropped, ""),
		{Field: chat.FieldName, Message: 3, Part: -1}, {Field: chat.FieldSystem, Message: -1, Part: 0}, {Field: chat.FieldCache, Message: 1, Part: 2},
	} {
		got = append(got, Codec{}.Path(l))
	}
	want := []string{
		"messages[0].content[0]", "messages[0].content[1]",
		"messages[1].reasoning_content", "messages[1]", "messages[1].refusal", "messages[1].audio", "messages[1].tool_calls[0]", "messages[1].tool_calls[1]",
		"max_completion_tokens", "reasoning_effort", "response_format", "tools[2]", "logit_bias", "top_k",
		"messages[3].name", "messages[0]", "messages[1].content[2].cache_control",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestHardCase268ManyOfEverything: nothing takes longer than in proportion.
func TestHardCase268ManyOfEverything(t *testing.T) {
	t.Parallel()
	const many = 30000
	var calls, results, tools, details []string
	for i := range many {
		calls = append(calls, fmt.Sprintf(`{"id":"c%d","type":"function","function":{"name":"f%d","arguments":"{}"}}`, i, i))
		results = append(results, fmt.Sprintf(`{"role":"tool","tool_call_id":"c%d","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, many-1-i))
		tools = append(tools, fmt.Sprintf(`{"type":"function","function":{"name":"f%d"}}`, i))
		details = append(details, `{"type":"reasoning.text","text":"`+strings.Repeat("t", 50)+`","index":0}`)
	}
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"assistant","reasoning_details":[%s],"tool_calls":[%s]},%s],"tools":[%s]}`,
		strings.Join(details, ","), strings.Join(calls, ","), strings.Join(results, ","), strings.Join(tools, ","))
	_, c := decode(t, []byte(body))
	for _, compatible := range []bool{true, false} {
		call, err := Codec{}.EncodeRequest(c, dialect.Upstream{Model: "m", Compatible: compatible})
		if err != nil || len(call.Losses) > 1 {
			t.Error(err, len(call.Losses))
		}
	}
}
