package dialect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stele/internal/chat"
)

var hardFresh = section{"AO", "what agents meet", []hard{
	// kekzl/imp#1442, mindcraft-bots/mindcraft#789, NousResearch/hermes-agent#3444: thoughts use up the budget.
	{number: 1142, name: "an answer of nothing but thoughts, which the client did not ask for", answer: "it is empty, as the vendors' own is, and that is reported", run: func(t *testing.T) {
		whole := map[string]string{
			O: `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning_content":"hm, well"},"finish_reason":"%s"}],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}`,
			A: wholeA("%s", `{"type":"thinking","thinking":"hm, well","signature":"`+claudes+`"}`),
			G: partsG(`{"text":"hm, well","thought":true}`, `,"finishReason":"%s"`),
		}
		streams := map[string]string{O: chunksO("%s", `{"reasoning_content":"hm, well"}`), A: messageA(thoughtA(0, "hm, well", claudes), "%s"), G: sse(partsG(`{"text":"hm, well","thought":true}`, `,"finishReason":"%s"`))}
		ends := map[string][2]string{O: {"stop", "length"}, A: {"end_turn", "max_tokens"}, G: {"STOP", "MAX_TOKENS"}}
		pairs(func(from, to string) {
			for which := range 2 {
				for _, streamed := range []bool{false, true} {
					answer := whole[to]
					if streamed {
						answer = streams[to]
					}
					l := take(t, trip{from: from, to: to, kind: map[string]string{O: "vllm"}[to], stream: streamed, ask: plainly(from, streamed), answers: []string{strings.Replace(answer, "%s", ends[to][which], 1)}})
					what := fmt.Sprintf("%s from %s, %s, streamed %t", from, to, ends[to][which], streamed)
					is(t, what, fmt.Sprint(strings.Contains(l.body, quoted(ends[from][which])), strings.Contains(l.body, "hm, well")), "true false")
					l.warns("answer", chat.Dropped)
				}
			}
		})
	}},
	{number: 1143, name: "tools of one provider, offered to a model of another", answer: "400 that names the tool and says what to do", run: func(t *testing.T) {
		// as Claude Code's search asks for it
		asks := map[string]string{
			A: `{"model":"m","max_tokens":99,"system":"You are an assistant for performing a web search tool use","tool_choice":{"type":"tool","name":"web_search"},"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":8}],"messages":[{"role":"user","content":"Perform a web search for the query: stones"}]}`,
			O: withO(`"tools":[{"type":"web_search"}]`),
			G: `{"tools":[{"googleSearch":{}}],"contents":[{"parts":[{"text":"go"}]}]}`,
		}
		pairs(func(from, to string) {
			refuses(t, trip{from: from, to: to, ask: asks[from]}, "tools[0]")
			l := try(t, trip{from: from, to: to, ask: asks[from]})
			is(t, from+" to "+to, strings.Contains(l.body, "runs at the provider whose API it is part of, and this model is another's: offer a function in its place, or choose a model of that provider."), true)
		})
	}},
	{number: 1144, name: "what an upstream refused once, where its answer is paused and goes on", run: func(t *testing.T) {
		for _, row := range []struct{ to, ask, refusal, at, first, then string }{
			{A, withO(`"max_completion_tokens":20000`), "max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens", "max_tokens", "20000", "8192"},
			{G, withO(`"presence_penalty":0.5`), "Penalty is not enabled for models/gemini-3-pro", "generationConfig.presencePenalty", "0.5", ""},
		} {
			whole, streams := pausing(row.to, []string{"so"}, []string{"on"})
			for _, when := range []int{0, 1} { // at once, or only when it goes on
				for _, streamed := range []bool{false, true} {
					answers, ask := whole, row.ask
					if streamed {
						answers, ask = streams, strings.Replace(ask, "{", `{"stream":true,`, 1)
					}
					way := trip{from: O, to: row.to, stream: streamed, ask: ask, statuses: []int{200, 200, 200}}
					way.answers = slices.Insert(slices.Clone(answers), when, said(row.to, row.refusal))
					way.statuses[when] = 400
					l := take(t, way)
					what := fmt.Sprintf("%s, refused at %d, streamed %t", row.to, when, streamed)
					is(t, what, len(l.sent), 3)
					is(t, what+", first", l.sent[0].Get(row.at).Raw, row.first)
					is(t, what+", then", l.sent[2].Get(row.at).Raw, row.then)
					is(t, what+", told", strings.Contains(l.told(), "max_completion_tokens; ") || strings.Contains(l.told(), "presence_penalty; dropped"), true)
				}
			}
		}
	}},
	// cline/cline#10572 (a profile of Amazon's does not say which Claude it is), mem0ai/mem0#4147, docker/docker-agent#3381, Alcova-AI/adk-anthropic-go#22.
	{number: 1145, name: "what a Claude does not take whose name says nothing", answer: "asked again without it, or in the other way, with a warning", run: func(t *testing.T) {
		for _, row := range []struct{ ask, words, at, first, then, field string }{
			{`"temperature":0.5`, "`temperature` is deprecated for this model.", "temperature", "0.5", "", "temperature"},
			{`"temperature":0.5,"top_p":0.9`, "`temperature` and `top_p` cannot both be specified for this model. Please use only one.", "top_p", "0.9", "", "top_p"},
			{`"top_k":5`, "top_k: Extra inputs are not permitted", "top_k", "5", "", "top_k"},
			{`"reasoning_effort":"high"`, `"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`, "thinking.type", `"enabled"`, `"adaptive"`, ""},
			{`"reasoning_effort":"high"`, "thinking: Extra inputs are not permitted", "thinking.type", `"enabled"`, "", "reasoning_effort"},
			{`"reasoning_effort":"none"`, "thinking.type.disabled is not supported for this model", "thinking.type", `"disabled"`, "", ""},
		} {
			l := take(t, refusesFirst(trip{from: O, to: A, model: "profile-0a1b2c", ask: withO(row.ask)}, 400, row.words))
			is(t, row.words+", first", l.sent[0].Get(row.at).Raw, row.first)
			is(t, row.words+", then", l.sent[1].Get(row.at).Raw, row.then)
			if row.field != "" {
				l.warns(row.field, chat.Dropped)
			}
		}
		for _, row := range []struct{ model, words, at, first, then string }{
			{"claude-opus-4-6", "adaptive thinking is not supported on this model", "thinking.type", `"adaptive"`, `"enabled"`},
			{"claude-opus-4-7", "This model does not support the effort parameter.", "output_config.effort", `"high"`, ""},
			{"claude-opus-4-7", "output_config: Extra inputs are not permitted", "output_config.effort", `"high"`, ""},
		} {
			l := take(t, refusesFirst(trip{from: O, to: A, model: row.model, ask: withO(`"reasoning_effort":"high"`)}, 400, row.words))
			is(t, row.words+", first", l.sent[0].Get(row.at).Raw, row.first)
			is(t, row.words+", then", l.sent[1].Get(row.at).Raw, row.then)
			is(t, row.words+", told", l.warned("reasoning_effort", chat.Approximated), true)
		}
		own := try(t, trip{from: A, to: A, model: "m", ask: `{"model":"m","max_tokens":9,"temperature":0.5,"messages":[{"role":"user","content":"go"}]}`, status: 400, answers: []string{said(A, "`temperature` is deprecated for this model.")}})
		is(t, "a client's own bytes, by the model's own name", fmt.Sprint(own.status, len(own.calls)), "400 1")
	}},
	// RooCodeInc/Roo-Code#10700, vercel/ai#8027, earendil-works/pi#3460, livekit/agents#7080.
	{number: 1146, name: "how much is to be thought, to a Gemini that takes other amounts", answer: "asked again without it, with a warning", run: func(t *testing.T) {
		for _, words := range []string{
			"Thinking level is not supported for this model.", "Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.",
			"Budget 0 is invalid. This model only works in thinking mode.", "Unable to submit request because the model does not support setting thinking_budget to 0.",
			"The thinking budget 10 is invalid. Please choose a value between 512 and 24576.", "Thinking is not enabled for models/gemma-5",
		} {
			for _, model := range []string{"gemini-3-flash", "gemini-2.5-flash"} {
				l := take(t, refusesFirst(trip{from: A, to: G, model: model, ask: `{"model":"m","max_tokens":9999,"thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":"go"}]}`}, 400, words))
				is(t, words, l.sent[0].Get("generationConfig.thinkingConfig.#").Exists() || len(l.sent[0].Get("generationConfig.thinkingConfig").Map()) == 2, true)
				same(t, l.sent[1], "generationConfig.thinkingConfig", `{"includeThoughts":true}`)
				l.warns("thinking", chat.Dropped)
			}
		}
		l := take(t, refusesFirst(trip{from: A, to: G, ask: `{"model":"m","max_tokens":9999,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"go"}]}`}, 400, "Thinking_config.include_thoughts is only enabled when thinking is enabled."))
		same(t, l.sent[1], "generationConfig.thinkingConfig", "")
		l = take(t, refusesFirst(trip{from: O, to: G, ask: `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url","image_url":{"detail":"low","url":"data:image/png;base64,` + pixel + `"}}]}]}`}, 400, "Media resolution is not enabled for models/gemini-3-pro"))
		is(t, "resolution", strings.Contains(l.sent[0].Raw, "mediaResolution"), true)
		is(t, "resolution, then", strings.Contains(l.sent[1].Raw, "mediaResolution"), false)
		l.warns("messages[0].content[1]", chat.Dropped)
	}},
	// lmstudio-ai/lmstudio-bug-tracker#189, ItzCrazyKns/Vane#969, BerriAI/litellm#31466, Simpleyyt/ai-manus#101, truefoundry/models#608.
	{number: 1147, name: "a shape of the answer, to servers and models that take none, or another", answer: "asked again for it in words, with a warning", run: func(t *testing.T) {
		schema := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		asks := map[string]string{
			A: `{"model":"m","max_tokens":99,"output_config":{"format":{"type":"json_schema","schema":` + schema + `}},"messages":[{"role":"user","content":"go"}]}`,
			G: `{"generationConfig":{"responseMimeType":"application/json"%s},"contents":[{"parts":[{"text":"go"}]}]}`,
			O: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + schema + `}}`),
		}
		inSchema := strings.Replace(asks[G], "%s", `,"responseJsonSchema":`+schema, 1)
		for _, row := range []struct{ from, to, kind, ask, words string }{
			{G, O, "lmstudio", strings.Replace(asks[G], "%s", "", 1), "'response_format.type' must be 'json_schema' or 'text'"},
			{A, O, "vllm", asks[A], "This response_format type is unavailable now"}, {G, O, "vllm", inSchema, "response_format.type `json_schema` is unavailable now"},
			{A, O, "groq", asks[A], "This model does not support response format `json_schema`. See supported models."},
			{O, G, "", asks[O], "JSON mode is not enabled for models/gemma-5"}, {A, G, "", asks[A], "Function calling with a response mime type: 'application/json' is unsupported"},
		} {
			l := refusesFirst(trip{from: row.from, to: row.to, kind: row.kind, own: row.kind == "vllm" || row.kind == "lmstudio", ask: row.ask}, 400, row.words)
			fenced := "```json\n{\"a\":\"b\"}\n```"
			l.answers[1] = strings.Replace(l.answers[1], `"hi"`, quoted(fenced), 1)
			landed := take(t, l)
			sent := landed.sent[1].Raw
			is(t, row.words, fmt.Sprint(strings.Contains(sent, "response_format\"") || strings.Contains(sent, "responseMimeType"), strings.Contains(sent, "Answer with")), "false true")
			is(t, row.words+", the schema", strings.Contains(row.ask, "properties"), strings.Contains(sent, "properties"))
			is(t, row.words+", bare", strings.Contains(landed.body, "```"), false)
			is(t, row.words+", told", strings.Contains(landed.told(), "approximated"), true)
		}
	}},
	// vercel/ai#21263, vercel/ai#13335, can1357/oh-my-pi#11641.
	{number: 1148, name: "a summary that stands for what was said before it", answer: "what it stands for is not sent, and the summary is the user's", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":99,` + toolsA + `,"system":"S","messages":[{"role":"user","content":"old"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_9","name":"f","input":{}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_9","content":"old"}]},{"role":"assistant","content":[{"type":"text","text":"old"},{"type":"compaction","content":"all of it","signature":"s"},{"type":"text","text":"so"}]},{"role":"user","content":"on"}]}`
		l := take(t, trip{from: A, to: O, ask: ask})
		l.sends("messages", `[{"role":"system","content":"S"},{"role":"user","content":"all of it"},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]`)
		l.warns("messages", chat.Ignored)
		l.warns("messages[3].content[1]", chat.Approximated)
		l = take(t, trip{from: A, to: G, ask: ask})
		l.sends("contents", `[{"role":"user","parts":[{"text":"all of it"}]},{"role":"model","parts":[{"text":"so"}]},{"role":"user","parts":[{"text":"on"}]}]`)
		take(t, trip{from: A, to: A, ask: ask}).sends("messages.#", "5")
		for _, to := range []string{O, G} { // one that failed stands for nothing
			empty := take(t, trip{from: A, to: to, ask: strings.Replace(ask, `"all of it"`, "null", 1)})
			is(t, to, strings.Count(empty.got().Raw, `"old"`), 3)
			refuses(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":99,"compaction":{"type":"summarize"},"messages":[{"role":"user","content":"go"}]}`}, "compaction")
		}
	}},
	// router-for-me/CLIProxyAPI#3056, cline/cline#230, openclaw/openclaw#17508.
	{number: 1149, name: "texts in a list, to servers that take only a string", answer: "asked again with one text for each turn, with a warning", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":99,"system":[{"type":"text","text":"S1"},{"type":"text","text":"S2"}],"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`
		for _, words := range []string{
			"sequence item 0: expected str instance, list found", "Failed to deserialize the JSON body into the target type: messages[1]: invalid type: sequence, expected a string at line 17 column 3",
			"messages[1].content must be a string or null", "'messages.1' : for 'role:user' the following must be satisfied[('messages.1.content' : value must be a string)]",
		} {
			for _, status := range []int{400, 422, 500} {
				l := take(t, refusesFirst(trip{from: A, to: O, kind: "vllm", own: true, ask: ask}, status, words))
				same(t, l.sent[0], "messages.1.content.#", "2")
				same(t, l.sent[1], "messages.1.content", `"a\n\nb"`)
				l.warns("messages", chat.Approximated)
			}
		}
	}},
	// Jamailar/Beav#44: DeepSeek wants an object; Mistral a member.
	{number: 1150, name: "functions that take nothing, to servers that want to hear so", run: func(t *testing.T) {
		for from, ask := range map[string]string{
			A: `{"model":"m","max_tokens":99,"tools":[{"name":"f"}],"messages":[{"role":"user","content":"go"}]}`,
			G: `{"tools":[{"functionDeclarations":[{"name":"f"}]}],"contents":[{"parts":[{"text":"go"}]}]}`,
		} {
			for _, kind := range []string{"deepseek", "mistral", "vllm"} {
				l := take(t, trip{from: from, to: O, kind: kind, own: kind == "vllm", ask: ask})
				l.sends("tools.0.function.parameters", `{"type":"object","properties":{}}`)
				l.quiet()
			}
			take(t, trip{from: from, to: O, ask: ask}).sends("tools.0.function", `{"name":"f"}`)
		}
	}},
	{number: 1151, name: "tools as OpenAI's API has them, among Anthropic's", answer: "400 that says what is meant", run: func(t *testing.T) {
		for _, to := range []string{O, G} {
			l := try(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":99,` + toolsO + `,"messages":[{"role":"user","content":"go"}]}`})
			is(t, to, fmt.Sprint(l.status, strings.Contains(l.body, "tools[0].type"), strings.Contains(l.body, "input_schema")), "400 true true")
		}
	}},
	{number: 1152, name: "what the first target of a model cannot carry, and the second can", answer: "the second is asked", elsewhere: "TestHard1152WhatOneTargetCannotCarryAnotherMay"},
	// lidge-jun/opencodex#2135, ggml-org/llama.cpp#25895, flagdizero/jenny-android-ai-agent#2.
	{number: 1153, name: "bounds of arguments, to a server that can make no grammar of them", answer: "asked again with them in words, with a warning", run: func(t *testing.T) {
		schema := `{"type":"object","properties":{"pattern":{"type":"string","pattern":"^\\d+$","description":"Digits"},"list":{"type":"array","maxItems":9999,"items":{"anyOf":[{"type":"string","format":"uri"},{"type":"null"}]}}},"required":["pattern"]}`
		ask := `{"model":"m","max_tokens":99,"tools":[{"name":"f","input_schema":` + schema + `}],"messages":[{"role":"user","content":"go"}]}`
		for _, words := range []string{"Failed to initialize samplers: failed to parse grammar", "JSON schema conversion failed:\nUnsupported"} {
			l := take(t, refusesFirst(trip{from: A, to: O, kind: "llamacpp", own: true, ask: ask}, 400, words))
			same(t, l.sent[0], "tools.0.function.parameters", schema)
			same(t, l.sent[1], "tools.0.function.parameters", `{"type":"object","properties":{"pattern":{"type":"string","description":"Digits (pattern: \"^\\\\d+$\")"},`+
				`"list":{"type":"array","items":{"anyOf":[{"type":"string","description":"(format: \"uri\")"},{"type":"null"}]},"description":"(maxItems: 9999)"}},"required":["pattern"]}`)
			l.warns("tools[0]", chat.Approximated)
		}
	}},
	// Soju06/codex-lb#284, decolua/9router#2869.
	{number: 1154, name: "arguments that are written down several times, in a whole answer and in the history", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			for _, times := range []int{2, 3} {
				said := `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":` + quoted(strings.Repeat(`{"a":"}{"}`, times)) + `}}]},"finish_reason":"tool_calls"}]}`
				l := take(t, trip{from: from, to: O, kind: "vllm", own: true, ask: strings.ReplaceAll(thinkingAsks[from], "%s", ""), answers: []string{said}})
				is(t, from, strings.Contains(l.body, `{"a":"}{"}`) && !strings.Contains(l.body, "_raw"), true)
			}
		}
		twice := `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"x\"}{\"a\":\"x\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}]}`
		take(t, trip{from: O, to: A, ask: twice}).sends("messages.1.content.0.input", `{"a":"x"}`)
		differ := take(t, trip{from: O, to: A, ask: strings.Replace(twice, `x\"}"`, `y\"}"`, 1)})
		is(t, "two that differ", strings.Contains(differ.got().Get("messages.1.content.0.input").Raw, "_raw"), true)
	}},
	// farion1231/cc-switch#7227, router-for-me/CLIProxyAPI#5674, ollama/ollama#17101, MadAppGang/claudish#127.
	{number: 1155, name: "blanks for thoughts and words, and blocks out of number, in streams for Claude Code", run: func(t *testing.T) {
		empty := chunksO("stop", `{"content":"a","reasoning_content":""}`, `{"content":"b","reasoning_content":""}`, `{"content":"c","reasoning":""}`)
		early := chunksO("stop", `{"content":"---"}`, `{"reasoning_content":"hm"}`, `{"content":"hi"}`)
		thinking := sse(partsG(`{"text":"h","thought":true}`, ""), partsG(`{"text":""}`, ""), partsG(`{"text":"m","thought":true}`, ""), partsG(`{"text":""}`, ""), partsG(`{"text":"hi"}`, `,"finishReason":"STOP"`))
		for _, row := range []struct{ to, answer, kinds, told string }{
			{O, empty, "text", `|abc||stop`}, {O, early, "text thinking text", `hm|---hi||stop`}, {G, thinking, "thinking text", `hm|hi||stop`},
		} {
			way := trip{from: A, to: row.to, stream: true, answers: []string{row.answer}}
			is(t, row.kinds, tells(t, way), row.told)
			way.ask = strings.ReplaceAll(thinkingAsks[A], "%s", `,"stream":true`)
			var kinds []string
			for _, block := range take(t, way).all("content_block.type") {
				kinds = append(kinds, block.Str)
			}
			is(t, row.kinds, strings.Join(kinds, " "), row.kinds)
		}
		gap := messageA(textA(0, "a")+textA(2, "b")+toolA(5, "t", "f", "{}"), "tool_use")
		for _, from := range []string{O, G} {
			is(t, from, tells(t, trip{from: from, to: A, stream: true, answers: []string{gap}}), `|ab|f{}|tool`)
		}
	}},
	// kolega-ai/kolega-code#473: Moonshot's word for a prompt that was in the cache, all of it.
	{number: 1156, name: "usage of less than nothing", run: func(t *testing.T) {
		said := strings.Replace(hi[A], `"input_tokens":3`, `"input_tokens":-1,"cache_read_input_tokens":33`, 1)
		l := take(t, trip{from: O, to: A, ask: plain[O], answers: []string{said}})
		l.gets("usage.prompt_tokens", "33")
		l.gets("usage.prompt_tokens_details.cached_tokens", "33")
		is(t, "booked", tokensOf(&l.booked), [3]int64{33, 1, 0})
		take(t, trip{from: G, to: A, ask: plain[G], answers: []string{said}}).gets("usageMetadata.promptTokenCount", "33")
	}},
	{number: 1157, name: "very many tools that lose a little, and something that matters", run: func(t *testing.T) {
		var tools []string
		for i := range 130 {
			tools = append(tools, fmt.Sprintf(`{"name":"f%d","input_schema":{"type":"object"}}`, i))
		}
		l := take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":99,"top_k":5,"tools":[` + strings.Join(tools, ",") + `],"messages":[{"role":"user","content":"go"}]}`})
		is(t, "recorded", strings.Contains(l.record, "top_k; dropped"), true)
		is(t, "not all", strings.HasSuffix(l.record, "...; truncated"), true)
	}},
	{number: 1158, name: "a parameter that a server forbids, in FastAPI's words", answer: "asked again without it, with a warning", run: func(t *testing.T) {
		list := `[{"type":"extra_forbidden","loc":["body","parallel_tool_calls"],"msg":"Extra inputs are not permitted","input":false}]`
		for _, body := range []string{`{"detail":` + list + `}`, `{"object":"error","message":{"detail":` + list + `},"type":"invalid_request_error","param":null,"code":null}`} {
			l := take(t, trip{from: O, to: O, kind: "mistral", ask: withO(toolsO), statuses: []int{200}})
			is(t, "passes", len(l.calls), 1)
			ask := `{"model":"m","max_tokens":99,` + toolsA + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true},"messages":[{"role":"user","content":"go"}]}`
			l = take(t, trip{from: A, to: O, kind: "vllm", own: true, ask: ask, statuses: []int{422, 200}, answers: []string{body, hi[O]}})
			is(t, "first", l.sent[0].Get("parallel_tool_calls").Raw, "false")
			is(t, "then", l.sent[1].Get("parallel_tool_calls").Exists(), false)
			is(t, "told", strings.Contains(l.told(), "dropped"), true)
		}
	}},
	// BerriAI/litellm#23510.
	{number: 1159, name: "one call in the words of both APIs", run: func(t *testing.T) {
		both := `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"c1","name":"f","input":{"a":"x"}}],` +
			`"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": \"x\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}]}`
		l := take(t, trip{from: O, to: A, ask: both})
		l.sends("messages.1.content", `[{"type":"text","text":"so"},{"type":"tool_use","id":"c1","name":"f","input":{"a":"x"}}]`)
		l.sends("messages.2.content.#", "1")
		l.warns("messages[1].tool_calls", chat.Ignored)
		take(t, trip{from: O, to: G, ask: both}).sends("contents.1.parts.#.functionCall.id", `["c1"]`)
	}},
	// langgenius/dify#7559; DeepSeek's and Zhipu's documentation.
	{number: 1160, name: "ends of answers that were cut off, in the words of DeepSeek, Zhipu, vLLM and SGLang", run: func(t *testing.T) {
		full := take(t, trip{from: A, to: O, kind: "vllm", own: true, ask: plain[A], answers: []string{endO("model_context_window_exceeded", `"content":"hi"`)}})
		full.gets("stop_reason", `"model_context_window_exceeded"`) // which is its client's own word
		full.quiet()
		for word, want := range map[string]string{
			"insufficient_system_resource": "error", "network_error": "error", "abort": "error", "sensitive": "refused", "model_context_window_exceeded": "length",
		} {
			for _, from := range []string{A, G} {
				if from == A && want == "length" {
					continue
				}
				whole := tells(t, trip{from: from, to: O, kind: "vllm", own: true, answers: []string{endO(word, `"content":"hi"`)}})
				streamed := tells(t, trip{from: from, to: O, kind: "vllm", own: true, stream: true, answers: []string{chunksO(word, `{"content":"hi"}`)}})
				if want == "error" {
					is(t, from+" "+word, strings.HasPrefix(whole, "error 50") && streamed == "error", true)
				} else {
					is(t, from+" "+word, whole+" "+streamed, "|hi||"+want+" |hi||"+want)
				}
			}
		}
		l := take(t, refusesFirst(trip{from: G, to: O, kind: "vllm", own: true, ask: `{"generationConfig":{"presencePenalty":0.5},"contents":[{"parts":[{"text":"go"}]}]}`}, 400, "deepseek-reasoner does not support the parameter `presence_penalty`"))
		is(t, "then", l.sent[1].Get("presence_penalty").Exists(), false)
	}},
}}
