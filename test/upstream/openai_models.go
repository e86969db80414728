package upstream

import (
	"regexp"
	"strconv"
	"strings"
)

var gptVersion = regexp.MustCompile(`^gpt-(\d+)(?:\.(\d+))?`)

// gpt is what a model of theirs takes, as its name tells.
type gpt struct {
	reasons bool
	version int // 504 for gpt-5.4; 0 for others
	noStop  bool
}

func gptOf(model string) gpt {
	switch {
	case strings.HasPrefix(model, "o1"), strings.HasPrefix(model, "o3"), strings.HasPrefix(model, "o4"):
		return gpt{reasons: true, noStop: strings.HasPrefix(model, "o3") || strings.HasPrefix(model, "o4-mini")}
	}
	m := gptVersion.FindStringSubmatch(model)
	if m == nil {
		return gpt{}
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return gpt{reasons: major >= 5 && !strings.Contains(model, "chat"), version: major*100 + minor}
}

// openaiModels are the fields that some models refuse. Which efforts a model
// takes is not checked: the vendor's types do not say.
func openaiModels(c *chat) *failure {
	b, model := c.body, gptOf(c.model)
	effort := textAt(b, "reasoning_effort")
	if !model.reasons {
		switch {
		case effort != "":
			return unsupported("reasoning_effort", "")
		case has(b, "web_search_options") && !strings.Contains(c.model, "search"):
			return unsupported("web_search_options", "")
		}
		return nil
	}
	if has(b, "max_tokens") {
		return unsupported("max_tokens", " Use 'max_completion_tokens' instead.")
	}
	if model.noStop && has(b, "stop") {
		return unsupported("stop", "")
	}
	if effort != "none" {
		if f := defaultsOnly(b); f != nil {
			return f
		}
	}
	functions := has(b, "tools") || has(b, "functions")
	switch {
	case functions && model.version == 504 && effort != "" && effort != "none":
		return bad("reasoning_effort", "", "Function tools with reasoning_effort are not supported for %s in /v1/chat/completions. Please use /v1/responses instead.", c.model) //nolint:lll // their words
	case functions && model.version >= 506 && effort != "none":
		return bad("reasoning_effort", "", "Function tools are not supported for %s in /v1/chat/completions unless 'reasoning_effort' is 'none'. Please use /v1/responses instead.", c.model) //nolint:lll // their words
	case has(b, "prompt_cache_options") && model.version < 506:
		return unsupported("prompt_cache_options", "")
	}
	return nil
}

// defaultsOnly refuses sampling while a model reasons.
func defaultsOnly(b object) *failure {
	for _, only := range []struct {
		name  string
		value float64
	}{{"temperature", 1}, {"top_p", 1}, {"presence_penalty", 0}, {"frequency_penalty", 0}} {
		if f, ok := floatOf(b[only.name]); ok && f != only.value {
			return bad(only.name, "unsupported_value", "Unsupported value: '%s' does not support %v with this model. Only the default (%v) value is supported.",
				only.name, b[only.name], only.value)
		}
	}
	for _, name := range []string{"logprobs", "top_logprobs", "logit_bias"} {
		if v := b[name]; v != nil && v != false {
			return unsupported(name, "")
		}
	}
	return nil
}

func unsupported(name, hint string) *failure {
	return bad(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.%s", name, hint)
}
