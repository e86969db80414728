package dialect_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// signedA is a turn of a client of Anthropic's that goes on behind one call, with the blocks that it got.
func signedA(blocks string) string {
	return `{"model":"m","max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":1024},` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":` + blocks +
		`},{"role":"user","content":[` + resultA("c1") + `]}]}`
}

// inShort is each block of an answer of Anthropic's, whole or as its events tell it.
func (l *landed) inShort() string {
	var list []string
	if !l.trip.stream {
		for _, b := range gjson.Get(l.body, "content").Array() {
			list = append(list, b.Get("type").Str, b.Get("thinking").Str, b.Get("signature").Str, b.Get("data").Str)
		}
		return strings.Join(strings.Fields(strings.Join(list, " ")), " ")
	}
	thought := ""
	for _, e := range l.events() {
		switch b := e.data.Get("content_block"); {
		case e.name == "content_block_start":
			list = append(list, b.Get("type").Str, b.Get("data").Str)
		case e.data.Get("delta.type").Str == "signature_delta":
			list, thought = append(list, thought, e.data.Get("delta.signature").Str), ""
		case e.name == "content_block_delta":
			thought += e.data.Get("delta.thinking").Str
		}
	}
	return strings.Join(strings.Fields(strings.Join(list, " ")), " ")
}

