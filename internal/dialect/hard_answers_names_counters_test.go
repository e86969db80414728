package dialect_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// unnamed are answers with a call that does not say of which tool, by what stands beside it.
var unnamed = map[string]map[string]forms{
	O: {
		"nothing": {endO("tool_calls", `"content":null,"tool_calls":[`+nameless+`]`), chunksO("tool_calls", `{"tool_calls":[{"index":0,"id":"n","type":"function","function":{"arguments":"{}"}}]}`)},
		"words":   {endO("tool_calls", `"content":"hm","tool_calls":[`+nameless+`]`), chunksO("tool_calls", `{"content":"hm"}`, toolO(0, "n", "", "{}"))},
		"a call":  {endO("tool_calls", `"content":null,"tool_calls":[`+nameless+`,{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]`), chunksO("tool_calls", toolO(0, "n", "", "{}"), toolO(1, "c", "f", "{}"))},
	},
	A: {
		"nothing": {wholeA("tool_use", `{"type":"tool_use","id":"n","input":{}}`), messageA(toolA(0, "n", "", "{}"), "tool_use")},
		"words":   {wholeA("tool_use", `{"type":"text","text":"hm"}`, `{"type":"tool_use","id":"n","name":"","input":{}}`), messageA(textA(0, "hm")+toolA(1, "n", "", "{}"), "tool_use")},
		"a call":  {wholeA("tool_use", `{"type":"tool_use","id":"n","input":{}}`, `{"type":"tool_use","id":"c","name":"f","input":{}}`), messageA(toolA(0, "n", "", "{}")+toolA(1, "c", "f", "{}"), "tool_use")},
	},
	G: {
		"nothing": {wholeG(`{"functionCall":{"args":{}}}`), inChunks("STOP", `{"functionCall":{"args":{}}}`)},
		"words":   {wholeG(`{"text":"hm"}`, `{"functionCall":{"name":"","args":{}}}`), inChunks("STOP", `{"text":"hm"}`, `{"functionCall":{"args":{}}}`)},
		"a call":  {wholeG(`{"functionCall":{"args":{}}}`, `{"functionCall":{"name":"f","args":{}}}`), inChunks("STOP", `{"functionCall":{"args":{}}}`, `{"functionCall":{"name":"f","args":{}}}`)},
	},
}

const nameless = `{"id":"n","type":"function","function":{"arguments":"{}"}}`

// called counts the calls that a client sees in an answer, and those among them that have no name.
func called(l *landed) (calls, without int) {
	for _, v := range append(l.frames(), gjson.Parse(l.body)) {
		var names []gjson.Result
		for _, at := range []string{"choices.0.message.tool_calls.#.function.name", "choices.0.delta.tool_calls.#.function.name", "candidates.0.content.parts.#.functionCall.name", `content.#(type=="tool_use")#.name`} {
			names = append(names, v.Get(at).Array()...)
		}
		if b := v.Get("content_block"); b.Get("type").Str == "tool_use" {
			names = append(names, b.Get("name"))
		}
		for _, name := range names {
			if calls++; name.Str == "" {
				without++
			}
		}
	}
	return calls, without
}

// blocked is the page of a proxy.
const blocked = "<!DOCTYPE html>\n<html><head><title>Attention Required! | Cloudflare</title></head><body>Ray ID: 8f00</body></html>"

