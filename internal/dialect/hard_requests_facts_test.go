package dialect_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"stele/internal/chat"
)

// turnsAt is where each upstream gets the turns of a conversation.
var turnsAt = map[string]string{O: "messages", A: "messages", G: "contents"}

// longer is a conversation of each dialect with calls of one name, and how it goes on.
var longer = map[string][2]string{
	O: {
		`{"model":"m",` + toolsO + `,"messages":[{"role":"system","content":"S"},{"role":"user","content":"go"},` + callsO("x.1", "x:1") + `,` + resultO("x.1", "a") + `,` + resultO("x:1", "b") + `§]}`,
		`,{"role":"assistant","content":"so"},{"role":"user","content":"on"},` + callsO("x.1") + `,` + resultO("x.1", "c"),
	},
	A: {
		`{"model":"m","max_tokens":99,"system":"S",` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"t1","name":"f","input":{"a":"1"}},{"type":"tool_use","id":"t2","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"a"},{"type":"tool_result","tool_use_id":"t2","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}],"is_error":true},{"type":"text","text":"and"}]}§]}`,
		`,{"role":"assistant","content":"so"},{"role":"user","content":"on"}`,
	},
	G: {
		`{"systemInstruction":{"parts":[{"text":"S"}]},` + toolsG + `,"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":"1"}}},{"functionCall":{"name":"f","args":{"a":"2"}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"a"}}},{"functionResponse":{"name":"f","response":{"output":"b"}}}]}§]}`,
		`,{"role":"model","parts":[{"text":"so"}]},{"role":"user","parts":[{"text":"on"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"c"}}}]}`,
	},
}

// effort is a request that says how much is to be thought.
func effort(from, word string) string {
	switch from {
	case O:
		return withO(`"max_completion_tokens":60000,"reasoning_effort":"` + word + `"`)
	case G:
		return `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{` + word + `}}}`
	}
	return `{"model":"m","max_tokens":60000,` + word + `,"messages":[{"role":"user","content":"go"}]}`
}

var hardFacts = section{"AH", "facts of the three APIs", []hard{
	{number: 1079, name: "a longer conversation begins as the shorter one did", run: func(t *testing.T) {
		pairs(func(from, to string) {
			short := take(t, trip{from: from, to: to, ask: strings.Replace(longer[from][0], "§", "", 1)}).got()
			long := take(t, trip{from: from, to: to, ask: strings.Replace(longer[from][0], "§", longer[from][1], 1)}).got()
			before, after := short.Get(turnsAt[to]).Array(), long.Get(turnsAt[to]).Array()
			for i := range before {
				is(t, fmt.Sprintf("%s to %s, turn %d", from, to, i), after[i].Raw, before[i].Raw)
			}
			for _, at := range []string{"system", "systemInstruction", "tools"} {
				is(t, from+" to "+to+" "+at, long.Get(at).Raw, short.Get(at).Raw)
			}
		})
	}},
	{number: 1080, name: "moderation that is to block, and one that is to tell", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			for _, side := range []string{"input", "output"} {
				refuses(t, trip{from: O, to: to, ask: withO(`"moderation":{"model":"omni","policy":{"` + side + `":{"mode":"block"}}}`)}, "moderation")
			}
			take(t, trip{from: O, to: to, ask: withO(`"moderation":{"model":"omni","policy":{"input":{"mode":"score"}}}`)}).warns("moderation", chat.Dropped)
		}
	}},
	{number: 1081, name: "a token by which Google is to go on", run: func(t *testing.T) {
		for _, to := range []string{O, A} {
			refuses(t, trip{from: G, to: to, ask: `{"continuationToken":"x","contents":[{"parts":[{"text":"go"}]}]}`}, "continuationToken")
		}
	}},
	{number: 1082, name: "an end user by both names", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: withO(`"user":"old","safety_identifier":"new"`)})
		l.sends("metadata.user_id", `"new"`)
		l.warns("user", chat.Ignored)
		take(t, trip{from: O, to: A, ask: withO(`"user":"old"`)}).sends("metadata.user_id", `"old"`)
	}},
	{number: 1083, name: "what Google's results mean", run: func(t *testing.T) {
		for response, want := range map[string]struct {
			text  string
			error bool
		}{
			`{"output":"x"}`: {"x", false}, `{"result":"x"}`: {"x", false}, `{"error":"x"}`: {"x", true}, `{"output":{"a":1.0}}`: {`{"output":{"a":1.0}}`, false},
			`{"error":"x","code":7}`: {`{"error":"x","code":7}`, false}, `{"output":"x","more":1}`: {`{"output":"x","more":1}`, false}, `{"n":12345678901234567890}`: {`{"n":12345678901234567890}`, false},
		} {
			ask := `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":` + response + `}}]}]}`
			text := want.text
			if want.error {
				text = "Error: " + text
			}
			is(t, "to OpenAI "+response, take(t, trip{from: G, to: O, ask: ask}).got().Get("messages.2.content").Str, text)
			result := take(t, trip{from: G, to: A, ask: ask}).got().Get("messages.2.content.0")
			said := result.Get("content").Str + result.Get("content.0.text").Str
			is(t, "to Claude "+response, fmt.Sprint(said, result.Get("is_error").Bool()), fmt.Sprint(want.text, want.error))
		}
	}},
	{number: 1084, name: "types of media in other letters", run: func(t *testing.T) {
		jpeg := base64.StdEncoding.EncodeToString([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00"))
		for _, kind := range []string{"image/jpg", "IMAGE/JPEG", "image/jpeg; charset=binary", "image/pjpeg"} {
			asks := map[string]string{
				O: partO(`{"type":"image_url","image_url":{"url":"data:` + kind + `;base64,` + jpeg + `"}}`), G: partG(`{"inlineData":{"mimeType":"` + kind + `","data":"` + jpeg + `"}}`),
				A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"` + kind + `","data":"` + jpeg + `"}}]}]}`,
			}
			pairs(func(from, to string) {
				sent := take(t, trip{from: from, to: to, ask: asks[from]}).got().Raw
				if !strings.Contains(sent, "image/jpeg") || strings.Contains(sent, "charset") || strings.Contains(sent, "IMAGE") || strings.Contains(sent, "jpg") {
					t.Errorf("%s, %s to %s: %s", kind, from, to, sent)
				}
			})
		}
		for _, to := range []string{A, G} { // a scheme has no case
			sent := take(t, trip{from: O, to: to, ask: partO(`{"type":"image_url","image_url":{"url":"DATA:image/png;BASE64,` + pixel + `"}}`)}).got().Raw
			is(t, to, strings.Contains(sent, "image/png") && strings.Contains(sent, pixel), true)
		}
	}},
	{number: 1085, name: "names that differ only in what an upstream does not take", run: func(t *testing.T) {
		names := []string{"a.b", "a:b", "a_b", "a-b"}
		ask := `{"tools":[{"functionDeclarations":[{"name":"a.b"},{"name":"a:b"},{"name":"a_b"},{"name":"a-b"}]}],"contents":[{"parts":[{"text":"go"}]}]}`
		for to, at := range map[string]string{O: "tools.#.function.name", A: "tools.#.name"} {
			sent := take(t, trip{from: G, to: to, ask: ask}).got().Get(at).Array()
			seen := map[string]bool{}
			for i, name := range sent {
				is(t, to+", twice", seen[name.Str], false)
				seen[name.Str] = true
				answer := callingOf(to, name.Str, "")
				for streamed, body := range map[bool]string{false: answer.whole, true: answer.stream} {
					l := take(t, trip{from: G, to: to, stream: streamed, ask: ask, answers: []string{body}})
					if !strings.Contains(l.body, `"name":"`+names[i]+`"`) {
						t.Errorf("%s from %s: %s", names[i], to, l.body)
					}
				}
			}
			is(t, to, len(seen), 4)
		}
	}},
	{number: 1086, name: "when to ask again, in every form", run: func(t *testing.T) {
		for _, to := range []string{O, A} {
			for value, want := range map[string]time.Duration{"7": 7 * time.Second, "1.5": 1500 * time.Millisecond, "-3": 0, "soon": 0, "99999999999": 24 * time.Hour, "1e400": 0, "": 0} {
				l := try(t, trip{from: G, to: to, ask: plain[G], status: 429, header: map[string][]string{"Retry-After": {value}}, answers: []string{said(to, "slow down")}})
				is(t, to+" "+value, l.failure.RetryAfter, want)
				is(t, to+" "+value+", told", strings.Contains(l.body, "retryDelay"), want > 0)
			}
		}
		for delay, want := range map[string]time.Duration{"57.3s": 57300 * time.Millisecond, "99999999s": 24 * time.Hour, "-1s": 0, "soon": 0} {
			l := try(t, trip{from: O, to: G, ask: plain[O], status: 429, answers: []string{`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"` + delay + `"}]}}`}})
			is(t, "Google's "+delay, l.failure.RetryAfter, want)
		}
		for words, want := range map[string]time.Duration{
			"Please try again in 1m30.5s.": 90500 * time.Millisecond, "Please try again in 6ms.": 6 * time.Millisecond, "Please retry after 20 seconds.": 20 * time.Second, "Please retry in 57.3s.": 57300 * time.Millisecond,
			"Try again in 2 minutes, 5 seconds": 125 * time.Second, "Please retry after 2 models": 0, "Please retry after 999999 hours": 24 * time.Hour, "retry later": 0, "Retry after some time": 0,
		} {
			for _, to := range []string{O, A, G} {
				l := try(t, trip{from: O, to: to, ask: plain[O], status: 429, answers: []string{said(to, words)}})
				is(t, to+" "+words, l.failure.RetryAfter, want)
			}
		}
	}},
	{number: 1087, name: "how much is to be thought, for each sort of model", run: func(t *testing.T) {
		for _, row := range []struct {
			from, ask, to, model, at, want string
			told                           bool
		}{
			{O, effort(O, "xhigh"), G, "gemini-3-pro", "generationConfig.thinkingConfig.thinkingLevel", `"HIGH"`, true}, {O, effort(O, "max"), G, "gemini-3-pro", "generationConfig.thinkingConfig.thinkingLevel", `"HIGH"`, true},
			{O, effort(O, "minimal"), G, "gemini-3-flash", "generationConfig.thinkingConfig.thinkingLevel", `"MINIMAL"`, false}, {O, effort(O, "none"), G, "gemini-2.5-flash", "generationConfig.thinkingConfig.thinkingBudget", "0", false},
			{O, effort(O, "none"), G, "gemini-2.5-pro", "generationConfig.thinkingConfig.thinkingBudget", "128", true}, {O, effort(O, "minimal"), G, "gemini-2.5-flash", "generationConfig.thinkingConfig.thinkingBudget", "512", false},
			{O, effort(O, "medium"), A, "claude-sonnet-4-5", "thinking.budget_tokens", "8192", true}, {O, effort(O, "medium"), A, "claude-opus-4-7", "output_config.effort", `"medium"`, false},
			{O, effort(O, "xhigh"), A, "claude-opus-4-6", "output_config.effort", `"high"`, true}, {O, effort(O, "none"), A, "claude-sonnet-5-5", "thinking.type", `"between_tools"`, true},
			{O, effort(O, "none"), A, "claude-opus-5-5", "output_config.effort", `"low"`, true}, {O, effort(O, "none"), A, "claude-opus-4-7", "thinking.type", `"disabled"`, false},
			{G, effort(G, `"thinkingBudget":512`), O, "gpt-5", "reasoning_effort", `"minimal"`, true}, {G, effort(G, `"thinkingBudget":1024`), O, "gpt-5.2", "reasoning_effort", `"low"`, true},
			{G, effort(G, `"thinkingBudget":4096`), O, "gpt-5.2", "reasoning_effort", `"medium"`, true}, {G, effort(G, `"thinkingBudget":16384`), O, "gpt-5.2", "reasoning_effort", `"high"`, true},
			{G, effort(G, `"thinkingBudget":32768`), O, "gpt-5.2", "reasoning_effort", `"xhigh"`, true}, {G, effort(G, `"thinkingBudget":-1`), O, "gpt-5", "reasoning_effort", "", false},
			{A, effort(A, `"thinking":{"type":"between_tools"}`), O, "gpt-5.2", "reasoning_effort", `"none"`, true}, {A, effort(A, `"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}`), G, "gemini-3-pro", "generationConfig.thinkingConfig.thinkingLevel", `"HIGH"`, true},
			{A, effort(A, `"thinking":{"type":"adaptive"}`), G, "gemini-3-pro", "generationConfig.thinkingConfig.thinkingLevel", "", false}, {A, effort(A, `"thinking":{"type":"disabled"}`), G, "gemini-2.5-flash", "generationConfig.thinkingConfig.thinkingBudget", "0", false},
		} {
			l := take(t, trip{from: row.from, to: row.to, model: row.model, ask: row.ask})
			if got := l.got().Get(row.at).Raw; got != row.want {
				t.Errorf("%s on %s: %s is %s, want %s", row.ask, row.model, row.at, got, row.want)
			}
			if told := strings.Contains(l.told(), "approximated") || strings.Contains(l.told(), "dropped"); told != row.told {
				t.Errorf("%s on %s: told %s", row.ask, row.model, l.told())
			}
		}
	}},
	{number: 1088, name: "one of two ways to sample, where only one is taken", run: func(t *testing.T) {
		for from, ask := range map[string]string{O: withO(`"temperature":0.3,"top_p":0.5`), G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"temperature":0.3,"topP":0.5}}`} {
			l := take(t, trip{from: from, to: A, ask: ask})
			l.sends("temperature", "0.3")
			l.sends("top_p", "")
			l.warns(map[string]string{O: "top_p", G: "generationConfig.topP"}[from], chat.Dropped)
		}
		take(t, trip{from: O, to: A, ask: withO(`"top_p":0.5`)}).sends("top_p", "0.5")
	}},
	{number: 1089, name: "where and how fast Claude is to run", run: func(t *testing.T) {
		for _, to := range []string{O, G} {
			for field, value := range map[string]string{"speed": `"fast"`, "inference_geo": `"us"`, "container": `"c"`} {
				l := try(t, trip{from: A, to: to, ask: strings.Replace(plain[A], "{", `{"`+field+`":`+value+`,`, 1)})
				if l.failure == nil && !strings.Contains(l.told(), field+"; dropped") || l.failure != nil && l.failure.Details["field"] != field {
					t.Errorf("%s to %s: %v %s", field, to, l.failure, l.told())
				}
				if l.failure == nil && strings.Contains(l.got().Raw, field) {
					t.Error(l.got().Raw)
				}
			}
		}
	}},
	{number: 1090, name: "a shape as Claude's older clients ask for it", run: func(t *testing.T) {
		ask := strings.Replace(plain[A], "{", `{"output_format":{"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}},`, 1)
		take(t, trip{from: A, to: O, ask: ask}).sends("response_format.json_schema.schema.required", `["a"]`)
		take(t, trip{from: A, to: G, ask: ask}).sends("generationConfig.responseJsonSchema.required", `["a"]`)
	}},
	{number: 1091, name: "sounds that OpenAI takes, and others", run: func(t *testing.T) {
		for kind, want := range map[string]string{"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/WAV": "wav"} {
			take(t, trip{from: G, to: O, ask: partG(`{"inlineData":{"mimeType":"` + kind + `","data":"AAAA"}}`)}).sends("messages.0.content.1.input_audio.format", quoted(want))
		}
		for _, kind := range []string{"audio/flac", "audio/ogg", "audio/aac"} {
			refuses(t, trip{from: G, to: O, ask: partG(`{"inlineData":{"mimeType":"` + kind + `","data":"AAAA"}}`)}, "contents[0].parts[1]")
		}
	}},
	{number: 1092, name: "files of words and of an office", run: func(t *testing.T) {
		office := "data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64," + b64("PK\x03\x04word/document.xml")
		refuses(t, trip{from: O, to: A, ask: partO(`{"type":"file","file":{"filename":"a.docx","file_data":"` + office + `"}}`)}, "messages[0].content[1]")
		for _, kind := range []string{"text/plain", "text/markdown", "text/csv", "application/json"} {
			for _, to := range []string{A, G} {
				sent := take(t, trip{from: O, to: to, ask: partO(`{"type":"file","file":{"filename":"a.txt","file_data":"data:` + kind + `;base64,` + b64("wörds,1") + `"}}`)}).got().Raw
				if !strings.Contains(sent, "wörds,1") && !strings.Contains(sent, b64("wörds,1")) {
					t.Errorf("%s to %s: %s", kind, to, sent)
				}
			}
		}
	}},
	{number: 1093, name: "Google's files and films, for OpenAI", run: func(t *testing.T) {
		for _, uri := range []string{"gs://bucket/a.png", "https://generativelanguage.googleapis.com/v1beta/files/abc", "https://www.youtube.com/watch?v=x"} {
			for _, to := range []string{O, A} {
				refuses(t, trip{from: G, to: to, ask: partG(`{"fileData":{"fileUri":"` + uri + `","mimeType":"video/mp4"}}`)}, "contents[0].parts[1]")
			}
		}
	}},
	{number: 1094, name: "one where Google has lists", run: func(t *testing.T) {
		for _, tools := range []string{`{"functionDeclarations":[{"name":"f"}]}`, `[{"functionDeclarations":{"name":"f"}}]`} {
			take(t, trip{from: G, to: O, ask: `{"tools":` + tools + `,"contents":{"parts":{"text":"go"}}}`}).sends("tools.#.function.name", `["f"]`)
			take(t, trip{from: G, to: A, ask: `{"tools":` + tools + `,"contents":{"parts":{"text":"go"}}}`}).sends("tools.#.name", `["f"]`)
		}
	}},
	{number: 1095, name: "nothing to answer", run: func(t *testing.T) {
		for _, to := range []string{O, A} {
			for _, ask := range []string{`{"systemInstruction":{"parts":[{"text":"S"}]}}`, `{"contents":[]}`, `{"contents":null}`} {
				refuses(t, trip{from: G, to: to, ask: ask}, "contents")
			}
		}
		pairs(func(from, to string) {
			if from == G {
				return
			}
			empty := map[string]string{O: `{"model":"m","messages":[]}`, A: `{"model":"m","max_tokens":9,"messages":[]}`}
			refuses(t, trip{from: from, to: to, ask: empty[from]}, "messages")
		})
	}},
	{number: 1096, name: "a call in free text of the history", run: func(t *testing.T) {
		ask := `{"model":"m","tools":[{"type":"custom","custom":{"name":"p"}}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"p","input":"a \"b\"\n"}}]},` + resultO("c", "ok") + `]}`
		take(t, trip{from: O, to: A, ask: ask}).sends("messages.1.content.0.input", `{"input":"a \"b\"\n"}`)
		l := take(t, trip{from: O, to: G, ask: ask})
		l.sends("contents.1.parts.0.functionCall.args", `{"input":"a \"b\"\n"}`)
		l.sends("contents.2.parts.0.functionResponse.name", `"p"`)
		l = take(t, trip{from: O, to: O, kind: "vllm", own: true, ask: ask})
		is(t, "passed on", l.got().Get("messages.1.tool_calls.0.custom.input").Str, "a \"b\"\n")
	}},
	{number: 1097, name: "a call is wanted, and there are no tools", run: func(t *testing.T) {
		asks := map[string]string{O: withO(`"tool_choice":"required"`), A: strings.Replace(plain[A], "{", `{"tool_choice":{"type":"any"},`, 1), G: strings.Replace(plain[G], "{", `{"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},`, 1)}
		pairs(func(from, to string) {
			l := try(t, trip{from: from, to: to, ask: asks[from]})
			if l.failure != nil {
				is(t, from+" to "+to, l.status, 400)
				return
			}
			if raw := l.got().Raw; strings.Contains(raw, "tool_choice") || strings.Contains(raw, "toolConfig") || !strings.Contains(l.told(), "dropped") {
				t.Errorf("%s to %s: %s %s", from, to, raw, l.told())
			}
		})
	}},
	{number: 1098, name: "one of two of three tools must be called", run: func(t *testing.T) {
		ask := `{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"},{"name":"c"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["a","c"]}},"contents":[{"parts":[{"text":"go"}]}]}`
		l := take(t, trip{from: G, to: O, ask: ask})
		l.sends("tool_choice.allowed_tools.mode", `"required"`)
		l.sends("tool_choice.allowed_tools.tools.#.function.name", `["a","c"]`)
		l = take(t, trip{from: G, to: A, ask: ask})
		l.sends("tool_choice.type", `"any"`)
		l.sends("tools.#.name", `["a","c"]`)
		is(t, "a compatible server's", take(t, trip{from: G, to: O, kind: "vllm", own: true, ask: ask}).got().Get("tool_choice").Str, "required")
	}},
	{number: 1099, name: "a shape beside tools, on models that take only one of them", run: func(t *testing.T) {
		ask := withO(toolsO + `,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"a":{"type":"string"}}}}}`)
		old := take(t, trip{from: O, to: G, model: "gemini-2.5-flash", ask: ask})
		old.sends("generationConfig.responseMimeType", "")
		is(t, "in words", strings.Contains(old.got().Get("systemInstruction").Raw, `\"a\"`), true)
		old.warns("response_format", chat.Approximated)
		take(t, trip{from: O, to: G, model: "gemini-3-pro", ask: ask}).sends("generationConfig.responseMimeType", `"application/json"`)
	}},
}}
