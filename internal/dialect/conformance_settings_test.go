package dialect_test

import (
	"strings"

	"stele/internal/chat"
)

// configG is a Gemini request with members of generationConfig.
func configG(members string) string { return `"generationConfig":{` + members + `}` }

// history is a turn with a signed thought, in each dialect, and what follows it.
func history(proof string) map[string]string {
	return map[string]string{
		O: talkO(userO, `{"role":"assistant","content":"so","reasoning_content":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"`+proof+`","index":0}]}`, userO),
		A: turnsA(userO + `,{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"` + proof + `"},{"type":"text","text":"so"}]},` + userO),
		G: turnsG(userG + `,{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"` + proof + `"},{"text":"so"}]},` + userG),
	}
}

func sealedFor(upstream string) string {
	return chat.Envelope{Dialect: upstream, Provider: "far", Model: models[upstream], Raw: "c2lnbmF0dXJl"}.Wrap()
}

// settings are the probes of everything that is not said.
var settings = []probe{
	// The answer's shape.
	{name: "any JSON object", asks: map[string]string{O: `"response_format":{"type":"json_object"}`, G: configG(`"responseMimeType":"application/json"`)}, at: map[string]string{O: "response_format", G: "generationConfig.responseMimeType"}},
	{name: "JSON by a schema", asks: map[string]string{O: `"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":` + shape + `}}`, A: `"output_config":{"format":{"type":"json_schema","schema":` + shape + `}}`, G: configG(`"responseMimeType":"application/json","responseJsonSchema":` + shape)}, at: map[string]string{O: "response_format.json_schema.schema", A: "output_config.format.schema", G: "generationConfig.responseJsonSchema"}},
	{name: "one word of a list", asks: map[string]string{G: configG(`"responseMimeType":"text/x.enum","responseSchema":{"type":"STRING","enum":["a","b"]}`)}},
	{name: "audio out", asks: map[string]string{O: `"modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"}`, G: configG(`"responseModalities":["AUDIO"]`)}},
	{name: "images out", asks: map[string]string{G: configG(`"responseModalities":["TEXT","IMAGE"]`)}},

	// Thinking.
	{name: "effort high", asks: map[string]string{O: `"reasoning_effort":"high"`, A: `"output_config":{"effort":"high"}`, G: configG(`"thinkingConfig":{"thinkingLevel":"HIGH"}`)}, models: thinkers, at: map[string]string{O: "reasoning_effort", A: "output_config.effort", G: "generationConfig.thinkingConfig.thinkingLevel"}},
	{name: "effort high, on a Claude that takes budgets", asks: map[string]string{O: `"reasoning_effort":"high"`, G: configG(`"thinkingConfig":{"thinkingLevel":"HIGH"}`)}, models: map[string]string{O: "gpt-5.1"}},
	{name: "thinking off", asks: map[string]string{O: `"reasoning_effort":"none"`, A: `"thinking":{"type":"disabled"}`, G: configG(`"thinkingConfig":{"thinkingBudget":0}`)}, models: thinkers},
	{name: "a budget of 10,000 tokens", asks: map[string]string{O: `"reasoning":{"max_tokens":10000}`, A: `{"model":"m","max_tokens":20000,"thinking":{"type":"enabled","budget_tokens":10000},"messages":[` + userO + `]}`, G: configG(`"thinkingConfig":{"thinkingBudget":10000}`)}, models: map[string]string{O: "gpt-5.1"}},
	{name: "a budget of 10,000 tokens, on gemini-2.5-flash", asks: map[string]string{O: `"reasoning":{"max_tokens":10000}`, A: `{"model":"m","max_tokens":20000,"thinking":{"type":"enabled","budget_tokens":10000},"messages":[` + userO + `]}`}, models: map[string]string{G: "gemini-2.5-flash", O: "gpt-5.1"}, at: map[string]string{G: "generationConfig.thinkingConfig.thinkingBudget"}},
	{name: "effort and tools, on gpt-5.6", asks: map[string]string{A: `"output_config":{"effort":"high"},` + toolsA, G: configG(`"thinkingConfig":{"thinkingLevel":"HIGH"}`) + `,` + toolsG}, models: map[string]string{O: "gpt-5.6"}},
	{name: "thoughts that Anthropic's model signed, in the history", asks: history(sealedFor(A)), at: map[string]string{A: "messages.1.content.0.signature"}},
	{name: "thoughts that Google's model signed, in the history", asks: history(sealedFor(G)), at: map[string]string{G: "contents.1.parts.0.thoughtSignature"}},

	// Sampling.
	{name: "most tokens", asks: map[string]string{O: `"max_completion_tokens":100`, A: plain[A], G: configG(`"maxOutputTokens":100`)}, at: map[string]string{O: "max_completion_tokens", A: "max_tokens", G: "generationConfig.maxOutputTokens"}},
	{name: "temperature 0.5", asks: map[string]string{O: `"temperature":0.5`, A: `"temperature":0.5`, G: configG(`"temperature":0.5`)}, at: map[string]string{O: "temperature", A: "temperature", G: "generationConfig.temperature"}},
	{name: "temperature 1.5", asks: map[string]string{O: `"temperature":1.5`, G: configG(`"temperature":1.5`)}, at: map[string]string{O: "temperature", G: "generationConfig.temperature"}},
	{name: "temperature 0.5, on claude-opus-4-7 and gpt-5", asks: map[string]string{O: `"temperature":0.5`, A: `"temperature":0.5`, G: configG(`"temperature":0.5`)}, models: map[string]string{A: "claude-opus-4-7", O: "gpt-5"}},
	{name: "top_p", asks: map[string]string{O: `"top_p":0.5`, A: `"top_p":0.5`, G: configG(`"topP":0.5`)}, at: map[string]string{O: "top_p", A: "top_p", G: "generationConfig.topP"}},
	{name: "top_k", asks: map[string]string{O: `"top_k":40`, A: `"top_k":40`, G: configG(`"topK":40`)}, at: map[string]string{A: "top_k", G: "generationConfig.topK"}},
	{name: "presence penalty", asks: map[string]string{O: `"presence_penalty":0.5`, G: configG(`"presencePenalty":0.5`)}, at: map[string]string{O: "presence_penalty", G: "generationConfig.presencePenalty"}},
	{name: "frequency penalty", asks: map[string]string{O: `"frequency_penalty":0.5`, G: configG(`"frequencyPenalty":0.5`)}, at: map[string]string{O: "frequency_penalty", G: "generationConfig.frequencyPenalty"}},
	{name: "seed", asks: map[string]string{O: `"seed":7`, G: configG(`"seed":7`)}, at: map[string]string{O: "seed", G: "generationConfig.seed"}},
	{name: "stop sequences", asks: map[string]string{O: `"stop":["a"]`, A: `"stop_sequences":["a"]`, G: configG(`"stopSequences":["a"]`)}, at: map[string]string{O: "stop", A: "stop_sequences", G: "generationConfig.stopSequences"}},
	{name: "six stop sequences (those that the API does not take are watched for here)", asks: map[string]string{A: `"stop_sequences":["a","b","c","d","e","f"]`}, at: map[string]string{O: "stop.3", G: "generationConfig.stopSequences.4"}},
	{name: "two answers", asks: map[string]string{O: `"n":2`, G: configG(`"candidateCount":2`)}, at: map[string]string{O: "n"},
		answer: map[string]string{O: strings.Replace(hi[O], `"choices":[`, `"choices":[{"index":1,"message":{"role":"assistant","content":"ho"},"finish_reason":"stop"},`, 1)}},
	{name: "log-probabilities", asks: map[string]string{O: `"logprobs":true,"top_logprobs":2`, G: configG(`"responseLogprobs":true,"logprobs":2`)}, at: map[string]string{O: "top_logprobs", G: "generationConfig.logprobs"}, answer: ratedHi},
	{name: "logit_bias", asks: map[string]string{O: `"logit_bias":{"1":5}`}},
	{name: "verbosity", asks: map[string]string{O: `"verbosity":"low"`}},
	{name: "predicted output", asks: map[string]string{O: `"prediction":{"type":"content","content":"x"}`}},

	// Caches, labels, the rest.
	{name: "cache marker on a part", asks: map[string]string{O: sayO(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`), A: sayA(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`)}, at: map[string]string{A: "messages.0.content.1.cache_control"}},
	{name: "cache marker on a part, on gpt-5.6", asks: map[string]string{A: sayA(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`)}, models: map[string]string{O: "gpt-5.6"}},
	{name: "automatic caching", asks: map[string]string{A: `"cache_control":{"type":"ephemeral"}`}},
	{name: "prompt_cache_key", asks: map[string]string{O: `"prompt_cache_key":"k"`}},
	{name: "cachedContent", asks: map[string]string{G: `"cachedContent":"cachedContents/x"`}},
	{name: "end user's id", asks: map[string]string{O: `"safety_identifier":"u"`, A: `"metadata":{"user_id":"u"}`}, at: map[string]string{O: "safety_identifier", A: "metadata.user_id"}},
	{name: "labels and storage", asks: map[string]string{O: `"metadata":{"a":"b"},"store":true`, G: `"labels":{"a":"b"}`}},
	{name: "tier: the usual", asks: map[string]string{O: `"service_tier":"default"`, A: `"service_tier":"standard_only"`, G: `"serviceTier":"standard"`}, at: map[string]string{O: "service_tier", A: "service_tier", G: "serviceTier"}},
	{name: "tier: flex", asks: map[string]string{O: `"service_tier":"flex"`, G: `"serviceTier":"flex"`}, at: map[string]string{O: "service_tier", G: "serviceTier"}},
	{name: "how a picture is to be", asks: map[string]string{O: `"image_config":{"aspect_ratio":"16:9","image_size":"2K"}`, G: `"generationConfig":{"imageConfig":{"aspectRatio":"16:9","imageSize":"2K"}}`}, at: map[string]string{O: "image_config", G: "generationConfig.imageConfig"}},
	{name: "safety settings", at: map[string]string{O: "safety_settings", G: "safetySettings"}, asks: map[string]string{O: `"safety_settings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]`, G: `"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]`}},
	{name: "moderation", asks: map[string]string{O: `"moderation":{"model":"x"}`}},
	{name: "containers, MCP servers", asks: map[string]string{A: `"mcp_servers":[{"type":"url","url":"https://a.example/","name":"n"}]`}},
	{name: "context management", asks: map[string]string{A: `"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}`}},
	{name: "a field that nobody knows", asks: map[string]string{O: `"zzz":1`, A: `"zzz":1`, G: `"zzz":1`}},
}

// thinkers are models that take an effort.
var thinkers = map[string]string{O: "gpt-5.1", A: "claude-opus-4-7"}