// What answers are announced as and are not, and what servers have in members of their own.
var hardAnnounced = section{"BG", "what is announced as something else, and told in other members", []hard{
	// Servers and proxies that take the type from the request and not from the answer: a client of the same dialect got JSON where it read events, and so nothing.
	{number: 1480, name: "a whole answer under the type of a stream", answer: "it is the answer, streamed or whole, as the client asked", run: func(t *testing.T) {
		typed := http.Header{"Content-Type": {"text/event-stream"}}
		says := map[string]string{O: "choices.0.delta.content", A: "delta.text", G: "candidates.0.content.parts.0.text"}
		whole := map[string]string{O: "choices.0.message.content", A: "content.0.text", G: "candidates.0.content.parts.0.text"}
		for _, to := range []string{O, A, G} {
			for _, from := range []string{O, A, G} {
				for _, body := range []string{hi[to], "\uFEFF" + hi[to], "\n\n \n" + gjson.Get(hi[to], "@pretty").Raw} {
					l := take(t, trip{from: from, to: to, own: true, stream: true, ask: plainly(from, true), answers: []string{body}, header: typed})
					is(t, inLine(from, to, "streamed"), l.joined(says[from]), "hi")
					take(t, trip{from: from, to: to, own: true, ask: plainly(from, false), answers: []string{body}, header: typed}).gets(whole[from], `"hi"`)
				}
			}
		}
		list := `[` + strings.Replace(hi[G], `"finishReason":"STOP",`, "", 1) + ",\r\n" + hi[G] + `]`
		is(t, "Google's list", take(t, trip{from: G, to: G, own: true, stream: true, ask: plainly(G, true), answers: []string{list}, header: typed}).joined(says[G]), "hihi")
		limited := trip{from: O, to: A, own: true, stream: true, ask: plainly(O, true), answers: []string{`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`}, header: typed}
		is(t, "an error", try(t, limited).status, 429)
	}},
	// use-agent-os/agent-os#3182 and FastAPI's users: HTTPException(detail={…}) holds whatever a server puts there.
	{number: 1481, name: "a refusal whose words stand deeper, or in an event", run: func(t *testing.T) {
		for _, body := range []string{
			`{"detail":{"error":"WORDS"}}`, `{"detail":{"message":"WORDS"}}`, `{"detail":{"error":{"message":"WORDS","code":"x"}}}`, `{"error":{"error":{"message":"WORDS"}}}`, `{"error":[{"message":"WORDS"}]}`,
			`{"Error":{"Code":"x","Message":"WORDS"}}`, `{"fault":{"faultstring":"WORDS","detail":{"errorcode":"x"}}}`, sse(`{"error":{"message":"WORDS"}}`),
			"id:1\nevent:error\n:HTTP_STATUS/400\ndata:{\"code\":\"InvalidParameter\",\"message\":\"WORDS\"}",
		} {
			for _, to := range []string{O, A, G} {
				l := try(t, trip{from: A, to: to, own: true, ask: plain[A], status: 400, answers: []string{body}})
				is(t, inLine(to, body), inLine(l.status, gjson.Get(l.body, "error.message").Str), "400 WORDS")
			}
		}
	}},
	// BerriAI/litellm#10141, simonw/llm-gemini#75: some have thoughts among the candidates' tokens, and the total tells.
	{number: 1482, name: "thoughts that a server of Google's dialect counts twice", run: func(t *testing.T) {
		answer := strings.Replace(hi[G], `"promptTokenCount":3,"candidatesTokenCount":1,"totalTokenCount":4`, `"promptTokenCount":10,"candidatesTokenCount":11,"thoughtsTokenCount":6,"totalTokenCount":21`, 1)
		l := take(t, trip{from: O, to: G, ask: plain[O], answers: []string{answer}})
		l.gets("usage.completion_tokens", "11")
		l.gets("usage.completion_tokens_details.reasoning_tokens", "6")
		l.gets("usage.total_tokens", "21")
		beside := strings.Replace(answer, `"totalTokenCount":21`, `"totalTokenCount":27`, 1)
		take(t, trip{from: O, to: G, ask: plain[O], answers: []string{beside}}).gets("usage.completion_tokens", "17")
	}},
	// open-webui/open-webui#29860, BerriAI/litellm#38809: without the signature a Claude behind LiteLLM refuses the next turn, or forgets what it thought. earendil-works/pi#1502: GitHub's Copilot.
	{number: 1483, name: "signed thoughts in members that LiteLLM and GitHub's Copilot have", run: func(t *testing.T) {
		const call, text = `"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]`, `"reasoning_content":"think"`
		const block, red = `{"type":"thinking","thinking":"think","signature":"SIG"}`, `{"type":"redacted_thinking","data":"RED"}`
		for _, row := range []struct{ whole, told, back string }{
			{text + `,"thinking_blocks":[` + block + `,` + red + `]`, `{"reasoning_content":"thi","thinking_blocks":[{"type":"thinking","thinking":"thi"}]} {"reasoning_content":"nk"} {"thinking_blocks":[` + block + `]} {"thinking_blocks":[` + red + `]} {"thinking_blocks":[` + block + `]}`, text + `,"thinking_blocks":[` + block + `,` + red + `]`},
			{`"thinking_blocks":[` + block + `],` + text, `{"thinking_blocks":[` + block + `],` + text + `}`, text + `,"thinking_blocks":[` + block + `]`},
			{`"thinking_blocks":[{"type":"thinking","thinking":"","signature":"SIG"}]`, `{"thinking_blocks":[{"type":"thinking","thinking":"","signature":"SIG"}]}`, `"thinking_blocks":[{"type":"thinking","thinking":"","signature":"SIG"}]`},
			{`"reasoning_text":"think","reasoning_opaque":"SIG"`, `{"reasoning_text":"thi"} {"reasoning_text":"nk"} {"reasoning_opaque":"SIG"}`, `"reasoning_text":"think","reasoning_opaque":"SIG"`},
		} {
			const ask = `{"model":"m","max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":1024},` + toolsA + `,"messages":[{"role":"user","content":"go"}]}`
			whole := take(t, trip{from: A, to: O, own: true, ask: ask, answers: []string{endO("tool_calls", `"content":null,`+row.whole+`,`+strings.Replace(call, `"index":0,`, "", 1))}})
			streamed := take(t, trip{from: A, to: O, own: true, stream: true, ask: ask, answers: []string{chunksO("tool_calls", append(strings.Split(row.told, " "), `{`+call+`}`)...)}})
			is(t, "whole as streamed: "+row.whole, streamed.inShort(), whole.inShort())
			next := take(t, trip{from: A, to: O, own: true, ask: signedA(gjson.Get(whole.body, "content").Raw)})
			for name, v := range gjson.Parse("{" + row.back + "}").Map() {
				next.sends("messages.1."+name, v.Raw)
			}
			next.sends("messages.1.reasoning_details", "")
		}
		const parts = `"thinking_blocks":[{"type":"thinking","thinking":"{\"functionCall\":{}}","signature":"SIG"}]`
		l := take(t, trip{from: G, to: O, own: true, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`, answers: []string{endO("stop", `"content":"x",`+text+`,`+parts)}})
		l.gets("candidates.0.content.parts.0.text", `"think"`)
		is(t, "Gemini's parts are no thoughts: "+l.told(), strings.Contains(l.told(), "thinking_blocks"), true)
	}},
	// lidge-jun/opencodex#361: a stream as a whole answer, where one piece has all of it.
	{number: 1484, name: "arguments written twice in one piece", run: func(t *testing.T) {
		const twice = `{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"1\"}{\"a\":\"1\"}"}}]}`
		l := take(t, trip{from: G, to: O, own: true, stream: true, ask: plainly(G, true), answers: []string{chunksO("tool_calls", twice)}})
		is(t, "Gemini's", l.all("candidates.0.content.parts.0.functionCall.args")[0].Raw, `{"a":"1"}`)
		is(t, "Claude's", take(t, trip{from: A, to: O, own: true, stream: true, ask: plainly(A, true), answers: []string{chunksO("tool_calls", twice)}}).joined("delta.partial_json"), `{"a":"1"}`)
	}},
	{number: 1485, name: "from where to where a conversation may go, as Alibaba says it", run: func(t *testing.T) {
		const words = "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"
		l := try(t, trip{from: A, to: O, own: true, ask: plain[A], status: 400, answers: []string{said(O, words)}})
		is(t, "no figures of its own", gjson.Get(l.body, "error.message").Str, "prompt is too long: "+words)
	}},
	// All members of an answer are there, and say nothing.
	{number: 1486, name: "MiniMax's failure in the form of an answer", run: func(t *testing.T) {
		const body = `{"id":"x","choices":null,"created":1,"model":"m","object":"chat.completion","usage":{"total_tokens":0},"input_sensitive":false,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`
		for _, from := range []string{O, A, G} {
			is(t, "whole, "+from, try(t, trip{from: from, to: O, own: true, ask: plainly(from, false), answers: []string{body}}).status, 429)
			is(t, "streamed, "+from, try(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{sse(body, "[DONE]")}}).status, 429)
		}
	}},
	// archestra-ai/archestra#814: an agent would run the tool twice.
	{number: 1487, name: "a chunk of Google's with a call that comes again", run: func(t *testing.T) {
		chunk := func(id, args string) string {
			return `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"` + id + `","name":"f","args":` + args + `}}]},"index":0}]}`
		}
		for _, row := range []struct {
			name, first, second string
			calls               int
		}{
			{"the same", chunk("c1", `{"a":"1"}`), chunk("c1", `{"a":"1"}`), 1},
			{"other arguments", chunk("c1", `{"a":"1"}`), chunk("c1", `{"a":"2"}`), 2},
			{"the tool's name for an id", chunk("f", `{"a":"1"}`), chunk("f", `{"a":"1"}`), 2},
			{"no id", chunk("", `{"a":"1"}`), chunk("", `{"a":"1"}`), 2},
		} {
			for from, path := range map[string]string{O: "choices.0.delta.tool_calls.0.id", A: "content_block.id"} {
				l := take(t, trip{from: from, to: G, stream: true, ask: plainly(from, true), answers: []string{sse(row.first, row.second, strings.Replace(hi[G], "hi", "", 1))}})
				is(t, inLine(from, row.name), len(l.all(path)), row.calls)
			}
		}
	}},
	{number: 1488, name: "words in a list of texts that are no parts", run: func(t *testing.T) {
		const words = `"content":["two ","words"]`
		take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{endO("stop", words)}}).gets("content.0.text", `"two words"`)
		is(t, "streamed", take(t, trip{from: A, to: O, own: true, stream: true, ask: plainly(A, true), answers: []string{chunksO("stop", `{`+words+`}`)}}).joined("delta.text"), "two words")
	}},
	// decolua/9router#3779: an end in its own word, and then stop with the usage.
	{number: 1489, name: "an end that is told again in the word for any", run: func(t *testing.T) {
		for word, want := range map[string]string{"length": "max_tokens", "content_filter": "refusal", "stop": "end_turn"} {
			answer := chunksO("", `{"content":"hi"}`) + sse(`{"choices":[{"index":0,"delta":{},"finish_reason":"`+word+`"}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`, "[DONE]")
			is(t, word, take(t, trip{from: A, to: O, own: true, stream: true, ask: plainly(A, true), answers: []string{answer}}).joined("delta.stop_reason"), want)
		}
	}},
}}
