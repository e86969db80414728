package dialect

import (
	"regexp"

	"stele/internal/fault"
)

// WithMends says in a refusal as what its upstream may take the request after all, where its
// words tell. Whichever dialect it speaks, the server behind it may be of any vendor.
func WithMends(e *fault.Error, words string) *fault.Error {
	switch {
	case Says(words, "system message must be at the beginning", "system message must be the first"): // templates of Qwen's and others' models
		return e.MendedBy(fault.SystemFirst)
	case Says(words, "unexpected role 'user' after role 'tool'", "unexpected role 'system' after role 'tool'", "roles must alternate"): // Mistral's own, and templates of Google's
		return e.MendedBy(fault.InTurns)
	case Says(words, "expected str instance, list found", "invalid type: sequence, expected a string", "content must be a string", "content' : value must be a string"): // NVIDIA's and others' templates, DeepSeek, Groq
		return e.MendedBy(fault.Plain)
	case Says(words, "failed to parse grammar", "json schema conversion failed"): // llama.cpp
		return e.MendedBy(fault.Loose)
	case Says(words, sightless...):
		return e.MendedBy(fault.Blind)
	case Says(words, "reasoning_content") && Says(words, "missing", "must be passed back"): // Moonshot's and DeepSeek's models, while they think
		return e.MendedBy(fault.WithThoughts)
	case Says(words, "reasoning_content") && Says(words, "unsupported", "not supported", "unknown", "not permitted", "unrecognized"): // Groq, Cerebras, Mistral
		return e.MendedBy(fault.WithoutThoughts)
	case Says(words, unshaped...):
		return e.MendedBy(fault.Unenforced)
	}
	if e.Room = max(roomFor(words), leftOf(e)); e.Room >= leastRoom {
		return e.MendedBy(fault.Shorter)
	}
	return e
}

// unshaped is what upstreams say that cannot hold an answer to a shape, or not to this one: Anthropic, Google twice, LM Studio,
// DeepSeek twice, Groq.
var unshaped = []string{
	"too many strict tools", "compiled grammar is too large", "too complex for compilation", "grammar compilation",
	"json mode is not enabled", "with a response mime type", "'response_format.type' must be",
	"response_format type is unavailable", "`json_schema` is unavailable", "does not support response format",
}

// leastRoom is how many tokens an answer must have room for: less of them is of no use, and a
// client that is told so shortens the conversation.
const leastRoom = 1024

// leftOf is what a conversation leaves of the model's window where only both together are too long.
func leftOf(e *fault.Error) int64 {
	input, told := e.Details["input"].(int64)
	window, _ := e.Details["window"].(int64)
	if !told {
		return 0
	}
	return max(0, window-input)
}

// sightless is what upstreams say of a model that sees no pictures: many, OpenRouter, llama.cpp, DeepSeek, vLLM twice.
var sightless = []string{
	"does not support image", "doesn't support image", "found that support image input", "image input is not supported", "unknown variant `image_url`",
	"is not a multimodal model", "at most 0 image",
}

// AskForJSON is a line of the system text that asks for what an upstream cannot hold an answer to.
func AskForJSON(schema []byte) string {
	if len(schema) == 0 {
		return "Answer with one JSON object and nothing else, without code marks."
	}
	return "Answer with JSON and nothing else, without code marks. It must fit this JSON Schema: " + string(schema)
}

// How upstreams say that an answer was to be longer than their model's can be. The last is vLLM's:
// what the conversation leaves of the window.
var (
	mostTokens  = regexp.MustCompile(`(?i)supports at most (\d+) completion tokens|max_tokens: \d+ > (\d+), which is the maximum|max_?output_?tokens value of \d+ but the supported range is from 1 \(inclusive\) to (\d+) \(exclusive\)`)
	tokensThere = regexp.MustCompile(`(?i)max_(?:completion_)?tokens'? is too large: \d+\. This model's maximum context length is (\d+) tokens and your request has (\d+) input tokens`)
)

// roomFor is how many tokens an upstream's answer may have, by its own words; 0: they do not say.
func roomFor(words string) int64 {
	if found := tokensThere.FindStringSubmatch(words); found != nil {
		return max(0, readNumber(found[1])-readNumber(found[2]))
	}
	found := mostTokens.FindStringSubmatch(words)
	switch {
	case found == nil:
		return 0
	case found[3] != "":
		return max(0, readNumber(found[3])-1)
	}
	return max(readNumber(found[1]), readNumber(found[2]))
}