var hardNamed = section{"AD", "calls without names, pages and counters", []hard{
	{number: 1018, name: "a call that does not name its tool", answer: "it is left out and reported; an answer of nothing else is an error", run: func(t *testing.T) {
		for to, list := range unnamed {
			for beside, answer := range list {
				for _, from := range others(to) {
					for streamed, body := range map[bool]string{false: answer.whole, true: answer.stream} {
						l := try(t, trip{from: from, to: to, stream: streamed, ask: plainly(from, streamed), answers: []string{body}})
						what := fmt.Sprintf("%s from %s beside %s, streamed %t", from, to, beside, streamed)
						if beside == "nothing" {
							if l.failure == nil || strings.Contains(l.body, `"functionCall"`) || strings.Contains(l.body, `"tool_use"`) || strings.Contains(l.body, `"tool_calls"`) {
								t.Errorf("%s: %s", what, l.body)
							}
							continue
						}
						calls, without := called(l)
						is(t, what+", the calls", calls, map[string]int{"words": 0, "a call": 1}[beside])
						is(t, what+", those without a name", without, 0)
						is(t, what+", the words", strings.Contains(l.body, `"hm"`), beside == "words")
						l.warns("answer", chat.Dropped)
						if ends := l.body[max(0, len(l.body)-600):]; beside == "words" && (strings.Contains(ends, `"tool_use"`) || strings.Contains(ends, `"tool_calls"`)) {
							t.Errorf("%s ends for a call: %s", what, l.body)
						}
					}
				}
			}
		}
	}},
	{number: 1060, name: "a call whose tool is called by spaces", run: func(t *testing.T) {
		blank := forms{endO("tool_calls", `"content":null,"tool_calls":[`+strings.Replace(nameless, `{"arguments"`, `{"name":"  ","arguments"`, 1)+`]`), chunksO("tool_calls", toolO(0, "n", "  ", "{}"))}
		for streamed, answer := range map[bool]string{false: blank.whole, true: blank.stream} {
			for _, from := range []string{A, G} {
				if l := try(t, trip{from: from, to: O, stream: streamed, ask: plainly(from, streamed), answers: []string{answer}}); l.failure == nil {
					t.Errorf("%s, streamed %t: %s", from, streamed, l.body)
				}
			}
		}
		late := chunksO("tool_calls", `{"tool_calls":[{"index":0,"id":"n","type":"function","function":{"name":"","arguments":""}}]}`, `{"tool_calls":[{"index":0,"function":{"name":"f"}}]}`, toolO(0, "", "", `{"a":"1"}`))
		for _, from := range []string{A, G} {
			either(t, trip{from: from, to: O, answers: []string{late}}, func(l *landed) { is(t, from+", named late", argued(l), `{"a":"1"}`) })
		}
	}},
	{number: 1019, name: "the page of a proxy, with any status", run: func(t *testing.T) {
		want := map[int][3]int{ // to clients of OpenAI's, Anthropic's and Google's
			400: {502, 500, 500}, 403: {502, 500, 500}, 404: {502, 500, 500}, 429: {429, 429, 429}, 502: {502, 500, 500}, 503: {503, 529, 503},
			520: {502, 500, 500}, 521: {502, 500, 500}, 522: {502, 500, 500}, 524: {504, 504, 504}, 525: {502, 500, 500}, 530: {502, 500, 500},
		}
		for status, statuses := range want {
			for i, from := range []string{O, A, G} {
				for _, to := range []string{O, A, G} {
					l := try(t, trip{from: from, to: to, ask: plain[from], status: status, answers: []string{blocked}, header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}})
					is(t, fmt.Sprintf("%s from %s, %d", from, to, status), l.status, statuses[i])
					if strings.ContainsAny(l.body, "<>") || strings.Contains(l.body, "Cloudflare") || strings.Contains(l.body, "8f00") || !gjson.Valid(l.body) {
						t.Error(l.body)
					}
					if l.failure.Credentials { // a request's words may have done it, and others must not suffer
						t.Errorf("%d from %s counts as a refusal of the key", status, to)
					}
				}
			}
		}
		problem := `{"type":"https://developers.cloudflare.com/","title":"Error 1020: Access denied","status":403,"detail":"Blocked by the owner.","cloudflare_error":true}`
		for _, to := range []string{O, A, G} {
			l := try(t, trip{from: A, to: to, ask: plain[A], status: 403, answers: []string{problem}})
			is(t, "Cloudflare's object from "+to, l.failure.Credentials, false)
		}
		own := try(t, trip{from: A, to: O, ask: plain[A], status: 403, answers: []string{`{"error":{"message":"Project is not allowed","type":"invalid_request_error"}}`}})
		is(t, "an API's own 403", own.failure.Credentials, true)
	}},
	{number: 1020, name: "a page in the place of an answer", run: func(t *testing.T) {
		for _, to := range []string{O, A, G} {
			for _, from := range others(to) {
				for _, streamed := range []bool{false, true} {
					l := try(t, trip{from: from, to: to, stream: streamed, ask: plainly(from, streamed), answers: []string{blocked}, header: http.Header{"Content-Type": {"text/html"}}})
					if l.failure == nil || l.status < 500 || strings.Contains(l.body, "html") {
						t.Errorf("%s from %s, streamed %t: %d %s", from, to, streamed, l.status, l.body)
					}
				}
			}
		}
	}},
	{number: 1021, name: "counters that only one server has", run: func(t *testing.T) {
		more := map[string]string{
			O: `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"citation_tokens":7,"queue_time":0.25,"idle":0,"prompt_tokens_details":{"cached_tokens":1,"video_tokens":3}}`,
			A: `{"input_tokens":10,"output_tokens":5,"server_tool_use":{"web_search_requests":1,"web_fetch_requests":2},"zzz_tokens":4,"speed":"fast"}`,
			G: `{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15,"zzzTokenCount":4,"trafficType":"ON_DEMAND"}`,
		}
		names := map[string][]string{
			O: {"usage.citation_tokens", "usage.prompt_tokens_details.video_tokens"}, A: {"usage.zzz_tokens", "usage.server_tool_use.web_fetch_requests"}, G: {"usageMetadata.zzzTokenCount"},
		}
		answers := map[string]forms{
			O: {usedO(more[O]), chunksO("", `{"content":"hi"}`) + sse(delta(0, "", `"stop"`), `{"id":"c","choices":[],"usage":`+more[O]+`}`, "[DONE]")},
			A: {usedA(more[A]), strings.Replace(messageA(textA(0, "hi"), "end_turn"), `{"output_tokens":9}`, more[A], 1)},
			G: {strings.Replace(partsG(`{"text":"hi"}`, `,"finishReason":"STOP"`), "{", `{"usageMetadata":`+more[G]+`,`, 1), sse(strings.Replace(partsG(`{"text":"hi"}`, `,"finishReason":"STOP"`), "{", `{"usageMetadata":`+more[G]+`,`, 1))},
		}
		for to, answer := range answers {
			for _, from := range others(to) {
				answer.each(t, trip{from: from, to: to, kind: map[string]string{O: "vllm"}[to]}, func(l *landed) {
					for _, name := range names[to] {
						is(t, from+" from "+to+" "+name, strings.Count(l.told(), "answer; ignored; "+name), 1)
					}
					if strings.Contains(l.told(), "time") || strings.Contains(l.told(), "idle") || strings.Contains(l.told(), "traffic") {
						t.Error(l.told())
					}
				})
			}
			passed := take(t, trip{from: to, to: to, ask: plainly(to, false), answers: []string{answer.whole}})
			is(t, "what passes through "+to, passed.body, answer.whole)
			passed.quiet()
		}
	}},
	{number: 1022, name: "classes of usage under other servers' names", run: func(t *testing.T) {
		for usage, want := range map[string][4]int64{ // input, from the cache, into it, thoughts
			`{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"reasoning_tokens":20}`:                                                        {100, 0, 0, 20}, // SGLang
			`{"prompt_tokens":100,"completion_tokens":50,"total_tokens":170,"reasoning_tokens":20}`:                                                        {100, 0, 0, 20}, // not among the 50
			`{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"reasoning_tokens":70}`:                                                        {100, 0, 0, 70}, // Perplexity
			`{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"cache_read_input_tokens":30,"cache_creation_input_tokens":10}`:                {60, 30, 10, 0}, // LiteLLM
			`{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":30,"cache_creation_tokens":10}}`:      {60, 30, 10, 0},
			`{"prompt_tokens":100,"completion_tokens":50,"total_tokens":150,"prompt_tokens_details":{"cached_tokens":0,"cache_creation_input_tokens":10}}`: {90, 0, 10, 0}, // Alibaba
		} {
			l := take(t, trip{from: A, to: O, kind: "vllm", ask: plain[A], answers: []string{usedO(usage)}})
			u := gjson.Get(l.body, "usage")
			is(t, usage, [4]int64{u.Get("input_tokens").Int(), u.Get("cache_read_input_tokens").Int(), u.Get("cache_creation_input_tokens").Int(), u.Get("output_tokens_details.thinking_tokens").Int()}, want)
			l.quiet()
		}
	}},
	{number: 1023, name: "what was read once more to shorten the conversation", run: func(t *testing.T) {
		usage := `{"input_tokens":23000,"output_tokens":1000,"iterations":[{"type":"compaction","input_tokens":180000,"output_tokens":3500,"cache_read_input_tokens":7,"cache_creation_input_tokens":8},{"type":"message","input_tokens":23000,"output_tokens":1000}]}`
		whole := take(t, trip{from: A, to: A, ask: plain[A], answers: []string{usedA(usage)}})
		is(t, "what passes through", whole.body, usedA(usage))
		u := whole.reply.Whole.Usage
		is(t, "whole", [4]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite}, [4]int64{203000, 4500, 7, 8})
		stream := strings.Replace(messageA(textA(0, "hi"), "end_turn"), `{"output_tokens":9}`, usage, 1)
		u = take(t, trip{from: A, to: A, stream: true, ask: streamA, answers: []string{stream}}).reply.Seen.Usage
		is(t, "streamed", [4]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite}, [4]int64{203000, 4500, 7, 8})
	}},
	{number: 1024, name: "what a router's own provider said", run: func(t *testing.T) {
		wrapped := func(status int, raw string) string {
			return fmt.Sprintf(`{"error":{"message":"Provider returned error","code":%d,"metadata":{"raw":%s,"provider_name":"P"}},"user_id":"u"}`, status, raw)
		}
		for _, row := range []struct {
			status       int
			raw, from    string
			want         int
			words, never string
		}{
			{400, quoted(said(A, "prompt is too long: 210000 tokens > 200000 maximum")), A, 400, "prompt is too long: 210000 tokens > 200000 maximum", "Provider returned"},
			{400, quoted(said(A, "prompt is too long: 210000 tokens > 200000 maximum")), G, 400, "The input token count (210000) exceeds", "Provider returned"},
			{400, quoted(said(O, "Model 'm' supports at most 1 image per prompt.")), G, 400, "at most 1 image", "Provider returned"},
			{400, said(O, "Param Incorrect"), A, 400, "Param Incorrect", "Provider returned"},
			{429, `"m is temporarily rate-limited upstream. Please retry shortly"`, A, 429, "limiting requests", "retry shortly"},
			{400, quoted(blocked), A, 400, "Provider returned error", "html"},
		} {
			l := try(t, trip{from: row.from, to: O, kind: "openrouter", ask: plain[row.from], status: row.status, answers: []string{wrapped(row.status, row.raw)}})
			if l.status != row.want || !strings.Contains(l.body, row.words) || strings.Contains(l.body, row.never) {
				t.Errorf("%s: %d %s", row.raw, l.status, l.body)
			}
		}
		stream := chunksO("", `{"content":"hm"}`) + sse(wrapped(429, `"{\"error\":{\"message\":\"slow\",\"code\":\"zzz\"}}"`))
		l := try(t, trip{from: A, to: O, kind: "openrouter", stream: true, ask: streamA, answers: []string{stream}})
		is(t, "in a stream", l.joined("error.type"), "rate_limit_error")
	}},
	{number: 1033, name: "a call of the history that does not name its tool", run: func(t *testing.T) {
		for _, row := range []struct{ from, ask, field string }{
			{O, askedO(`{"role":"assistant","content":null,"tool_calls":[`+nameless+`]}`, resultO("n", "x")), "messages[1].tool_calls[0].function.name"},
			{O, askedO(`{"role":"assistant","content":null,"tool_calls":[`+strings.Replace(nameless, `{"arguments"`, `{"name":"","arguments"`, 1)+`]}`, resultO("n", "x")), "messages[1].tool_calls[0].function.name"},
			{O, askedO(`{"role":"assistant","content":null,"tool_calls":[{"id":"n","type":"custom","custom":{"input":"x"}}]}`, resultO("n", "x")), "messages[1].tool_calls[0].custom.name"},
			{O, askedO(`{"role":"assistant","content":null,"function_call":{"arguments":"{}"}}`, `{"role":"function","name":"f","content":"x"}`), "messages[1].function_call.name"},
			{A, strings.Replace(calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}`), `"name":"f","input":{"a"`, `"input":{"a"`, 1), "messages[1].content[0].name"},
			{G, strings.Replace(calledWith(G, "{}", `{"output":"x"}`), `{"functionCall":{"id":"c","name":"f",`, `{"functionCall":{"id":"c",`, 1), "contents[1].parts[0].functionCall.name"},
		} {
			for _, to := range others(row.from) {
				refuses(t, trip{from: row.from, to: to, ask: row.ask}, row.field)
			}
		}
	}},
	{number: 1056, name: "every class of usage in the six directions, streamed as whole", run: func(t *testing.T) {
		used := map[string]string{
			O: `{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":300,"cache_write_tokens":100,"audio_tokens":50},"completion_tokens_details":{"reasoning_tokens":200,"audio_tokens":60}}`,
			A: `{"input_tokens":600,"cache_read_input_tokens":300,"cache_creation_input_tokens":100,"output_tokens":500,"output_tokens_details":{"thinking_tokens":200}}`,
			G: `{"promptTokenCount":950,"toolUsePromptTokenCount":50,"cachedContentTokenCount":300,"candidatesTokenCount":300,"thoughtsTokenCount":200,"totalTokenCount":1500,"promptTokensDetails":[{"modality":"TEXT","tokenCount":900},{"modality":"AUDIO","tokenCount":50}],"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":60}]}`,
		}
		answers := map[string]forms{
			O: {usedO(used[O]), chunksO("", `{"content":"hi"}`) + sse(delta(0, "", `"stop"`), `{"id":"c","choices":[],"usage":`+used[O]+`}`, "[DONE]")},
			A: {usedA(used[A]), strings.Replace(messageA(textA(0, "hi"), "end_turn"), `{"output_tokens":9}`, used[A], 1)},
			G: {strings.Replace(partsG(`{"text":"hi"}`, `,"finishReason":"STOP"`), "{", `{"usageMetadata":`+used[G]+`,`, 1), sse(partsG(`{"text":"hi"}`, ""), strings.Replace(partsG("", `,"finishReason":"STOP"`), "{", `{"usageMetadata":`+used[G]+`,`, 1))},
		}
		pairs(func(from, to string) {
			for streamed, answer := range map[bool]string{false: answers[to].whole, true: answers[to].stream} {
				ask := plainly(from, streamed)
				if from == O && streamed {
					ask = strings.Replace(ask, "{", `{"stream_options":{"include_usage":true},`, 1)
				}
				l := take(t, trip{from: from, to: to, stream: streamed, ask: ask, answers: []string{answer}})
				want := usageClasses{prompt: 1000, cached: 300, written: 100, completion: 500, reasoning: 200, audioIn: 50, audioOut: 60}
				if to == G || from == G { // Google tells nothing of writes
					want.written = 0
				}
				if to == A || from == A { // nor Anthropic of sounds
					want.audioIn, want.audioOut = 0, 0
				}
				is(t, fmt.Sprintf("%s from %s, streamed %t", from, to, streamed), classesOf(l), want)
			}
		})
	}},
}}

// usageClasses are what a client reads of an answer's usage.
type usageClasses struct{ prompt, cached, written, completion, reasoning, audioIn, audioOut int64 }

func classesOf(l *landed) (c usageClasses) {
	frames := append(l.frames(), gjson.Parse(l.body))
	for _, v := range frames {
		u, g := v.Get("usage"), v.Get("usageMetadata")
		switch {
		case u.Get("prompt_tokens").Exists():
			in, out := u.Get("prompt_tokens_details"), u.Get("completion_tokens_details")
			c = usageClasses{u.Get("prompt_tokens").Int(), in.Get("cached_tokens").Int(), in.Get("cache_write_tokens").Int(), u.Get("completion_tokens").Int(), out.Get("reasoning_tokens").Int(), in.Get("audio_tokens").Int(), out.Get("audio_tokens").Int()}
		case u.Get("input_tokens").Exists():
			read, made := u.Get("cache_read_input_tokens").Int(), u.Get("cache_creation_input_tokens").Int()
			c = usageClasses{u.Get("input_tokens").Int() + read + made, read, made, u.Get("output_tokens").Int(), u.Get("output_tokens_details.thinking_tokens").Int(), 0, 0}
		case g.Get("promptTokenCount").Exists():
			thoughts := g.Get("thoughtsTokenCount").Int()
			c = usageClasses{
				g.Get("promptTokenCount").Int(), g.Get("cachedContentTokenCount").Int(), 0, g.Get("candidatesTokenCount").Int() + thoughts, thoughts,
				g.Get(`promptTokensDetails.#(modality=="AUDIO").tokenCount`).Int(), g.Get(`candidatesTokensDetails.#(modality=="AUDIO").tokenCount`).Int(),
			}
		}
	}
	return c
}
