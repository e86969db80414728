package dialect_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// oddDigits are arguments that a reader of numbers would write otherwise.
const oddDigits = `{"a":1e400,"b":-0,"c":12345678901234567890,"d":0.1000,"e":1E+2}`

// exactly is where clients find the arguments of the only call of a whole answer, and upstreams
// those of the history's and what came of it.
var exactly = map[string]struct{ answer, history, result string }{
	O: {"choices.0.message.tool_calls.0.function.arguments", "messages.1.tool_calls.0.function.arguments", "messages.2.content"},
	A: {"content.0.input", "messages.1.content.0.input", "messages.2.content.0.content"},
	G: {"candidates.0.content.parts.0.functionCall.args", "contents.1.parts.0.functionCall.args", "contents.2.parts.0.functionResponse.response"},
}

// calledWith are conversations with a call, its arguments and what came of it as JSON.
func calledWith(from, arguments, result string) string {
	switch from {
	case O:
		return calledO(`,"arguments":`+quoted(arguments), quoted(result))
	case A:
		return strings.Replace(calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":`+quoted(result)+`}`), `{"a":"1"}`, arguments, 1)
	}
	return `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":` + arguments + `}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":` + result + `}}]}]}`
}

// asWritten is JSON as it stands, be it in a string or not.
func asWritten(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	return v.Raw
}

var hardExact = section{"AC", "to the digit, the letter and the part", []hard{
	{number: 1006, name: "a body of another API's shapes asks for no more than the model has", run: func(t *testing.T) {
		foreign := `{"model":"m","max_tokens":64000,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}]}`
		l := take(t, trip{from: O, to: O, model: "gpt-4o", known: true, ask: foreign})
		l.sends("max_completion_tokens", "16384")
		l.warns("max_tokens", chat.Approximated)
	}},
	{number: 1007, name: "half a character in arguments, results and schemas", run: func(t *testing.T) {
		const half = `{"a":"x\ud83d","b":"\ud83d\ude00"}`
		for _, from := range []string{O, A, G} {
			for _, to := range others(from) {
				l := take(t, trip{from: from, to: to, ask: calledWith(from, half, half)})
				got := asWritten(l.got().Get(exactly[to].history))
				if to != O { // whose arguments are a text, which nobody reads on the way
					same(t, gjson.Parse(got), "a", `"x"`)
				}
				same(t, gjson.Parse(got), "b", `"\ud83d\ude00"`)
				if raw := l.got().Raw; strings.Contains(raw, `"x\ud83d"`) || strings.Contains(l.told(), "approximated") {
					t.Errorf("%s to %s: %s %s", from, to, raw, l.told())
				}
			}
		}
		for from, ask := range map[string]string{
			O: withO(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string","description":"x\ud83d"}}}}}]`),
			A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string","description":"x\ud83d"}}}}]}`,
		} {
			for _, to := range others(from) {
				if raw := take(t, trip{from: from, to: to, ask: ask}).got().Raw; strings.Contains(raw, `\ud83d`) || !gjson.Valid(raw) {
					t.Errorf("%s to %s: %s", from, to, raw)
				}
			}
		}
		answer := calls([3]string{"f", "c", half})
		l := take(t, trip{from: A, to: O, ask: plainly(A, false), answers: []string{answer}})
		l.gets("content.0.input.a", `"x"`)
		l.quiet()
	}},
	{number: 1008, name: "digits in both directions, streamed and whole", run: func(t *testing.T) {
		answers := map[string]forms{
			O: {calls([3]string{"f", "c", oddDigits}), chunksO("tool_calls", toolO(0, "c", "f", oddDigits[:12]), toolO(0, "", "", oddDigits[12:]))},
			A: {wholeA("tool_use", `{"type":"tool_use","id":"t","name":"f","input":`+oddDigits+`}`), messageA(toolA(0, "t", "f", oddDigits[:25], oddDigits[25:]), "tool_use")},
			G: {wholeG(`{"functionCall":{"name":"f","args":` + oddDigits + `}}`), inChunks("STOP", `{"functionCall":{"name":"f","args":`+oddDigits+`}}`)},
		}
		for _, from := range []string{O, A, G} {
			for _, to := range others(from) {
				l := take(t, trip{from: from, to: to, ask: calledWith(from, oddDigits, oddDigits)})
				is(t, from+" to "+to, asWritten(l.got().Get(exactly[to].history)), oddDigits)
				is(t, from+" to "+to+", the result", asWritten(l.got().Get(exactly[to].result)), oddDigits)
				answers[to].each(t, trip{from: from, to: to}, func(l *landed) { is(t, from+" from "+to, argued(l), oddDigits) })
			}
		}
	}},
	{number: 1009, name: "a resolution that Google does not have", run: func(t *testing.T) {
		picture := func(detail string) string {
			return `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `","detail":"` + detail + `"}}]}]}`
		}
		take(t, trip{from: O, to: G, ask: picture("original")}).warns("messages[0].content[0]", chat.Approximated)
		for _, detail := range []string{"auto", "low", "high"} {
			take(t, trip{from: O, to: G, ask: picture(detail)}).quiet()
		}
	}},
	{number: 1010, name: "a result of Google's that has another name than the call", run: func(t *testing.T) {
		ask := strings.Replace(calledWith(G, `{}`, `{"output":"x"}`), `{"functionResponse":{"id":"c","name":"f"`, `{"functionResponse":{"name":"g"`, 1)
		for _, to := range []string{O, A} {
			take(t, trip{from: G, to: to, ask: ask}).warns("contents[2].parts[0]", chat.Approximated)
		}
	}},
	{number: 1013, name: "results of several parts, of pictures alone and of nothing", run: func(t *testing.T) {
		png := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`
		for _, row := range []struct{ content, failed, toO, toG string }{
			{`[{"type":"text","text":"one"},{"type":"text","text":"two"},` + png + `]`, "true", `"Error: one\ntwo\n(image attached below)"`, `{"error":"one\ntwo"}`},
			{`[` + png + `]`, "false", `"(image attached below)"`, `{"output":""}`},
			{`[` + png + `]`, "true", `"Error\n(image attached below)"`, `{"error":""}`},
			{`null`, "true", `"Error"`, `{"error":""}`}, {`[]`, "false", `""`, `{"output":""}`}, {`""`, "true", `"Error"`, `{"error":""}`},
			{`[{"type":"text","text":"{\"a\":1}"},{"type":"text","text":"{\"b\":2}"}]`, "false", `[{"type":"text","text":"{\"a\":1}"},{"type":"text","text":"{\"b\":2}"}]`, `{"output":"{\"a\":1}\n{\"b\":2}"}`},
			{`[{"type":"search_result","source":"https://a.example","title":"T","content":[{"type":"text","text":"x"}]}]`, "false", `"T\nhttps://a.example\nx"`, `{"output":"T\nhttps://a.example\nx"}`},
		} {
			ask := calledA(`{"type":"tool_result","tool_use_id":"toolu_1","is_error":` + row.failed + `,"content":` + row.content + `}`)
			take(t, trip{from: A, to: O, ask: ask}).sends("messages.2.content", row.toO)
			take(t, trip{from: A, to: G, ask: ask}).sends("contents.2.parts.0.functionResponse.response", row.toG)
		}
		list := calledO(`,"arguments":"{}"`, `[{"type":"text","text":"one"},{"type":"text","text":""},{"type":"text","text":"two"}]`)
		take(t, trip{from: O, to: A, ask: list}).sends("messages.2.content.0.content", `[{"type":"text","text":"one"},{"type":"text","text":"two"}]`)
	}},
	{number: 1014, name: "calls of one name whose ids are empty or not there", run: func(t *testing.T) {
		for _, id := range []string{"", `"id":"",`, `"id":null,`} {
			call := `{` + id + `"type":"function","function":{"name":"f","arguments":"{}"}}`
			result := strings.Replace(`{"role":"tool",`+id+`"content":"%d"}`, `"id"`, `"tool_call_id"`, 1)
			ask := askedO(`{"role":"assistant","content":null,"tool_calls":[`+call+`,`+call+`]}`, fmt.Sprintf(result, 1), fmt.Sprintf(result, 2))
			l := take(t, trip{from: O, to: A, ask: ask})
			ids := l.got().Get("messages.1.content.#.id").Array()
			if len(ids) != 2 || ids[0].Str == ids[1].Str || l.got().Get("messages.2.content.#.tool_use_id").Raw != l.got().Get("messages.1.content.#.id").Raw {
				t.Error(l.got().Raw)
			}
			l.sends("messages.2.content.#.content", `["1","2"]`)
			take(t, trip{from: O, to: G, ask: ask}).sends("contents.2.parts.#.functionResponse.response.output", `["1","2"]`)
		}
	}},
	{number: 1015, name: "every class of usage at once", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: O, ask: plain[G], answers: []string{usedO(`{"prompt_tokens":1000,"completion_tokens":500,"total_tokens":1500,"prompt_tokens_details":{"cached_tokens":300,"cache_write_tokens":100,"audio_tokens":50,"image_tokens":20},"completion_tokens_details":{"reasoning_tokens":200,"audio_tokens":100}}`)}})
		l.gets("usageMetadata.promptTokensDetails", `[{"modality":"TEXT","tokenCount":930},{"modality":"AUDIO","tokenCount":50},{"modality":"IMAGE","tokenCount":20}]`)
		l.gets("usageMetadata.candidatesTokensDetails", `[{"modality":"TEXT","tokenCount":200},{"modality":"AUDIO","tokenCount":100}]`)
		l.gets("usageMetadata.totalTokenCount", "1500")
		google := `{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"toolUsePromptTokenCount":10,"cachedContentTokenCount":40,"candidatesTokenCount":30,"thoughtsTokenCount":20,"totalTokenCount":160,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":30},{"modality":"VIDEO","tokenCount":20}],"cacheTokensDetails":[{"modality":"AUDIO","tokenCount":5}],"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":10}]}}`
		l = take(t, trip{from: O, to: G, ask: plain[O], answers: []string{google}})
		l.gets("usage.prompt_tokens", "110")
		l.gets("usage.completion_tokens", "50")
		l.gets("usage.prompt_tokens_details.audio_tokens", "30")
		l.gets("usage.completion_tokens_details.image_tokens", "10")
		take(t, trip{from: A, to: G, ask: plain[A], answers: []string{google}}).gets("usage.input_tokens", "70")
	}},
	{number: 1016, name: "a byte order mark before an answer or a refusal", run: func(t *testing.T) {
		const mark = "\xEF\xBB\xBF"
		announced := http.Header{"Content-Type": {"application/json; charset=utf-8"}}
		for _, to := range []string{O, A, G} {
			for _, from := range []string{O, A, G} {
				l := take(t, trip{from: from, to: to, ask: plain[from], header: announced, answers: []string{mark + hi[to]}})
				if !strings.HasPrefix(l.body, "{") || !strings.Contains(l.body, `"hi"`) {
					t.Errorf("%s from %s: %s", from, to, l.body)
				}
				l = try(t, trip{from: from, to: to, ask: plain[from], header: announced, status: 400, answers: []string{mark + said(to, "wrong field zzz")}})
				if !strings.Contains(l.body, "zzz") {
					t.Errorf("%s from %s: %s", from, to, l.body)
				}
			}
		}
		for _, from := range []string{A, G} { // and a stream that is announced as JSON
			l := take(t, trip{from: from, to: O, stream: true, ask: streaming(from), header: announced, answers: []string{mark + chunksO("stop", `{"content":"hi"}`)}})
			if !strings.Contains(l.body, `"hi"`) {
				t.Error(l.body)
			}
		}
	}},
	{number: 1017, name: "sources of a system prompt", run: func(t *testing.T) {
		cited := `{"type":"text","text":"s","citations":[{"type":"char_location","cited_text":"q","document_index":0,"document_title":"D","start_char_index":0,"end_char_index":1}]}`
		for _, to := range []string{O, G} {
			l := take(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":9,"system":[{"type":"text","text":"r"},` + cited + `],"messages":[{"role":"user","content":"go"}]}`})
			l.warns("system[1]", chat.Ignored)
		}
	}},
}}
