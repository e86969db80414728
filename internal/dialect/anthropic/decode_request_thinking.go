package anthropic

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// readThinking reads how much the model may think, in all the ways that people say it.
func (r *requestReader) readThinking(model string) {
	if r.err != nil {
		return
	}
	if r.turnEffort.Exists() {
		r.outputEffort = r.turnEffort
	}
	switch {
	case r.thinking.Exists():
	case r.reasoningEffort.Exists():
		r.talk.Spell(chat.FieldThinking, prefix+"reasoning_effort")
	case r.reasoning.Exists():
		r.talk.Spell(chat.FieldThinking, prefix+"reasoning")
	case r.outputEffort.Exists():
		r.talk.Spell(chat.FieldThinking, prefix+"output_config.effort")
	}
	t := r.readThinkingField(model)
	if t == nil {
		t = r.readSwitches()
	}
	if r.outputEffort.Exists() {
		t = r.readEffort(t)
	}
	r.talk.Thinking = t
}

// readThinkingField reads the API's own field, or a loose switch in its place.
func (r *requestReader) readThinkingField(model string) *chat.Thinking {
	if !r.thinking.Exists() || dialect.IsEmptyList(r.thinking) {
		return nil
	}
	if on, loose := r.thinking.Bool(); loose {
		return toggle(on)
	}
	t := &chat.Thinking{}
	display := ""
	for key, v := range r.members(r.thinking, "thinking") {
		switch key {
		case "type":
			t.Kind = r.readText(v, "thinking.type")
		case "budget_tokens":
			t.Budget = r.readInt(v, "thinking.budget_tokens")
		case "display":
			if display = r.readText(v, "thinking.display"); display != "summarized" && display != "omitted" {
				r.keepExtra("thinking.display", v, chat.Shapes)
			}
		default:
			r.keepExtra("thinking."+key, v, chat.Shapes)
		}
	}
	shown := display != "omitted" && (display != "" || !traitsOf(model).omitted || t.Kind == thinkEnabled)
	switch t.Kind {
	case thinkEnabled, thinkAdaptive:
	case thinkDisabled:
		t.Effort, shown = "none", false
	case thinkBetween:
		t.Effort = "none"
		r.note(chat.Lost(chat.FieldThinking, chat.Approximated, "between_tools means no thinking to other dialects"))
	default:
		r.refuseValue("thinking.type", "%q is none of enabled, adaptive, disabled, between_tools.", t.Kind)
	}
	t.Show = &shown
	return t
}

// readSwitches reads the fields that clients of other APIs are used to.
func (r *requestReader) readSwitches() *chat.Thinking {
	if on, loose := r.reasoningEffort.Bool(); loose {
		return toggle(on)
	}
	t := toggle(true)
	if dialect.Asks(r.reasoningEffort) {
		return r.readLevel(r.reasoningEffort, "reasoning_effort", t)
	}
	if !dialect.Asks(r.reasoning) {
		return nil
	}
	if on, loose := r.reasoning.Bool(); loose {
		return toggle(on)
	}
	for key, v := range r.members(r.reasoning, "reasoning") {
		switch key {
		case "enabled":
			if !r.readBool(v, "reasoning.enabled") {
				t = toggle(false)
			}
		case "effort":
			t = r.readLevel(v, "reasoning.effort", t)
		case "max_tokens":
			t.Budget = r.readInt(v, "reasoning.max_tokens")
		case "exclude":
			shown := !r.readBool(v, "reasoning.exclude")
			t.Show = &shown
		default:
			r.keepExtra("reasoning."+key, v, chat.Shapes)
		}
	}
	return t
}

// readEffort adds output_config.effort to the thinking it belongs to.
func (r *requestReader) readEffort(t *chat.Thinking) *chat.Thinking {
	switch {
	case t == nil:
		shown := false
		return r.readLevel(r.outputEffort, "output_config.effort", &chat.Thinking{Kind: thinkEffort, Show: &shown})
	case t.Effort == "none":
		r.keepExtra("output_config.effort", r.outputEffort, chat.Shapes)
		return t
	}
	return r.readLevel(r.outputEffort, "output_config.effort", t)
}

func (r *requestReader) readLevel(v jsonscan.Value, field string, t *chat.Thinking) *chat.Thinking {
	level, err := dialect.ReadEffort(r.readText(v, field), field)
	if err != nil && r.err == nil {
		r.err = err
	}
	t.Effort = level
	return t
}

// toggle is thinking as the model likes, or none.
func toggle(on bool) *chat.Thinking {
	t := &chat.Thinking{Show: &on}
	if !on {
		t.Effort = "none"
	}
	return t
}
