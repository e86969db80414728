package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// What Codex and Claude Code have learned to say in 2026, and servers have not.
var hardCodex = section{"AV", "what agents have learned to say, and servers have not", []hard{
	// openai/codex#22809, Soju06/codex-lb#971, router-for-me/CLIProxyAPI#4848: any other answer than one summary ends the session.
	{number: 1264, name: "a conversation that is to be made shorter where it goes on", elsewhere: "TestHard1264ATriggerMakesAConversationShorter"},
	// ollama/ollama#18286, lidge-jun/opencodex#3911, envoyproxy/ai-gateway#2455: an agent's task, and what it found.
	{number: 1265, name: "what agents write to each other", elsewhere: "TestHard1265AgentsHearOfEachOther"},
	// lmstudio-ai/localization#425, ollama/ollama#18055: Claude Code has read a picture, and no request of the session is taken any more.
	{number: 1266, name: "a picture in a result, to a server of Claude's dialect that takes only words there", answer: "asked again with the picture behind the results, with a warning", run: func(t *testing.T) {
		ask := calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]}`)
		asG := `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":{}}}]},{"parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"see"},"parts":[{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}]}}]}]}`
		for _, words := range []string{"Only text tool_result blocks are supported when tool_result.content is an array.", "Input should be a valid string (ref: a9065c14-5a11-4d60-a4ac-31554a0b8e35)", "messages.2.content.0.tool_result.content.str: Input should be a valid string"} {
			for from, body := range map[string]string{A: ask, G: asG} {
				l := take(t, refusesFirst(trip{from: from, to: A, own: true, ask: body}, 400, words))
				turn := l.then().Get("messages.2.content")
				is(t, from+": "+words, inLine(turn.Get("#.type"), strings.Contains(turn.Get("0").Raw, pixel), strings.Contains(turn.Get("1").Raw, pixel)), `["tool_result","image"] false true`)
				is(t, from+", told: "+l.told(), strings.Contains(l.told(), "follows the results"), true)
			}
		}
		authors := try(t, refusesFirst(trip{from: A, to: A, ask: ask}, 400, "Only text tool_result blocks are supported"))
		is(t, "at the author's", fmt.Sprint(authors.status, len(authors.calls)), "400 1")
		blind := take(t, refusesFirst(trip{from: G, to: A, own: true, ask: asG}, 400, "messages[66].content: unknown variant `image`, expected one of `text`, `tool_use`, `tool_result`, `thinking` at line 1"))
		is(t, "a model that sees none, in Claude's dialect", strings.Contains(blind.then().Raw, pixel), false)
	}},
	// anthropics/claude-code#21612, #31033, #33180, #41966, decolua/9router#1468, KarpelesLab/teamclaude#244.
	{number: 1267, name: "hints of Claude Code's that a server does not know", answer: "asked again without them, with a warning: they say nothing of the answer", run: func(t *testing.T) {
		const mark = `"cache_control":{"type":"ephemeral","scope":"global"}`
		ask := `{"model":"m","max_tokens":9,"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},"system":[{"type":"text","text":"S",` + mark + `}],` +
			`"tools":[{"name":"f","input_schema":{"type":"object","properties":{"scope":{"type":"string"}}},"defer_loading":true,"eager_input_streaming":true,` + mark + `}],` +
			`"messages":[{"role":"user","content":[{"type":"text","text":"go",` + mark + `}]}]}`
		for words, row := range map[string]struct{ path, want string }{
			"context_management: Extra inputs are not permitted":                      {"context_management", ""},
			"tools.0.custom.defer_loading: Extra inputs are not permitted":            {"tools.0.defer_loading", ""},
			"tools.0.custom.eager_input_streaming: Extra inputs are not permitted":    {"tools.0.eager_input_streaming", ""},
			"system.0.cache_control.ephemeral.scope: Extra inputs are not permitted":  {"system.0.cache_control", `{"type":"ephemeral"}`},
			"messages.0.content.0.text.cache_control: Extra inputs are not permitted": {"messages.0.content.0.cache_control", ""},
		} {
			l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: ask}, 400, words))
			same(t, l.then(), row.path, row.want)
			is(t, words+", what it does know", l.then().Get("tools.0.input_schema").Raw, l.got().Get("tools.0.input_schema").Raw)
			is(t, words+", told: "+l.told(), len(l.losses) == 1 && l.losses[0].Verb == chat.Dropped, true)
			home := try(t, refusesFirst(trip{from: A, to: A, ask: ask}, 400, words))
			is(t, words+", at Anthropic's", fmt.Sprint(home.status, len(home.calls)), "400 1")
		}
		all := trip{from: A, to: A, own: true, ask: ask, statuses: []int{400, 400, 400, 200}}
		for _, name := range []string{"context_management", "tools.0.custom.defer_loading", "tools.0.cache_control.ephemeral.scope"} {
			all.answers = append(all.answers, said(A, name+": Extra inputs are not permitted"))
		}
		all.answers = append(all.answers, hi[A])
		l := take(t, all)
		is(t, "one by one", strings.Contains(l.then().Raw, "global") || strings.Contains(l.then().Raw, "defer_loading") || strings.Contains(l.then().Raw, "context_management"), false)
		ours := take(t, refusesFirst(trip{from: O, to: A, own: true, ask: `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}]}`}, 400, "messages.0.content.0.text.cache_control: Extra inputs are not permitted"))
		is(t, "a mark that was carried over", inLine(ours.got().Get("messages.0.content.0.cache_control.type"), ours.then().Get("messages.0.content.0.text"), ours.then().Get("messages.0.content.0.cache_control").Exists()), "ephemeral go false")
		is(t, "told: "+ours.told(), strings.Contains(ours.told(), "cache_control"), true)
		other := try(t, refusesFirst(trip{from: A, to: A, own: true, ask: ask}, 400, "messages.0.scope_of_work: Extra inputs are not permitted"))
		is(t, "what is no hint", fmt.Sprint(other.status, len(other.calls)), "400 1")
	}},
	// QwenLM/qwen-code#3788, openclaw/openclaw#71435, leookun/cursor-byok#276: a model may think nothing before a call, and clients of Anthropic's leave thoughts out; no turn of the session is taken any more.
	{number: 1269, name: "turns without thoughts, at a server that wants them back", answer: "asked again with a blank thought", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"a","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]},{"role":"assistant","content":[{"type":"tool_use","id":"b","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"2"}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`
		const words = "The `content[].thinking` in the thinking mode must be passed back to the API."
		l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: ask}, 400, words))
		is(t, "a thought that is there", l.then().Get("messages.1.content.0").Raw, `{"type":"thinking","thinking":"hm","signature":"s"}`)
		is(t, "one that is not", l.then().Get("messages.3.content.0").Raw+l.then().Get("messages.3.content.1.type").Str, `{"type":"thinking","thinking":"","signature":""}tool_use`)
		inO := `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"1"}]}`
		inG := `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}}}]},{"parts":[{"functionResponse":{"id":"a","name":"f","response":{"output":"1"}}}]}]}`
		for from, body := range map[string]string{O: inO, G: inG} {
			is(t, from, take(t, refusesFirst(trip{from: from, to: A, own: true, ask: body}, 400, words)).then().Get("messages.1.content.0.type").Str, "thinking")
		}
		l = take(t, refusesFirst(trip{from: O, to: O, own: true, ask: inO}, 400, "The `reasoning_content` in the thinking mode must be passed back to the API."))
		is(t, "in OpenAI's dialect", l.then().Get("messages.1.reasoning_content").Str, " ")
	}},
	// hotovo/aider-desk#919, vercel/ai#18303: vLLM counts no further than it must, and Claude Code asks every model for 32,000 tokens.
	{number: 1268, name: "an answer for which there is no room beside a conversation that was not counted to its end", answer: "asked again for half as much, and for half of that, with a warning", run: func(t *testing.T) {
		words := func(output int) string {
			return fmt.Sprintf("This model's maximum context length is 40960 tokens. However, you requested %d output tokens and your prompt contains at least %d input tokens, for a total of at least 40961 tokens. "+
				"Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=%[2]d)", output, 40961-output)
		}
		ask := strings.Replace(plain[A], `"max_tokens":9`, `"max_tokens":32000`, 1)
		way := trip{from: A, to: O, kind: "vllm", own: true, ask: ask, statuses: []int{400, 400, 200}, answers: []string{said(O, words(32000)), said(O, words(16000)), hi[O]}}
		l := take(t, way)
		is(t, "asked for", l.then().Get("max_tokens").Int()+l.then().Get("max_completion_tokens").Int(), 8000)
		is(t, "told: "+l.told(), strings.Contains(l.told(), "max_tokens"), true)
		way.statuses, way.answers = []int{400}, []string{said(O, words(32000)), said(O, words(16000)), said(O, words(8000))}
		is(t, "in Claude Code's words", gjson.Get(try(t, way).body, "error.message").Str, "prompt is too long: 40961 tokens > 40960 maximum")
		short := try(t, trip{from: A, to: O, kind: "vllm", own: true, ask: plain[A], status: 400, answers: []string{said(O, words(0))}})
		is(t, "no answer is shorter", len(short.calls), 1)
	}},
}}
