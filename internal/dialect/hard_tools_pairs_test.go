package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// callsO are calls of OpenAI's by their ids, each with its number as its argument.
func callsO(ids ...string) string {
	var list []string
	for i, id := range ids {
		list = append(list, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":"f","arguments":"{\"a\":\"%d\"}"}}`, id, i))
	}
	return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]}`
}

func resultO(id, text string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%q}`, id, text)
}

// askedO is a conversation with tools.
func askedO(messages ...string) string {
	return `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},` + strings.Join(messages, ",") + `]}`
}

// streaming is a request for a stream, with a tool.
func streaming(from string) string {
	return map[string]string{O: streamO, A: streamA, G: streamG}[from]
}

var hardSharp = section{"Y", "what finds what", []hard{
	{number: 952, name: "a sound has an id and an end, told once", run: func(t *testing.T) {
		sound := `{"inlineData":{"mimeType":"audio/L16;codec=pcm;rate=24000","data":"AAAA"}}`
		ask := `"modalities":["text","audio"],"audio":{"voice":"alloy","format":"pcm16"}`
		l := take(t, trip{from: O, to: G, ask: withO(ask), answers: []string{wholeG(sound)}})
		audio := gjson.Get(l.body, "choices.0.message.audio")
		if !strings.HasPrefix(audio.Get("id").Str, "audio_") || audio.Get("expires_at").Int() == 0 || audio.Get("data").Str != "AAAA" || !audio.Get("transcript").Exists() {
			t.Error(audio.Raw)
		}
		l = take(t, trip{from: O, to: G, stream: true, ask: withO(ask + `,"stream":true`), answers: []string{sse(partsG(sound, ""), partsG(sound, `,"finishReason":"STOP"`))}})
		is(t, "pieces", len(l.all("choices.0.delta.audio.data")), 2)
		is(t, "ids", len(l.all("choices.0.delta.audio.id")), 1)
		is(t, "ends", len(l.all("choices.0.delta.audio.expires_at")), 1)
	}},
	{number: 953, name: "results with ids and without, in another order", run: func(t *testing.T) {
		result := func(id, text string) string {
			return `{"functionResponse":{` + id + `"name":"f","response":{"output":"` + text + `"}}}`
		}
		ask := `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}}},{"functionCall":{"name":"f","args":{"a":"2"}}}]},` +
			`{"role":"user","parts":[` + result("", "second") + `,` + result(`"id":"1",`, "first") + `]}]}`
		l := take(t, trip{from: G, to: O, ask: ask})
		for i, want := range []string{"first", "second"} {
			id := l.got().Get(fmt.Sprintf("messages.1.tool_calls.%d.id", i)).Str
			is(t, "a result", l.got().Get(`messages.#(tool_call_id=="`+id+`").content`).Str, want)
		}
		l = take(t, trip{from: G, to: A, ask: ask})
		is(t, "the results", l.got().Get("messages.2.content.#.content").Raw, `["first","second"]`)
	}},
	{number: 954, name: "two results for one call", run: func(t *testing.T) {
		twice := `{"type":"tool_result","tool_use_id":"toolu_1","content":"one"},{"type":"tool_result","tool_use_id":"toolu_1","content":"two"}`
		for _, to := range []string{O, G} {
			l := take(t, trip{from: A, to: to, ask: calledA(twice)})
			l.warns("messages[2].content[1]", chat.Approximated)
			if got := l.got().Raw; !strings.Contains(got, "one") || !strings.Contains(got, "two") || strings.Count(got, `"tool_call_id"`)+strings.Count(got, `"functionResponse"`) != 1 {
				t.Error(got)
			}
		}
	}},
	{number: 955, name: "ids that differ only in what an upstream does not take", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: askedO(callsO("a.b", "a:b", "a_b"), resultO("a:b", "1"), resultO("a_b", "2"), resultO("a.b", "0"))})
		ids := l.got().Get("messages.1.content.#.id").Array()
		for i, id := range ids {
			is(t, "a result", l.got().Get(`messages.2.content.#(tool_use_id=="`+id.Str+`").content`).Str, fmt.Sprint(i))
		}
		is(t, "the number of ids", len(ids), 3)
	}},
	{number: 956, name: "one id again in a later turn, and twice in one", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: askedO(callsO("c", "c"), resultO("c", "0"), resultO("c", "1"), says("user", "on"), callsO("c"), resultO("c", "2"))})
		seen := map[string]bool{}
		for _, m := range l.got().Get("messages").Array() {
			for _, b := range m.Get("content").Array() {
				if id := b.Get("id"); id.Exists() {
					if seen[id.Str] {
						t.Errorf("%s twice in %s", id.Str, l.got().Raw)
					}
					seen[id.Str] = true
				}
			}
		}
		is(t, "the results", l.got().Get("messages.2.content.#.content").Raw+l.got().Get("messages.4.content.#.content").Raw, `["0","1"]["2"]`)
	}},
	{number: 957, name: "somebody speaks between a call and its result", run: func(t *testing.T) {
		ask := askedO(callsO("c"), says("user", "wait"), resultO("c", "0"))
		take(t, trip{from: O, to: A, ask: ask}).sends("messages.2.content.#.type", `["tool_result","text"]`)
		l := take(t, trip{from: O, to: G, ask: ask})
		l.sends("contents.2.parts.#.functionResponse.response.output", `["0"]`)
		l.sends("contents.3.parts", `[{"text":"wait"}]`)
	}},
	{number: 958, name: "events, blocks and pieces of Claude's that nobody knows yet", run: func(t *testing.T) {
		odd := named(`{"type":"zzz_event","a":1}`, `{"type":"content_block_start","index":0,"content_block":{"type":"zzz_block","a":1}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"zzz_delta","b":2}}`, `{"type":"content_block_stop","index":0}`)
		for _, from := range []string{O, G} {
			l := take(t, trip{from: from, to: A, stream: true, ask: streaming(from), answers: []string{messageA(odd+textA(1, "hi"), "end_turn")}})
			l.warns("answer", chat.Dropped)
			if !strings.Contains(l.body, "hi") || strings.Contains(l.body, "zzz") {
				t.Error(l.body)
			}
		}
		stream := messageA(odd+textA(1, "hi"), "end_turn")
		is(t, "passed through", take(t, trip{from: A, to: A, stream: true, ask: streamA, answers: []string{stream}}).body, stream)
	}},
	{number: 959, name: "usage that does not add up", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: plain[A], answers: []string{usedO(`{"prompt_tokens":10,"completion_tokens":3,"total_tokens":18,"completion_tokens_details":{"reasoning_tokens":5},"prompt_tokens_details":null}`)}})
		l.gets("usage.output_tokens", "8")
		l.gets("usage.output_tokens_details.thinking_tokens", "5")
		many := `{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"toolUsePromptTokenCount":5,"cachedContentTokenCount":40,"candidatesTokenCount":3}}`
		l = take(t, trip{from: A, to: G, ask: plain[A], answers: []string{many}})
		l.gets("usage.input_tokens", "0")
		l.gets("usage.cache_read_input_tokens", "15")
	}},
	{number: 960, name: "free text cut inside of an escape", run: func(t *testing.T) {
		tool := `"tools":[{"type":"custom","custom":{"name":"p"}}],"stream":true`
		l := take(t, trip{from: O, to: A, stream: true, ask: withO(tool), answers: []string{messageA(toolA(0, "t", "p", `{"inp`, `ut":"a\u00`, `e9\n"}`), "tool_use")}})
		is(t, "the input", l.joined("choices.0.delta.tool_calls.0.custom.input"), "aé\n")
		is(t, "the kind", l.joined("choices.0.delta.tool_calls.0.type"), "custom")
	}},
	{number: 961, name: "answers side by side, the later one first", run: func(t *testing.T) {
		chunk := func(index int, text, finish string) string {
			return fmt.Sprintf(`{"id":"x","choices":[{"index":%d,"delta":{"content":%q},"finish_reason":%s}]}`, index, text, finish)
		}
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"candidateCount":2}}`
		l := take(t, trip{from: G, to: O, stream: true, ask: ask, answers: []string{sse(chunk(1, "b1", "null"), chunk(0, "a1", "null"), chunk(1, "b2", `"length"`), chunk(0, "a2", `"stop"`), "[DONE]")}})
		var said [2]string
		for _, e := range l.events() {
			c := e.data.Get("candidates.0")
			said[c.Get("index").Int()] += c.Get("content.parts.0.text").Str + c.Get("finishReason").Str
		}
		is(t, "the answers", said, [2]string{"a1a2STOP", "b1b2MAX_TOKENS"})
	}},
	{number: 962, name: "errors in other servers' forms", run: func(t *testing.T) {
		for body, want := range map[string]string{
			`{"error":"bad thing"}`: "bad thing", `{"detail":[{"loc":["body"],"msg":"field required"}]}`: "field required",
			`{"object":"error","message":"too odd","code":400}`: "too odd",
		} {
			for _, from := range []string{A, G} {
				l := try(t, trip{from: from, to: O, kind: "vllm", ask: plain[from], status: 422, answers: []string{body}})
				if l.status != 400 || gjson.Get(l.body, "error.message").Str != want {
					t.Errorf("%s: %d %s", from, l.status, l.body)
				}
			}
		}
	}},
	{number: 963, name: "blocks that nobody knows, of a person's and of the model's", run: func(t *testing.T) {
		odd := `[{"type":"zzz","a":1},{"type":"text","text":"x"}]`
		ask := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":%s},{"role":"assistant","content":%s},{"role":"user","content":"on"}]}`
		for _, to := range []string{O, G} {
			refuses(t, trip{from: A, to: to, ask: fmt.Sprintf(ask, odd, `"x"`)}, "messages[0].content[0]")
			take(t, trip{from: A, to: to, ask: fmt.Sprintf(ask, `"x"`, odd)}).warns("messages[1].content[0]", chat.Dropped)
		}
	}},
	{number: 964, name: "a stop of five is watched for here and named", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9,"stream":true,"stop_sequences":["a1","b1","c1","d1","e1"],"messages":[{"role":"user","content":"go"}]}`
		l := take(t, trip{from: A, to: O, stream: true, ask: ask, answers: []string{chunksO("stop", `{"content":"xx e"}`, `{"content":"1 yy"}`)}})
		l.sends("stop", `["a1","b1","c1","d1"]`)
		is(t, "the text", l.joined("delta.text"), "xx ")
		is(t, "the reason", l.joined("delta.stop_reason")+" "+l.joined("delta.stop_sequence"), "stop_sequence e1")
	}},
	{number: 965, name: "it breaks off in its answer", run: func(t *testing.T) {
		broken := map[string]string{
			O: strings.Split(chunksO("stop", `{"content":"a"}`), `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},`)[0] + sse(`{"error":{"message":"boom","type":"server_error","code":null}}`),
			A: cutA(messageA(textA(0, "a"), "end_turn"), "event: message_delta") + named(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			G: sse(partsG(`{"text":"a"}`, ""), `{"error":{"code":429,"message":"q","status":"RESOURCE_EXHAUSTED"}}`),
		}
		for to, stream := range broken {
			for _, from := range others(to) {
				l := try(t, trip{from: from, to: to, stream: true, ask: streaming(from), answers: []string{stream}})
				if l.failure == nil || !strings.Contains(l.body, `"a"`) || !strings.Contains(l.body, `"error"`) || strings.Contains(l.body, "[DONE]") || strings.Contains(l.body, "message_stop") || strings.Contains(l.body, "finishReason") {
					t.Errorf("%s from %s: %s", from, to, l.body)
				}
			}
		}
	}},
	{number: 966, name: "what is usual anyway refuses nothing", run: func(t *testing.T) {
		usual := `{"model":"m","max_tokens":9,"speed":"standard","top_p":1,"temperature":1,"messages":[{"role":"user","content":"go"}]}`
		for _, model := range []string{"o3", "gpt-5.2"} {
			l := take(t, trip{from: A, to: O, model: model, ask: usual})
			l.sends("top_p", "")
			if strings.Contains(l.told(), "dropped") {
				t.Error(l.told())
			}
		}
		l := take(t, trip{from: G, to: O, model: "o3", ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"topP":1,"temperature":1,"presencePenalty":0,"frequencyPenalty":0}}`})
		l.quiet()
		take(t, trip{from: G, to: O, model: "o3", ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"topP":0.5}}`}).warns("generationConfig.topP", chat.Dropped)
	}},
}}
