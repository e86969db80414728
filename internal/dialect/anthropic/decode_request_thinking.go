package anthropic

import (
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// The kinds of thinking a client can name. Effort is ours: output_config.effort
// was set and thinking not mentioned.
const (
	thinkEnabled  = "enabled"
	thinkAdaptive = "adaptive"
	thinkDisabled = "disabled"
	thinkBetween  = "between_tools"
	thinkEffort   = "effort"
)

// think reads how much the model may think, in all the ways that people say it.
func (r *request) think(model string) {
	if r.err != nil {
		return
	}
	t := r.thinkingField(model)
	if t == nil {
		t = r.switches()
	}
	if r.output.Exists() {
		t = r.effort(t)
	}
	r.talk.Thinking = t
}

// thinkingField reads the API's own field, or a loose switch in its place.
func (r *request) thinkingField(model string) *chat.Thinking {
	if !r.thinking.Exists() {
		return nil
	}
	if r.thinking.IsBool() {
		return toggle(r.thinking.Bool())
	}
	t := &chat.Thinking{}
	display := ""
	r.members(r.thinking, "thinking", func(key string, v gjson.Result) {
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
	})
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
func (r *request) switches() *chat.Thinking {
	if v := r.reasoningEffort; v.IsBool() {
		return toggle(v.Bool())
	} else if v.Exists() {
		return r.level(v, "reasoning_effort", toggle(true))
	}
	v := r.reasoning
	if !v.Exists() {
		return nil
	}
	if v.IsBool() {
		return toggle(v.Bool())
	}
	t := toggle(true)
	r.members(v, "reasoning", func(key string, v gjson.Result) {
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
	})
	return t
}

// effort adds output_config.effort to the thinking it belongs to.
func (r *request) effort(t *chat.Thinking) *chat.Thinking {
	switch {
	case t == nil:
		shown := false
		return r.level(r.output, "output_config.effort", &chat.Thinking{Kind: thinkEffort, Show: &shown})
	case t.Effort == "none":
		r.extra("output_config.effort", r.output, chat.Shapes)
		return t
	}
	return r.level(r.output, "output_config.effort", t)
}

func (r *request) level(v gjson.Result, field string, t *chat.Thinking) *chat.Thinking {
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
