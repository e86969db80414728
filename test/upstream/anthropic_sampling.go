package upstream

import "strings"

// claudeSampling checks temperature, top_p, top_k and the stop sequences.
func claudeSampling(_ *Server, c *chat) *failure {
	b, model := c.body, claudeOf(c.model)
	samplers := []string{"temperature", "top_p", "top_k"}
	if c.Header.Get("Anthropic-Version") == versionNew {
		for _, name := range samplers {
			if _, given := b[name]; given {
				return refused("%s: Extra inputs are not permitted", name)
			}
		}
	}
	temperature, hasTemperature := floatOf(b["temperature"])
	topP, hasTopP := floatOf(b["top_p"])
	switch {
	case model.latest() && has(b, samplers...):
		return refused("`temperature`, `top_p` and `top_k` are not supported on this model.")
	case hasTemperature && hasTopP && model.oneSampler():
		return refused("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
	case !model.sampling() && hasTemperature && temperature != 1:
		return refused("`temperature` may only be set to 1 on this model.")
	case !model.sampling() && hasTopP && topP < 0.99:
		return refused("`top_p` must be greater than or equal to 0.99 or unset on this model.")
	case !model.sampling() && has(b, "top_k"):
		return refused("`top_k` is not supported on this model.")
	}
	if thinkingOf(c).on() {
		switch {
		case hasTemperature && temperature != 1:
			return refused("`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking") //nolint:lll // their words
		case has(b, "top_k"):
			return refused("`top_k` must be unset when thinking is enabled.")
		case hasTopP && topP < 0.95:
			return refused("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.")
		}
	}
	for _, s := range wordsOf(b["stop_sequences"]) {
		if strings.TrimSpace(s) == "" {
			return refused("stop_sequences: each stop sequence must contain non-whitespace")
		}
	}
	return nil
}
