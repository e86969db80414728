package openai

import (
	"regexp"
	"slices"
)

// droppable are the parameters that a request can do without, or say otherwise.
var droppable = []string{
	"temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed", "stop", "logprobs", "reasoning_effort", "parallel_tool_calls",
	"max_tokens", "max_completion_tokens",
}

// refusedCodes are those of an upstream that does not take a parameter, or none but its usual value.
var refusedCodes = []string{"unsupported_parameter", "unsupported_value", "unknown_parameter", "extra_forbidden"}

// How upstreams name it in their words: Azure's older API, Groq, xAI.
var (
	refusedWords = regexp.MustCompile(`(?i)unsupported parameter: '?(\w+)|unrecognized request argument supplied: (\w+)|property '(\w+)' is unsupported|does not support (?:the )?parameter ` + "`?" + `(\w+)|` +
		"temperature`? and `?(top_p)`? cannot both be specified") // the last is Claude's, behind other servers
	camels = map[string]string{"reasoningEffort": "reasoning_effort", "presencePenalty": "presence_penalty", "frequencyPenalty": "frequency_penalty"}
)

// refusedField is the parameter that a complaint is about, if the request can do without it.
func (c *complaint) refusedField() string {
	name := ""
	if slices.Contains(refusedCodes, c.code) {
		name = c.param
	}
	for _, found := range refusedWords.FindStringSubmatch(c.message) {
		if found != "" && !slices.Contains(droppable, name) {
			name = found
		}
	}
	if own, ok := camels[name]; ok {
		name = own
	}
	if !slices.Contains(droppable, name) {
		return ""
	}
	return name
}
