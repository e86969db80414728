package openai

import (
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// switches are all the fields by which clients of this API ask for thinking:
// reasoning_effort is the author's own, the others are other servers'.
type switches struct {
	effort, reasoning, thinking, enable, include, budget gjson.Result
}

// put takes a field over if it is one of the switches.
func (s *switches) put(key string, v gjson.Result) bool {
	switch key {
	case "reasoning_effort":
		s.effort = v
	case "reasoning":
		s.reasoning = v
	case "thinking":
		s.thinking = v
	case "enable_thinking":
		s.enable = v
	case "include_reasoning":
		s.include = v
	case "thinking_budget":
		s.budget = v
	default:
		return false
	}
	return true
}

// wish is what the switches say, before they are weighed against each other.
type wish struct {
	said    bool
	on, off bool
	efforts []string
	budgets []int64
	kind    string
	hide    bool
}

// resolve is the thinking that is asked for, nil where none is mentioned. The
// second result says what was passed over where the switches disagree.
func (s *switches) resolve() (*chat.Thinking, string, error) {
	var w wish
	for _, take := range []func(*wish) error{s.takeEffort, s.takeReasoning, s.takeThinking, s.takeRest} {
		if err := take(&w); err != nil {
			return nil, "", err
		}
	}
	if !w.said {
		return nil, "", nil
	}
	t, note := &chat.Thinking{Kind: w.kind}, ""
	if len(w.efforts) > 0 {
		t.Effort = w.efforts[0]
	}
	if len(w.budgets) > 0 {
		t.Budget = &w.budgets[0]
	}
	switch {
	case w.off:
		if w.on || t.Effort != "" && t.Effort != "none" || t.Budget != nil {
			note = "switched off, so nothing else that was said about it counts"
		}
		t.Effort, t.Budget, t.Kind = "none", nil, ""
	case t.Effort != "" && t.Budget != nil:
		note = "both an effort and a budget are given: a model takes the one it knows"
	case len(w.efforts) > 1 && w.efforts[1] != t.Effort:
		note = "several efforts are given: the first counts"
	case t.Effort == "" && t.Budget == nil && w.on && w.kind != "adaptive":
		t.Effort = "medium"
	}
	show := !w.hide && t.Effort != "none"
	t.Show = &show
	return t, note, nil
}

func (s *switches) takeEffort(w *wish) error {
	v := s.effort
	if absent(v) {
		return nil
	}
	w.said = true
	if v.IsBool() {
		w.turn(v.Bool())
		return nil
	}
	return w.effort(v, "reasoning_effort")
}

func (s *switches) takeReasoning(w *wish) error {
	v := s.reasoning
	switch {
	case absent(v):
		return nil
	case v.IsBool():
		w.turn(v.Bool())
		return nil
	case v.Type == gjson.String:
		return w.effort(v, "reasoning")
	case !v.IsObject():
		return wrong("reasoning", "an object, true or false")
	}
	w.said = true
	if level := v.Get("effort"); !absent(level) {
		if err := w.effort(level, "reasoning.effort"); err != nil {
			return err
		}
	}
	if err := w.budget(v.Get("max_tokens"), "reasoning.max_tokens"); err != nil {
		return err
	}
	if enabled := v.Get("enabled"); !absent(enabled) {
		yes, err := readBool(enabled, "reasoning.enabled")
		if err != nil {
			return err
		}
		w.turn(yes)
	}
	w.hide = w.hide || v.Get("exclude").Bool()
	return nil
}

func (s *switches) takeThinking(w *wish) error {
	v := s.thinking
	switch {
	case absent(v):
		return nil
	case v.IsBool():
		w.turn(v.Bool())
		return nil
	case !v.IsObject():
		return wrong("thinking", "an object, true or false")
	}
	switch kind := v.Get("type").Str; kind {
	case "disabled":
		w.turn(false)
	case "enabled", "adaptive", "between_tools":
		w.turn(true)
		w.kind = kind
	case "", "auto":
		w.turn(true)
	default:
		return wrong("thinking.type", "enabled, adaptive, between_tools, auto or disabled")
	}
	w.hide = w.hide || v.Get("display").Str == "omitted"
	return w.budget(v.Get("budget_tokens"), "thinking.budget_tokens")
}

func (s *switches) takeRest(w *wish) error {
	if !absent(s.enable) {
		yes, err := readBool(s.enable, "enable_thinking")
		if err != nil {
			return err
		}
		w.turn(yes)
	}
	if !absent(s.include) {
		yes, err := readBool(s.include, "include_reasoning")
		if err != nil {
			return err
		}
		w.said = true
		w.hide = w.hide || !yes
	}
	return w.budget(s.budget, "thinking_budget")
}

func (w *wish) turn(on bool) {
	w.said = true
	w.on, w.off = w.on || on, w.off || !on
}

func (w *wish) effort(v gjson.Result, field string) error {
	word, err := readText(v, field)
	if err != nil {
		return err
	}
	level, err := dialect.Effort(word, field)
	if err != nil {
		return err
	}
	w.said = true
	w.efforts = append(w.efforts, level)
	return nil
}

func (w *wish) budget(v gjson.Result, field string) error {
	if absent(v) {
		return nil
	}
	n, err := readInt(v, field)
	if err != nil {
		return err
	}
	w.said = true
	w.budgets = append(w.budgets, *n)
	return nil
}

// readThinking puts what the switches say into the conversation.
func (r *reading) readThinking() error {
	t, note, err := r.think.resolve()
	if err != nil {
		return err
	}
	if note != "" {
		r.c.Notes = append(r.c.Notes, chat.Lost(chat.FieldThinking, chat.Approximated, note))
	}
	r.c.Thinking = t
	return nil
}
