package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// strays are members of messages that only one role has, and which that is.
var strays = map[string]string{
	`"reasoning_content":"r"`: "assistant", `"reasoning":"r"`: "assistant", `"reasoning_details":[{"type":"reasoning.text","text":"r"}]`: "assistant", `"refusal":"no"`: "assistant",
	`"tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}}]`: "assistant", `"function_call":{"name":"f","arguments":"{}"}`: "assistant", `"audio":{"id":"audio_1"}`: "assistant",
	`"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example/","title":"T","start_index":0,"end_index":1}}]`: "assistant", `"extra_content":{"google":{"thought_signature":"c2ln"}}`: "assistant",
	`"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}]`: "assistant", `"tool_call_id":"c9"`: "tool",
}

// retold are pieces of one call's arguments, and what they come to.
var retold = map[string]struct {
	pieces []string
	want   string
}{
	"all with each":           {[]string{``, `{`, `{"a":`, `{"a":"1`, `{"a":"1"}`}, `{"a":"1"}`},
	"the last twice":          {[]string{`{"a`, `{"a":"1"}`, `{"a":"1"}`}, `{"a":"1"}`},
	"behind an empty object":  {[]string{`{}`, `{"a`, `{"a":"1"}`}, `{"a":"1"}`},
	"cut behind a colon":      {[]string{`{"a":`, `{"a":"1"}`}, `{"a":"1"}`},
	"and three of them":       {[]string{`{"a":`, `{"a":"1`, `{"a":"1"}`}, `{"a":"1"}`},
	"braces in a text":        {[]string{`{"a":"x`, `{"a":"x{"`, `{"a":"x{"}`}, `{"a":"x{"}`},
	"whole, and then nothing": {[]string{`{"a":"1"}`, ``}, `{"a":"1"}`},
	"an object in an object":  {[]string{`{"a":`, `{"a":1}}`}, `{"a":{"a":1}}`},
	"in three pieces":         {[]string{`{"a":`, `{"a":`, `1}}`}, `{"a":{"a":1}}`},
	"objects in a list":       {[]string{`{"a":[`, `{"a":[]},`, `1]}`}, `{"a":[{"a":[]},1]}`},
	"the same letters again":  {[]string{`{"a":"`, `x`, `x`, `"}`}, `{"a":"xx"}`},
}

