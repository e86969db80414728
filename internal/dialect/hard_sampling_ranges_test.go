package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// askG is a plain request of Google's dialect with a configuration.
func askG(config string) string {
	return `{"contents":[{"parts":[{"text":"go"}]}],` + configG(config) + `}`
}

// What is chosen within one API's range and asked of another, and what a model refuses whose name does not tell it.
var hardRanges = section{"BL", "what is chosen in another API's range, and refused by a model that has no telling name", []hard{
	{number: 1497, name: "numbers that no model of the other API takes", answer: "as near as they can be, with a warning", run: func(t *testing.T) {
		far := map[string]string{
			O: withO(`"temperature":3,"top_p":1.5,"presence_penalty":3,"frequency_penalty":-3`),
			G: askG(`"temperature":3,"topP":1.5,"presencePenalty":3,"frequencyPenalty":-3`),
		}
		fields := map[string][]string{
			O: {"temperature", "top_p", "presence_penalty", "frequency_penalty"},
			G: {"generationConfig.temperature", "generationConfig.topP", "generationConfig.presencePenalty", "generationConfig.frequencyPenalty"},
		}
		for from, to := range map[string]string{O: G, G: O} {
			l := take(t, trip{from: from, to: to, ask: far[from]})
			for i, want := range []string{"2", "1", "2", "-2"} {
				l.sends(fields[to][i], want)
				l.warns(fields[from][i], chat.Approximated)
			}
		}
		l := take(t, trip{from: G, to: O, kind: "mistral", ask: askG(`"seed":-5`)})
		is(t, "a seed below 0", l.got().Get("random_seed").Exists(), false)
		l.warns("generationConfig.seed", chat.Dropped)
		take(t, trip{from: G, to: O, kind: "mistral", ask: askG(`"seed":5`)}).sends("random_seed", "5")
		take(t, trip{from: G, to: O, ask: askG(`"seed":-5`)}).sends("seed", "-5")
	}},
	{number: 1498, name: "numbers that one model does not take, or one server", answer: "asked again without them, with a warning", run: func(t *testing.T) {
		hot := askG(`"temperature":2`)
		for _, words := range []string{
			`[{"type":"less_than_equal","loc":["body","temperature"],"msg":"Input should be less than or equal to 1.5","input":2,"ctx":{"le":1.5}}]`, // Mistral
			"temperature: range: 0..1",      // Anthropic, behind other servers
			"temperature 参数非法。",             // Zhipu
			"temperature must be in [0, 1]", // vLLM
		} {
			l := take(t, refusesFirst(trip{from: G, to: O, own: true, ask: hot}, 400, words))
			is(t, words, inLine(l.sent[0].Get("temperature").Raw, l.then().Get("temperature").Exists()), "2 false")
			l.warns("generationConfig.temperature", chat.Dropped)
		}
		const topK = "Unable to submit request because it has a topK value of 200 but the supported range is from 1 (inclusive) to 65 (exclusive). Update the value and try again."
		for from, ask := range map[string]string{A: `{"model":"m","max_tokens":99,"top_k":200,"messages":[{"role":"user","content":"go"}]}`, G: askG(`"topK":200`)} {
			l := take(t, refusesFirst(trip{from: from, to: G, ask: ask}, 400, topK))
			is(t, from, inLine(l.sent[0].Get("generationConfig.topK").Raw, l.then().Get("generationConfig.topK").Exists()), "200 false")
			l.warns(map[string]string{A: "top_k", G: "generationConfig.topK"}[from], chat.Dropped)
		}
		// vLLM before it knew more of them.
		const literal = `[{'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': "Input should be 'low', 'medium' or 'high'", 'input': 'none'}]`
		off := `{"model":"m","max_tokens":99,"thinking":{"type":"disabled"},"messages":[{"role":"user","content":"go"}]}`
		l := take(t, refusesFirst(trip{from: A, to: O, kind: "vllm", ask: off}, 400, literal))
		is(t, "none", inLine(l.sent[0].Get("reasoning_effort").Str, l.then().Get("reasoning_effort").Exists()), "none false")
		l.warns("thinking", chat.Dropped)
	}},
	// RooCodeInc/Roo-Code#12162, ltmoerdani/opencode-copilot-chat#20; vercel/ai#5609, charmbracelet/mods#480.
	{number: 1499, name: "sampling that a model does not have, where its name told the client nothing, in other words", answer: "asked again without it, with a warning", run: func(t *testing.T) {
		for _, words := range []string{
			"`temperature` is deprecated for this model.", "Model incompatible request arguments supplied: temperature, top_p",
			`litellm.BadRequestError: BedrockException - {"message":"The model returned the following errors: {\"error\":{\"message\":\"` + "`temperature`" + ` is deprecated for this model.\"}}"}`,
		} {
			for from, ask := range map[string]string{O: withO(`"temperature":0.5`), G: askG(`"temperature":0.5`)} {
				l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
				is(t, words, inLine(l.sent[0].Get("temperature").Raw, l.then().Get("temperature").Exists()), "0.5 false")
				l.warns(map[string]string{O: "temperature", G: "generationConfig.temperature"}[from], chat.Dropped)
			}
		}
	}},
	// danny-avila/LibreChat#14231, mindconnect-ai/mindconnect#112, jeffdafoe/llm-memory-api#178: they think even where nobody asked for it.
	{number: 1500, name: "tools, to a model that takes them only without thinking, by a name that does not tell", answer: "asked again with the effort none, with a warning", run: func(t *testing.T) {
		tools := map[string]string{
			O: withO(`%s"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]`),
			A: `{"model":"m","max_tokens":99,%s"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}]}`,
		}
		efforts := map[string][]string{O: {``, `"reasoning_effort":"high",`, `"reasoning_effort":true,`}, A: {``, `"output_config":{"effort":"high"},`}}
		for _, words := range []string{
			"Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
			"Function tools with reasoning_effort are not supported for gpt-5.5 in /v1/chat/completions. Please use /v1/responses instead.",
		} {
			for from, ask := range tools {
				for i, effort := range efforts[from] {
					l := take(t, refusesFirst(trip{from: from, to: O, kind: "azure", own: true, model: "ours", ask: fmt.Sprintf(ask, effort)}, 400, words))
					is(t, "effort", inLine(len(l.sent), l.then().Get("reasoning_effort").Str, l.then().Get("tools.#").Int()), "2 none 1")
					verb, at := chat.Dropped, map[string]string{O: "reasoning_effort", A: "output_config.effort"}[from]
					if i == 0 {
						verb, at = chat.Added, map[string]string{O: "reasoning_effort", A: "thinking"}[from]
					}
					l.warns(at, verb)
				}
			}
		}
	}},
	// QuantumNous/new-api#4317: clients that took the model for a Claude.
	{number: 1501, name: "an answer's shape in Anthropic's words, in OpenAI's dialect", answer: "it is the shape of the answer; response_format counts before it, with a warning", run: func(t *testing.T) {
		const schema = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		const format = `{"type":"json_schema","schema":` + schema + `}`
		for _, member := range []string{`"output_config":{"format":` + format + `}`, `"output_format":` + format, `"extra_body":{"output_config":{"format":` + format + `}}`} {
			l := take(t, trip{from: O, to: A, ask: withO(member)})
			l.sends("output_config.format", format)
			l.quiet()
			take(t, trip{from: O, to: G, ask: withO(member)}).sends("generationConfig.responseJsonSchema", schema)
			for _, both := range []string{`"response_format":{"type":"json_object"},` + member, member + `,"response_format":{"type":"json_object"}`} {
				l = take(t, trip{from: O, to: G, ask: withO(both)})
				is(t, both, l.got().Get("generationConfig.responseJsonSchema").Exists(), false)
				is(t, both, len(l.losses), 1)
			}
		}
		l := take(t, trip{from: O, to: G, ask: withO(`"guided_json":{"type":"array"},"output_format":` + format)})
		l.warns("output_format", chat.Dropped)
		l = take(t, trip{from: O, to: A, ask: withO(`"output_config":{"effort":"low","format":"mp3"},"output_format":"mp3"`)})
		l.warns("output_config.format", chat.Dropped)
		l.warns("output_format", chat.Dropped)
	}},
	// NousResearch/hermes-agent#14958, BerriAI/litellm#28138; Darkatse/TauriTavern#85: each has its own list of them.
	{number: 1502, name: "the highest efforts and the lowest, to DeepSeek and OpenRouter", run: func(t *testing.T) {
		for _, c := range []struct{ kind, wanted, sent string }{
			{"deepseek", "max", "max"}, {"deepseek", "xhigh", "xhigh"}, {"deepseek", "minimal", "low"},
			{"openrouter", "max", "xhigh"}, {"openrouter", "xhigh", "xhigh"}, {"openrouter", "minimal", "minimal"}, {"vllm", "max", "high"},
		} {
			ask := `{"model":"m","max_tokens":99,"reasoning_effort":"` + c.wanted + `","messages":[{"role":"user","content":"go"}]}`
			l := take(t, trip{from: A, to: O, kind: c.kind, ask: ask})
			l.sends("reasoning_effort", quoted(c.sent))
			is(t, c.kind+" "+c.wanted, l.warned("reasoning_effort", chat.Approximated), c.sent != c.wanted)
		}
		off := askG(`"thinkingConfig":{"thinkingBudget":0}`)
		take(t, trip{from: G, to: O, kind: "deepseek", ask: off}).sends("thinking", `{"type":"disabled"}`)
		// CLIProxyAPI, in front of any model: nguyenphutrong/quotio#287.
		for _, words := range []string{`level "none" not supported, valid levels: low, medium, high`, "Validation error for `reasoning_effort`: expected one of 'low' | 'medium' | 'high', received 'none'"} {
			l := take(t, refusesFirst(trip{from: G, to: O, own: true, ask: off}, 400, words))
			is(t, words, inLine(l.sent[0].Get("reasoning_effort").Str, l.then().Get("reasoning_effort").Exists()), "none false")
			l.warns("generationConfig.thinkingConfig", chat.Dropped)
		}
	}},
	{number: 1503, name: "a type in responseFormat by the name that its description has", run: func(t *testing.T) {
		for _, mime := range []string{"application/json", "APPLICATION_JSON"} {
			ask := askG(`"responseFormat":[{"text":{"mimeType":"` + mime + `","schema":{"type":"object","properties":{"a":{"type":"string"}}}}}]`)
			take(t, trip{from: G, to: A, ask: ask}).sends("output_config.format.type", `"json_schema"`)
		}
		take(t, trip{from: G, to: A, ask: askG(`"responseFormat":[{"text":{"mimeType":"TEXT_PLAIN"}}]`)}).quiet()
	}},
	// langchain-ai/langchain-aws#1141, pydantic/pydantic-ai#7195; langchain-ai/langchain-aws#1273, BerriAI/litellm#39151, Yeachan-Heo/gajae-code#482.
	{number: 1504, name: "a call that must be, of Claudes that think as they find fit, and of one that bears no force", answer: "sent as it is; where it is refused asked for in words, with a warning", run: func(t *testing.T) {
		choices := map[string]string{`"required"`: `{"type":"any"}`, `{"type":"function","function":{"name":"f"}}`: `{"type":"tool","name":"f"}`}
		for choice, sent := range choices {
			ask := withO(`"reasoning_effort":"high","tool_choice":` + choice + `,"tools":[{"type":"function","function":{"name":"f"}}]`)
			for _, model := range []string{"claude-opus-4-8", "claude-sonnet-5", "claude-fable-5"} {
				l := take(t, trip{from: O, to: A, model: model, ask: ask})
				l.sends("thinking.type", `"adaptive"`)
				l.sends("tool_choice", sent)
				is(t, model, l.warned("tool_choice", chat.Approximated), false)
			}
			l := take(t, trip{from: O, to: A, model: "claude-fable-5-1", ask: ask})
			l.sends("tool_choice.type", `"auto"`)
			l.warns("tool_choice", chat.Approximated)
			for _, words := range []string{
				`tool_choice: type "tool" and "any" are not supported for this model.`, "tool_choice: `any` and `tool` are not supported on this model.",
				"tool_choice forces tool use is not compatible with this model", "Thinking may not be enabled when tool_choice forces tool use.",
			} {
				l = take(t, refusesFirst(trip{from: O, to: A, model: "claude-fable-5", ask: ask}, 400, words))
				is(t, words, inLine(l.then().Get("tool_choice.type").Str, l.then().Get("thinking.type").Str, l.then().Get("system.#").Int()), "auto adaptive 1")
				l.warns("tool_choice", chat.Approximated)
			}
		}
	}},
	// danny-avila/LibreChat#16054, aws-samples/generative-ai-use-cases#1139, anomalyco/opencode#35697; QuantumNous/new-api#1139: Google takes application/json as plain text only.
	{number: 1505, name: "a text whose sender has no type for it, and JSON to Google", run: func(t *testing.T) {
		file := func(kind, data string) string {
			return `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"filename":"a.md","file_data":"data:` + kind + `;base64,` + data + `"}}]}]}`
		}
		const words, bytes = "IyBoaQo=", "IwBoaQo=" // "# hi", and the same with a zero in it
		take(t, trip{from: O, to: A, ask: file("application/octet-stream", words)}).sends("messages.0.content.0.source", `{"type":"text","media_type":"text/plain","data":"# hi\n"}`)
		take(t, trip{from: O, to: G, ask: file("application/octet-stream", words)}).sends("contents.0.parts.0.inlineData.mimeType", `"text/plain"`)
		take(t, trip{from: O, to: G, ask: file("application/json", "e30=")}).sends("contents.0.parts.0.inlineData.mimeType", `"text/plain"`)
		take(t, trip{from: O, to: G, ask: file("text/csv", "YSxi")}).sends("contents.0.parts.0.inlineData.mimeType", `"text/csv"`)
		l := take(t, trip{from: G, to: O, ask: partG(`{"inlineData":{"mimeType":"application/octet-stream","data":"` + words + `"}}`)})
		is(t, "words", strings.Contains(l.got().Raw, "# hi"), true)
		refuses(t, trip{from: O, to: A, ask: file("application/octet-stream", bytes)}, "messages[0].content[0]")
	}},
	// Gitlawb/openclaude#599, liliMozi/openhanako#394, Alishahryar1/free-claude-code#1548; mnfst/llm-gateway#2464.
	{number: 1506, name: "what says nothing of the answer, to a server of OpenAI's dialect that does not know it", answer: "asked again without it, and reported; at OpenAI's own API the client hears the refusal", run: func(t *testing.T) {
		for words, member := range map[string]string{
			`Invalid JSON payload received. Unknown name "store": Cannot find field.`: "store", `property 'metadata' is unsupported`: "metadata",
			"Unrecognized request argument supplied: prompt_cache_key": "prompt_cache_key", "store: Extra inputs are not permitted": "store",
		} {
			ask := withO(`"store":false,"metadata":{"a":"b"},"prompt_cache_key":"k"`)
			for _, streamed := range []bool{false, true} {
				l := take(t, refusesFirst(trip{from: O, to: O, own: true, stream: streamed, ask: ask}, 400, words))
				is(t, words, inLine(l.sent[0].Get(member).Exists(), l.then().Get(member).Exists(), len(l.then().Map()) >= 4), "true false true")
				l.warns(member, chat.Ignored)
			}
			is(t, "at home: "+words, len(try(t, refusesFirst(trip{from: O, to: O, ask: ask}, 400, words)).sent), 1)
		}
		l := take(t, refusesFirst(trip{from: O, to: O, kind: "openrouter", ask: withO(`"thinking":{"type":"enabled","budget_tokens":2000}`)}, 400, "Validation: Unsupported parameter(s): `thinking`"))
		is(t, "a switch of another server's", l.then().Get("thinking").Exists(), false)
		l.warns("reasoning_effort", chat.Dropped)
	}},
}}
