package dialect_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// calls is an answer of OpenAI's that calls tools, each a name, an id and arguments.
func calls(list ...[3]string) string {
	var all []string
	for _, c := range list {
		all = append(all, `{"id":`+quoted(c[1])+`,"type":"function","function":{"name":`+quoted(c[0])+`,"arguments":`+quoted(c[2])+`}}`)
	}
	return endO("tool_calls", `"content":null,"tool_calls":[`+strings.Join(all, ",")+`]`)
}

// argumentsAt is where each client finds the arguments of the first call.
var argumentsAt = map[string]string{A: "content.0.input", G: "candidates.0.content.parts.0.functionCall.args"}

var hardAnswered = section{"Q", "odd requests, answers and errors", []hard{
	{number: 521, name: "calls and results in another's turn", run: func(t *testing.T) {
		for _, to := range []string{O, G} {
			l := take(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"go"},{"type":"tool_use","id":"c","name":"called","input":{}}]},` +
				`{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"c","content":"answered"}]},{"role":"user","content":"x"}]}`})
			if got := l.got().Raw; !strings.Contains(got, "called") || !strings.Contains(got, "answered") || strings.Contains(got, "functionCall") {
				t.Error(got)
			}
			l.warns("messages[0].content[1]", chat.Approximated)
			l.warns("messages[1].content[0]", chat.Approximated)
		}
		// What only one of them can say is its turn, whatever its role is called.
		ask := `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"model","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`
		take(t, trip{from: G, to: O, ask: ask}).sends("messages.2.content", `"x"`)
		take(t, trip{from: G, to: A, ask: ask}).sends("messages.2.content.0.content", `"x"`)
	}},
	{number: 522, name: "a last message that says nothing is not the model's to go on with", answer: "a few words stand for it", run: func(t *testing.T) {
		asks := map[string]string{
			O: talkO(says("user", "a"), says("assistant", "b"), says("user", "")),
			A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":""}]}`,
			G: `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]},{"role":"user","parts":[{"text":""}]}]}`,
		}
		pairs(func(from, to string) {
			l := take(t, trip{from: from, to: to, ask: asks[from]})
			turns := map[string]string{O: "messages", A: "messages", G: "contents"}[to]
			if l.got().Get(turns+".2.role").Str != "user" || l.got().Get(turns+".#").Int() != 3 || strings.Contains(l.got().Raw, "ontinue") {
				t.Errorf("%s to %s: %s", from, to, l.got().Raw)
			}
		})
	}},
	{number: 523, name: "arguments in a string of JSON, or with a name twice", run: func(t *testing.T) {
		for text, want := range map[string]string{
			`"{\"a\":1}"`: `{"a":1}`, ` {"a":1,"b":[{"c":1,"c":1.0}],"a":2}`: `{"b":[{"c":1.0}],"a":2}`, `"x"`: `{"_raw":"\"x\""}`,
			`[1]`: `{"_raw":"[1]"}`,
		} {
			for from, at := range argumentsAt {
				l := take(t, trip{from: from, to: O, ask: plain[from], answers: []string{calls([3]string{"f", "c", text})}})
				l.gets(at, want)
				if odd := strings.Contains(want, "_raw"); odd != l.warned("answer", chat.Approximated) {
					t.Errorf("%s of %s: told %s", from, text, l.told())
				}
			}
			history := talkO(says("user", "go"), `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":`+quoted(text)+`}}]}`, `{"role":"tool","tool_call_id":"c","content":"x"}`)
			take(t, trip{from: O, to: A, ask: history}).sends("messages.1.content.0.input", want)
			take(t, trip{from: O, to: G, ask: history}).sends("contents.1.parts.0.functionCall.args", want)
		}
	}},
	{number: 524, name: "two calls of one id in an answer", run: func(t *testing.T) {
		for from, at := range map[string]string{A: "content.#.id", G: "candidates.0.content.parts.#.functionCall.id"} {
			l := take(t, trip{from: from, to: O, ask: plain[from], answers: []string{calls([3]string{"f", "c", "{}"}, [3]string{"f", "c", "{}"})}})
			ids := gjson.Get(l.body, at).Array()
			if len(ids) != 2 || ids[0].Str != "c" || ids[1].Str == "c" || ids[1].Str == "" {
				t.Errorf("%s: %s", from, l.body)
			}
		}
	}},
	{number: 525, name: "names that a model decorates", run: func(t *testing.T) {
		for _, said := range []string{"f", " f", "default_api.f", "functions:f", "tools/f"} {
			l := take(t, trip{from: A, to: O, ask: offering(A, `{"type":"object"}`), answers: []string{calls([3]string{said, "c", "{}"})}})
			l.gets("content.0.name", `"f"`)
		}
		l := take(t, trip{from: A, to: O, ask: offering(A, `{"type":"object"}`), answers: []string{calls([3]string{"other", "c", "{}"})}})
		l.gets("content.0.name", `"other"`)
		l = take(t, trip{from: G, to: O, ask: strings.Replace(offering(G, `{"type":"object"}`), `"f"`, `"mcp.f"`, 1), answers: []string{calls([3]string{"mcp.f", "c", "{}"})}})
		l.gets("candidates.0.content.parts.0.functionCall.name", `"mcp.f"`)
	}},
	{number: 526, name: "an answer that its router says broke off", run: func(t *testing.T) {
		for answer, want := range map[string]int{
			endO("error", `"content":"half of"`): 500,
			strings.Replace(endO("error", `"content":"half of"`), `"finish_reason"`, `"error":{"code":429,"message":"slow"},"finish_reason"`, 1): 429,
		} {
			for _, from := range []string{A, G} {
				l := try(t, trip{from: from, to: O, ask: plain[from], answers: []string{answer}})
				if l.status != want || strings.Contains(l.body, "half of") {
					t.Errorf("%s: %d %s", from, l.status, l.body)
				}
			}
		}
	}},
	{number: 527, name: "what ran at Anthropic, in words for Google's clients, is told", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: A, ask: plain[G], answers: []string{wholeA("end_turn", `{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"q"}}`, `{"type":"text","text":"x"}`)}})
		l.warns("answer", chat.Approximated)
	}},
	{number: 528, name: "tokens that are no text", run: func(t *testing.T) {
		ofO := strings.Replace(endO("stop", `"content":"x"`), `"choices":`, `"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30,"prompt_tokens_details":{"audio_tokens":4},"completion_tokens_details":{"audio_tokens":15}},"choices":`, 1)
		l := take(t, trip{from: G, to: O, ask: plain[G], answers: []string{ofO}})
		l.gets("usageMetadata.promptTokensDetails", `[{"modality":"TEXT","tokenCount":6},{"modality":"AUDIO","tokenCount":4}]`)
		l.gets("usageMetadata.candidatesTokensDetails", `[{"modality":"TEXT","tokenCount":5},{"modality":"AUDIO","tokenCount":15}]`)
		ofG := `{"candidates":[{"content":{"role":"model","parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":10,` +
			`"toolUsePromptTokenCount":7,"totalTokenCount":117,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":20},{"modality":"IMAGE","tokenCount":5}],"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":20}]}}`
		l = take(t, trip{from: O, to: G, ask: plain[O], answers: []string{ofG}})
		l.gets("usage.prompt_tokens", "107")
		l.gets("usage.prompt_tokens_details", `{"cached_tokens":60,"cache_write_tokens":0,"audio_tokens":20,"image_tokens":5}`)
	}},
	{number: 529, name: "statuses of few", run: func(t *testing.T) {
		busy := map[string]int{O: 503, A: 529, G: 503}
		for _, row := range []struct {
			to     string
			status int
			body   string
			want   map[string]int
		}{
			{O, 498, `{"error":{"message":"capacity exceeded","type":"capacity_exceeded"}}`, busy},
			{G, 499, `{"error":{"code":499,"message":"The operation was cancelled.","status":"CANCELLED"}}`, busy},
			{O, 400, `{"error":{"message":"The model x does not exist","type":"invalid_request_error","code":"model_not_found"}}`, map[string]int{O: 404, A: 404, G: 404}},
			{A, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, map[string]int{O: 429, A: 429, G: 429}},
		} {
			for from, want := range row.want {
				l := try(t, trip{from: from, to: row.to, ask: plain[from], status: row.status, answers: []string{row.body}})
				is(t, from+" of "+row.body, l.status, want)
				if row.to == A && from == O {
					l.gets("error.code", `"insufficient_quota"`)
				}
			}
		}
		l := try(t, trip{from: A, to: O, ask: plain[A], status: 429, header: http.Header{"Retry-After": {"-5"}}, answers: []string{""}})
		is(t, "the wait", l.failure.RetryAfter, 0)
	}},
	{number: 530, name: "files that say too little, or elsewhere", run: func(t *testing.T) {
		unnamed := `{"contents":[{"parts":[{"inlineData":{"data":"` + pixel + `"}},{"inlineData":{"mimeType":"application/x-yaml","data":"YTogMQ=="}}]}]}`
		l := take(t, trip{from: G, to: O, ask: unnamed})
		l.sends("messages.0.content.0.type", `"image_url"`)
		l.sends("messages.0.content.1.type", `"text"`)
		l = take(t, trip{from: G, to: A, ask: unnamed})
		l.sends("messages.0.content.0.type", `"image"`)
		l.sends("messages.0.content.1.source.type", `"text"`)
		for _, member := range []string{"file_data", "file_url"} {
			ask := talkO(`{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","` + member + `":"https://a.example/a.pdf"}}]}`)
			take(t, trip{from: O, to: A, ask: ask}).sends("messages.0.content.0.source.url", `"https://a.example/a.pdf"`)
			l = take(t, trip{from: O, to: G, ask: ask, fetch: map[string]string{"https://a.example/a.pdf": "%PDF-1.4 x"}})
			l.sends("contents.0.parts.0.inlineData.mimeType", `"application/pdf"`)
		}
	}},
}}