var hardStrayed = section{"AP", "what stands in the wrong place, and what is told all over again", []hard{
	{number: 1184, name: "members of a message that only another role has", run: func(t *testing.T) {
		turns := map[string]string{
			"system": `{"role":"system","content":"S"%s},{"role":"user","content":"go"}`, "user": `{"role":"user","content":"go"%s}`,
			"assistant": `{"role":"user","content":"go"},{"role":"assistant","content":"so"%s},{"role":"user","content":"on"}`,
			"tool":      `{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"x"%s}`,
		}
		at := map[string]int{"system": 0, "user": 0, "assistant": 1, "tool": 2}
		for member, owner := range strays {
			name, _, _ := strings.Cut(strings.TrimPrefix(member, `"`), `"`)
			for role, turn := range turns {
				if role == owner {
					continue
				}
				for _, to := range []string{A, G} {
					l := take(t, trip{from: O, to: to, ask: `{"model":"m",` + toolsO + `,"messages":[` + fmt.Sprintf(turn, ","+member) + `]}`})
					is(t, role+" "+name+" to "+to, l.warned(fmt.Sprintf("messages[%d].%s", at[role], name), chat.Dropped), true)
				}
			}
		}
		empty := `,"refusal":null,"tool_calls":[],"reasoning_content":"","audio":null,"tool_call_id":""`
		take(t, trip{from: O, to: A, ask: `{"model":"m","messages":[` + fmt.Sprintf(turns["user"], empty) + `]}`}).quiet()
	}},
	// NousResearch/hermes-agent#35718, icoretech/codex-pooler#193; diegosouzapw/OmniRoute#3762 for what looks like it and is not.
	{number: 1185, name: "arguments that are told from the beginning with every piece", run: func(t *testing.T) {
		for what, row := range retold {
			for _, again := range []bool{false, true} { // id and name with each
				var deltas []string
				for i, piece := range row.pieces {
					id, name := "c", "f"
					if i > 0 && !again {
						id, name = "", ""
					}
					deltas = append(deltas, toolO(0, id, name, piece))
				}
				for _, from := range []string{A, G} {
					either(t, trip{from: from, to: O, answers: []string{chunksO("tool_calls", deltas...)}}, func(l *landed) { is(t, from+", "+what, argued(l), row.want) })
				}
			}
		}
		two := chunksO("tool_calls", toolO(0, "c", "f", `{"a":`), toolO(0, "c", "f", `{"a":1}`), toolO(1, "d", "f", `{"a":`), toolO(1, "d", "f", `{"a":2}`))
		for _, from := range []string{A, G} {
			for _, streamed := range []bool{false, true} {
				is(t, from+", two calls", tells(t, trip{from: from, to: O, kind: "vllm", stream: streamed, answers: []string{two}}), `||f{"a":1} f{"a":2}|tool`)
			}
		}
	}},
	{number: 1186, name: "another id with every piece of a call", run: func(t *testing.T) {
		for what, answer := range map[string]string{
			"and its name":     chunksO("tool_calls", toolO(0, "a", "f", `{"a":`), toolO(0, "b", "f", `1}`)),
			"and no name":      chunksO("tool_calls", toolO(0, "a", "f", `{"a":`), toolO(0, "b", "", `1}`)),
			"and no number":    chunksO("tool_calls", toolO(-1, "a", "f", `{"a":`), toolO(-1, "", "", `1}`)),
			"a call behind it": chunksO("tool_calls", toolO(0, "a", "f", `{"a":`), toolO(0, "b", "f", `1}`), toolO(0, "c", "f", `{}`)),
		} {
			want := `||f{"a":1}|tool`
			if strings.HasPrefix(what, "a call") {
				want = `||f{"a":1} f{}|tool`
			}
			for _, from := range []string{A, G} {
				for _, streamed := range []bool{false, true} {
					is(t, from+", "+what, tells(t, trip{from: from, to: O, kind: "vllm", stream: streamed, answers: []string{answer}}), want)
				}
			}
		}
	}},
	// Perplexity's chunks have a message beside the delta; others end with one.
	{number: 1187, name: "all that was said, beside the pieces of it", run: func(t *testing.T) {
		both := func(delta, message, finish string) string {
			return `{"id":"c","choices":[{"index":0,"delta":` + delta + `,"message":` + message + `,"finish_reason":` + finish + `}]}`
		}
		hi, call := `{"role":"assistant","content":"hi"}`, `{"role":"assistant","content":"hi","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}}]}`
		for what, row := range map[string][2]string{
			"with each":                 {sse(both(`{"role":"assistant","content":"h"}`, `{"role":"assistant","content":"h"}`, "null"), both(`{"content":"i"}`, hi, "null"), both(`{"role":"assistant","content":""}`, hi, `"stop"`), "[DONE]"), `|hi||stop`},
			"at the end":                {chunksO("", `{"content":"h"}`, `{"content":"i"}`) + sse(both("{}", hi, `"stop"`)), `|hi||stop`},
			"at the end, alone":         {chunksO("", `{"content":"h"}`, `{"content":"i"}`) + sse(`{"choices":[{"index":0,"message":`+hi+`,"finish_reason":"stop"}]}`), `|hi||stop`},
			"with a call":               {chunksO("", `{"content":"h"}`, `{"content":"i"}`) + sse(both("{}", call, `"tool_calls"`)), `|hi|f{}|tool`},
			"with a call that was told": {chunksO("", `{"content":"hi"}`, toolO(0, "x", "f", "{}")) + sse(both("{}", call, `"tool_calls"`)), `|hi|f{}|tool`},
			"in the place of pieces":    {sse(`{"choices":[{"index":0,"message":{"content":"h"}}]}`, `{"choices":[{"index":0,"message":{"content":"i"},"finish_reason":"stop"}]}`), `|hi||stop`},
			"beside an empty piece":     {sse(both("{}", hi, `"stop"`)), `|hi||stop`},
		} {
			for _, from := range []string{A, G} {
				for _, streamed := range []bool{false, true} {
					is(t, from+", "+what, tells(t, trip{from: from, to: O, kind: "vllm", stream: streamed, answers: []string{row[0]}}), row[1])
				}
			}
		}
	}},
	// Clients look for the first of choices, and find null.
	{number: 1188, name: "a whole answer that is none, of the client's own dialect", answer: "an error of the provider's, as in a stream, so that the next target is asked", run: func(t *testing.T) {
		for _, row := range [][2]string{
			{O, `{}`}, {O, `{"choices":null}`}, {O, `{"code":50501,"message":"The model is overloaded","data":null}`}, {O, `{"base_resp":{"status_code":1000,"status_msg":"unknown error"},"choices":null}`},
			{O, `{"status":"queued"}`}, {O, endO("error", `"content":""`)}, {O, endO("insufficient_system_resource", `"content":"h"`)}, {O, endO("abort", `"content":""`)},
			{O, `{"choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":null,"error":{"code":502,"message":"idle"}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`},
			{A, `{}`}, {A, `{"code":500,"msg":"busy"}`},
		} {
			l := try(t, trip{from: row[0], to: row[0], ask: plain[row[0]], answers: []string{row[1]}})
			is(t, row[1], l.failure != nil && l.status >= 500, true)
		}
		for _, row := range [][2]string{{O, endO("stop", `"content":"an \"error\" and an \"abort\""`)}, {O, `{"choices":[ ]}`}, {A, wholeA("end_turn")}, {G, `{"usageMetadata":{"promptTokenCount":3}}`}} { // which are answers
			is(t, row[1], take(t, trip{from: row[0], to: row[0], ask: plain[row[0]], answers: []string{row[1]}}).body, row[1])
		}
	}},
	{number: 1189, name: "the type of a sound in other words", run: func(t *testing.T) {
		for format, want := range map[string]string{"wav": "audio/wav", "audio/wav": "audio/wav", "mp3": "audio/mpeg", "audio/mp3": "audio/mpeg", "audio/mpeg": "audio/mpeg", ".mp3": "audio/mpeg", "MP3": "audio/mpeg", "audio/ogg": "audio/ogg"} {
			l := take(t, trip{from: O, to: G, ask: partO(`{"type":"input_audio","input_audio":{"data":"AAAAAAAA","format":"` + format + `"}}`)})
			l.sends("contents.0.parts.1.inlineData.mimeType", quoted(want))
		}
	}},
	{number: 1190, name: "data whose base64 is escaped or not named, and addresses with blanks", run: func(t *testing.T) {
		for what, url := range map[string]string{
			"escaped": "data:image/png;base64," + strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(pixel), "not named": "data:image/png," + pixel,
			"blanks": `\n data:image/png;base64,` + pixel + ` `, "no type": "data:;base64," + pixel, "capitals": "DATA:image/PNG;BASE64," + pixel,
		} {
			ask := partO(`{"type":"image_url","image_url":{"url":"` + url + `"}}`)
			is(t, what+", to A", take(t, trip{from: O, to: A, ask: ask}).got().Get("messages.0.content.1.source").Raw, `{"type":"base64","media_type":"image/png","data":"`+pixel+`"}`)
			is(t, what+", to G", take(t, trip{from: O, to: G, ask: ask}).got().Get("contents.0.parts.1.inlineData.data").Str, pixel)
		}
		take(t, trip{from: O, to: A, ask: partO(`{"type":"image_url","image_url":{"url":" https://a.example/a.png\n"}}`)}).sends("messages.0.content.1.source.url", `"https://a.example/a.png"`)
		take(t, trip{from: O, to: A, ask: partO(`{"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain,a%20word"}}`)}).sends("messages.0.content.1.source.data", `"a word"`)
		refuses(t, trip{from: O, to: A, ask: partO(`{"type":"image_url","image_url":{"url":"data:image/png;base64,%zz"}}`)}, "messages[0].content[1]")
	}},
	// LiteLLM's clients send every file as image_url, and its type as format.
	{number: 1191, name: "files and sounds in the place of a picture", run: func(t *testing.T) {
		for data, want := range map[string][2]string{
			"data:application/pdf;base64," + pdf:          {`"document"`, `"application/pdf"`},
			"data:application/octet-stream;base64," + pdf: {`"document"`, `"application/pdf"`},
			"data:audio/wav;base64,UklGRiQAAABXQVZF":      {"", `"audio/wav"`},
			"data:video/mp4;base64,AAAAGGZ0eXBpc29t":      {"", `"video/mp4"`},
			"data:image/png;base64," + pixel:              {`"image"`, `"image/png"`},
		} {
			ask := partO(`{"type":"image_url","image_url":{"url":"` + data + `"}}`)
			take(t, trip{from: O, to: G, ask: ask}).sends("contents.0.parts.1.inlineData.mimeType", want[1])
			if want[0] == "" {
				refuses(t, trip{from: O, to: A, ask: ask}, "messages[0].content[1]")
				continue
			}
			take(t, trip{from: O, to: A, ask: ask}).sends("messages.0.content.1.type", want[0])
		}
		l := take(t, trip{from: O, to: G, ask: partO(`{"type":"image_url","image_url":{"url":"https://a.example/a","format":"image/webp"}}`)})
		l.sends("contents.0.parts.1.fileData.mimeType", `"image/webp"`)
		l.quiet()
		take(t, trip{from: O, to: G, ask: partO(`{"type":"image_url","image_url":{"url":"https://a.example/a.png","filename":"b"}}`)}).warns("messages[0].content[1].image_url.filename", chat.Dropped)
	}},
	// Servers that speak Anthropic's dialect beside another have the errors of the other.
	{number: 1192, name: "errors in other servers' forms, in Anthropic's dialect and in Google's", run: func(t *testing.T) {
		for body, want := range map[string]string{
			`{"error":"bad thing"}`: "bad thing", `{"detail":"bad thing"}`: "bad thing", `{"detail":[{"loc":["body","x"],"msg":"bad thing"}]}`: "bad thing", `{"message":"bad thing"}`: "bad thing",
			`{"error":{"message":"bad thing","type":"BadRequestError","code":400}}`: "bad thing", `[{"error":{"message":"bad thing","code":400}}]`: "bad thing",
		} {
			for _, to := range []string{A, G} {
				for _, from := range []string{O, A, G} {
					l := try(t, trip{from: from, to: to, own: true, ask: plain[from], status: 400, answers: []string{body}})
					is(t, from+" from "+to+" "+body, fmt.Sprint(l.status, " ", gjson.Get(l.body, "error.message").Str), "400 "+want)
				}
			}
		}
		l := try(t, trip{from: O, to: A, own: true, ask: plain[O], status: 400, answers: []string{`{"detail":"prompt is too long: 300000 tokens > 200000 maximum"}`}})
		is(t, "too long", gjson.Get(l.body, "error.code").Str, "context_length_exceeded")
	}},
	{number: 1193, name: "arguments of Google's that are JSON in a text", run: func(t *testing.T) {
		for args, want := range map[string]string{`"{\"a\":1}"`: `{"a":1}`, `""`: `{}`, `" {\"a\":1}\n"`: `{"a":1}`} {
			answer := wholeG(`{"functionCall":{"name":"f","args":` + args + `}}`)
			for _, from := range []string{O, A} {
				either(t, trip{from: from, to: G, answers: []string{answer}}, func(l *landed) { is(t, from+" "+args, argued(l), want) })
			}
			history := `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":` + args + `}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`
			take(t, trip{from: G, to: O, ask: history}).sends("messages.1.tool_calls.0.function.arguments", quoted(want))
			take(t, trip{from: G, to: A, ask: history}).sends("messages.1.content.0.input", want)
		}
	}},
	{number: 1194, name: "null in the place of settings, and settings in two places", run: func(t *testing.T) {
		say := `"contents":[{"parts":[{"text":"go"}]}]`
		off := `"thinkingConfig":{"thinkingBudget":0}`
		take(t, trip{from: G, to: G, ask: `{"generationConfig":null,` + off + `,` + say + `}`}).sends("generationConfig", `{`+off+`}`)
		take(t, trip{from: G, to: G, ask: `{` + off + `,` + say + `,"generationConfig":null}`}).sends("generationConfig", `{`+off+`}`)
		take(t, trip{from: G, to: G, ask: `{"generation_config":null,"extra_body":{"generationConfig":{"topK":3}},` + say + `}`}).sends("generation_config", `{"topK":3}`)
		own := `"generationConfig":{"thinkingConfig":{"thinkingBudget":2000}}`
		for _, ask := range []string{`{` + off + `,` + own + `,` + say + `}`, `{` + own + `,` + off + `,` + say + `}`} {
			for _, to := range []string{O, A, G} {
				l := take(t, trip{from: G, to: to, model: map[string]string{O: "gpt-5", G: "gemini-2.5-flash"}[to], ask: ask})
				l.warns("thinkingConfig", chat.Dropped)
			}
		}
		take(t, trip{from: A, to: A, ask: `{"model":"m","max_tokens":9,"extra_body":null,"messages":[{"role":"user","content":"go"}]}`}).sends("extra_body", "")
		take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":9,"options":null,"messages":[{"role":"user","content":"go"}]}`}).quiet()
	}},
	{number: 1195, name: "a data URL in the place of Google's data, and of its address", run: func(t *testing.T) {
		for _, part := range []string{
			`{"inlineData":{"mimeType":"image/png","data":"data:image/png;base64,` + pixel + `"}}`, `{"inlineData":{"data":"data:image/png;base64,` + pixel + `"}}`,
			`{"fileData":{"fileUri":"data:image/png;base64,` + pixel + `"}}`, `{"file_data":{"mime_type":"image/png","file_uri":"data:image/png;base64,` + pixel + `"}}`,
		} {
			is(t, part+", to O", take(t, trip{from: G, to: O, ask: partG(part)}).got().Get("messages.0.content.1.image_url.url").Str, "data:image/png;base64,"+pixel)
			is(t, part+", to A", take(t, trip{from: G, to: A, ask: partG(part)}).got().Get("messages.0.content.1.source").Raw, `{"type":"base64","media_type":"image/png","data":"`+pixel+`"}`)
		}
		refuses(t, trip{from: G, to: A, ask: partG(`{"inlineData":{"mimeType":"image/png","data":"data:image/png;base64,"}}`)}, "contents[0].parts[1].inlineData.data")
	}},
	// What is written here passed when it was tried, and no other case has it.
	{number: 1196, name: "statuses and waits that few servers have", run: func(t *testing.T) {
		for _, row := range []struct {
			status int
			wait   string
			want   string
		}{
			{429, "Fri, 31 Dec 2123 23:59:59 GMT", "429 24h0m0s"}, {429, "-5", "429 0s"}, {429, "1e9", "429 24h0m0s"}, {429, "soon", "429 0s"}, {503, "7", "503 7s"}, {408, "", "504 0s"}, {409, "", "503 0s"}, {425, "", "503 0s"},
			{302, "", "502 0s"}, {204, "", "502 0s"}, {418, "", "502 0s"}, {507, "", "502 0s"}, {524, "", "504 0s"}, {599, "", "502 0s"},
		} {
			l := try(t, trip{from: O, to: O, ask: plain[O], status: row.status, answers: []string{""}, header: map[string][]string{"Retry-After": {row.wait}}})
			is(t, fmt.Sprint(row.status, " ", row.wait), fmt.Sprint(l.status, " ", l.failure.RetryAfter), row.want)
		}
	}},
	{number: 1197, name: "streams in an order of their own", run: func(t *testing.T) {
		for what, row := range map[string][3]string{
			"words behind the end":        {O, chunksO("", `{"content":"h"}`) + sse(delta(0, "", `"stop"`), delta(0, `"content":"i"`, ""), "[DONE]"), `|hi||stop`},
			"calls from 1":                {O, chunksO("tool_calls", toolO(1, "a", "f", `{"a":1}`), toolO(2, "b", "f", `{}`)), `||f{"a":1} f{}|tool`},
			"an id for two numbers":       {O, chunksO("tool_calls", toolO(0, "a", "f", `{"a":1}`), toolO(1, "a", "f", `{}`)), `||f{"a":1} f{}|tool`},
			"numbers that are texts":      {O, sse(`{"choices":[{"index":"0","delta":{"content":"hi"}}]}`, `{"choices":[{"index":"0","delta":{},"finish_reason":"stop"}]}`), `|hi||stop`},
			"signs of life":               {O, sse(`{"type":"keepalive"}`, `{"object":"ping"}`) + "data:\n\n" + chunksO("stop", `{"content":"hi"}`), `|hi||stop`},
			"gaps between blocks":         {A, messageA(textA(1, "h")+textA(3, "i"), "end_turn"), `|hi||stop`},
			"a piece of no block":         {A, messageA(named(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`), "end_turn"), `|hi||stop`},
			"an end at the beginning":     {A, named(`{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}}`) + textA(0, "hi") + named(`{"type":"message_stop"}`), `|hi||stop`},
			"an input and pieces of it":   {A, messageA(named(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"a":1}}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`, `{"type":"content_block_stop","index":0}`), "tool_use"), `||f{"a":1}|tool`},
			"an end that is a number":     {G, sse(partsG(`{"text":"hi"}`, ""), partsG("", `,"finishReason":1`)), `|hi||stop`},
			"one part that is no list":    {G, sse(`{"candidates":[{"content":{"role":"user","parts":{"text":"hi"}},"finishReason":"STOP"}]}`), `|hi||stop`},
			"two calls of one id":         {G, sse(partsG(`{"functionCall":{"name":"f","id":"x","args":{"a":1}}}`, ""), partsG(`{"functionCall":{"name":"f","id":"x","args":{"a":2}}}`, `,"finishReason":"STOP"`)), `||f{"a":1} f{"a":2}|tool`},
			"a name of Google's own sort": {G, sse(partsG(`{"functionCall":{"name":"default_api:f","args":{}}}`, `,"finishReason":"STOP"`)), `||f{}|tool`},
		} {
			for _, from := range others(row[0]) {
				for _, streamed := range []bool{false, true} {
					is(t, from+", "+what, tells(t, trip{from: from, to: row[0], kind: map[string]string{O: "vllm"}[row[0]], stream: streamed, answers: []string{row[1]}}), row[2])
				}
			}
		}
	}},
}}
