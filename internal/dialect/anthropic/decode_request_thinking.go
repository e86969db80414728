package anthropic

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// think reads how much the model may think, in all the ways that people say it.
func (r *requestReader) think(model string) {
	if r.err != nil {
		return
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
	t := r.thinkingField(model)
	if t == nil {
		t = r.switches()
	}
	if r.outputEffort.Exists() {
		t = r.effort(t)
	}
	r.talk.Thinking = t
}

// thinkingField reads the API's own field, or a loose switch in its place.
func (r *requestReader) thinkingField(model string) *chat.Thinking {
	if !r.thinking.Exists() {
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
			t.Kind = r.text(v, "thinking.type")
		case "budget_tokens":
			t.Budget = r.integer(v, "thinking.budget_tokens")
		case "display":
			if display = r.text(v, "thinking.display"); display != "summarized" && display != "omitted" {
				r.extra("thinking.display", v, chat.Shapes)
			}
		default:
			r.extra("thinking."+key, v, chat.Shapes)
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
		r.bad("thinking.type", "%q is none of enabled, adaptive, disabled, between_tools.", t.Kind)
	}
	t.Show = &shown
	return t
}

// switches reads the fields that clients of other APIs are used to.
func (r *requestReader) switches() *chat.Thinking {
	if on, loose := r.reasoningEffort.Bool(); loose {
		return toggle(on)
	}
	t := toggle(true)
	if r.reasoningEffort.Exists() {
		return r.level(r.reasoningEffort, "reasoning_effort", t)
	}
	if !r.reasoning.Exists() {
		return nil
	}
	if on, loose := r.reasoning.Bool(); loose {
		return toggle(on)
	}
	for key, v := range r.members(r.reasoning, "reasoning") {
		switch key {
		case "enabled":
			if !r.flag(v, "reasoning.enabled") {
				t = toggle(false)
			}
		case "effort":
			t = r.level(v, "reasoning.effort", t)
		case "max_tokens":
			t.Budget = r.integer(v, "reasoning.max_tokens")
		case "exclude":
			shown := !r.flag(v, "reasoning.exclude")
			t.Show = &shown
		default:
			r.extra("reasoning."+key, v, chat.Shapes)
		}
	}
	return t
}

// effort adds output_config.effort to the thinking it belongs to.
func (r *requestReader) effort(t *chat.Thinking) *chat.Thinking {
	switch {
	case t == nil:
		shown := false
		return r.level(r.outputEffort, "output_config.effort", &chat.Thinking{Kind: thinkEffort, Show: &shown})
	case t.Effort == "none":
		r.extra("output_config.effort", r.outputEffort, chat.Shapes)
		return t
	}
	return r.level(r.outputEffort, "output_config.effort", t)
}

func (r *requestReader) level(v jsonscan.Value, field string, t *chat.Thinking) *chat.Thinking {
	level, err := dialect.Effort(r.text(v, field), field)
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
