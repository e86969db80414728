package upstream

// thinking is what a request says about it.
type thinking struct {
	kind   string // enabled, adaptive, disabled, between_tools or ""
	always bool   // the model does not ask
	shown  bool
}

func thinkingOf(c *chat) thinking {
	model := claudeOf(c.model)
	t := thinking{kind: textAt(c.body, "thinking", "type"), always: model.alwaysThinks(), shown: model.showsThinking()}
	if display := textAt(c.body, "thinking", "display"); display != "" {
		t.shown = display == "summarized"
	}
	return t
}

// on is whether the model thinks before it answers.
func (t thinking) on() bool { return t.kind == "enabled" || t.kind == "adaptive" || t.always }

// claudeThinking checks how much to think, and whether the model can.
func claudeThinking(_ *Server, c *chat) *failure {
	model, b := claudeOf(c.model), c.body
	effort := textAt(b, "output_config", "effort")
	if effort != "" && !model.effort(effort) {
		return refused("output_config.effort: effort level '%s' is not supported on this model.", effort)
	}
	kind := textAt(b, "thinking", "type")
	switch {
	case kind == "enabled" && !model.budgets():
		return refused("thinking.enabled: budget_tokens is not supported on this model. Use `thinking.type.adaptive` and `output_config.effort` instead.")
	case kind == "adaptive" && !model.adaptive():
		return refused("thinking.adaptive: adaptive thinking is not supported on this model.")
	case kind == "disabled" && !model.disabled(effort):
		return refused("thinking.disabled: thinking cannot be disabled on this model.")
	case kind == "between_tools" && !model.betweenTools():
		return refused("thinking.between_tools: this type of thinking is not supported on this model.")
	case kind == "enabled" && intAt(b, "thinking", "budget_tokens") >= intAt(b, "max_tokens"):
		return refused("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size") //nolint:lll // their words
	}
	forced := oneOf(textAt(b, "tool_choice", "type"), []string{"any", "tool"})
	switch {
	case forced && model.latest():
		return refused("tool_choice: `any` and `tool` are not supported on this model.")
	case forced && kind == "enabled":
		return refused("Thinking may not be enabled when tool_choice forces tool use.")
	}
	return nil
}
