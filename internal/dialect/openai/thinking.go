package openai

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// switches are the values of all the fields by which clients of this API ask for
// thinking: reasoning_effort is the author's own, the others are other servers'.
type switches map[string]jsonscan.Value

var switchNames = []string{"reasoning_effort", "reasoning", "thinking", "enable_thinking", "include_reasoning", "thinking_budget", "think"}

// googleThinking is the switch of Google's own server of this dialect, google.thinking_config.
const googleThinking = "google"

// reasoningMembers are those of reasoning that are read.
var reasoningMembers = []string{"effort", "max_tokens", "enabled", "exclude"}

// resolve is the thinking that is asked for, nil where none is mentioned. The
// second result says what was passed over where the switches disagree.
func (s switches) resolve() (*chat.Thinking, string, error) {
	var w wish
	w.takeEffort(s["reasoning_effort"], "reasoning_effort")
	w.takeEffort(s["think"], "think") // Ollama's
	w.takeReasoning(s["reasoning"])
	w.takeThinking(s["thinking"])
	w.takeSwitch(s["enable_thinking"], "enable_thinking")
	w.takeInclude(s["include_reasoning"])
	w.takeBudget(s["thinking_budget"], "thinking_budget")
	w.takeConfig(s[googleThinking])
	if w.err != nil || !w.said {
		return nil, "", w.err
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
	show := !w.hide && t.Effort != "none" && (t.Budget == nil || *t.Budget != 0)
	t.Show = &show
	return t, note, nil
}

// wish is what the switches say, before they are weighed against each other.
type wish struct {
	said    bool
	on, off bool
	efforts []string
	budgets []int64
	kind    string
	hide    bool
	err     error // the first
}

func (w *wish) takeEffort(v jsonscan.Value, field string) {
	if on, ok := v.Bool(); ok {
		w.set(on)
	} else if !v.Absent() {
		w.takeEffortWord(v, field)
	}
}

func (w *wish) takeReasoning(v jsonscan.Value) {
	switch v.Kind() {
	case jsonscan.Missing, jsonscan.Null:
	case jsonscan.True, jsonscan.False:
		w.set(v.Kind() == jsonscan.True)
	case jsonscan.String:
		w.takeEffortWord(v, "reasoning")
	case jsonscan.Object:
		w.said = w.said || dialect.Asks(v)
		if level := v.Get("effort"); !level.Absent() {
			w.takeEffortWord(level, "reasoning.effort")
		}
		w.takeBudget(v.Get("max_tokens"), "reasoning.max_tokens")
		w.takeSwitch(v.Get("enabled"), "reasoning.enabled")
		w.hide = w.hide || anyText(v.Get("exclude")) == "true"
	default:
		w.fail(fault.WrongValue("reasoning", "an object, true or false"))
	}
}

func (w *wish) takeThinking(v jsonscan.Value) {
	switch v.Kind() {
	case jsonscan.Missing, jsonscan.Null:
		return
	case jsonscan.True, jsonscan.False:
		w.set(v.Kind() == jsonscan.True)
		return
	case jsonscan.Object:
		if !dialect.Asks(v) {
			return
		}
	default:
		w.fail(fault.WrongValue("thinking", "an object, true or false"))
		return
	}
	switch kind := v.Get("type").View(); kind {
	case "disabled":
		w.set(false)
	case "enabled", "adaptive", "between_tools":
		w.set(true)
		w.kind = kind
	case "", "auto":
		w.set(true)
	default:
		w.fail(fault.WrongValue("thinking.type", "enabled, adaptive, between_tools, auto or disabled"))
	}
	w.hide = w.hide || v.Get("display").View() == "omitted"
	w.takeBudget(v.Get("budget_tokens"), "thinking.budget_tokens")
}

// takeConfig reads a thinking_config. Google shows no thoughts that were not asked for in it.
func (w *wish) takeConfig(v jsonscan.Value) {
	if v.Absent() {
		return
	}
	const field = "google.thinking_config."
	w.said = true
	shown, _ := googleMember(v, "include_thoughts").Bool()
	w.hide = w.hide || !shown
	if level := googleMember(v, "thinking_level"); !level.Absent() {
		w.takeEffortWord(level, field+"thinking_level")
	}
	w.takeBudget(googleMember(v, "thinking_budget"), field+"thinking_budget")
}

func (w *wish) takeInclude(v jsonscan.Value) {
	if v.Absent() {
		return
	}
	yes, err := readBool(v, "include_reasoning")
	w.fail(err)
	w.said = true
	w.hide = w.hide || !yes
}

func (w *wish) takeSwitch(v jsonscan.Value, field string) {
	if v.Absent() {
		return
	}
	yes, err := readBool(v, field)
	w.fail(err)
	w.set(yes)
}

func (w *wish) set(on bool) {
	w.said = true
	w.on, w.off = w.on || on, w.off || !on
}

func (w *wish) takeEffortWord(v jsonscan.Value, field string) {
	word, err := readText(v, field)
	w.fail(err)
	switch strings.ToLower(word) {
	case "":
		return // a setting that was left empty
	case "default", "auto": // Groq's word for it, and that of clients with many providers
		w.set(true)
		return
	}
	level, err := dialect.ReadEffort(word, field)
	w.fail(err)
	w.said = true
	w.efforts = append(w.efforts, level)
}

func (w *wish) takeBudget(v jsonscan.Value, field string) {
	if v.Absent() {
		return
	}
	n, err := readInt(v, field)
	if err != nil {
		w.fail(err)
		return
	}
	w.said = true
	w.budgets = append(w.budgets, *n)
}

func (w *wish) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// readThinking puts what the switches say into the conversation.
func (r *requestReader) readThinking() error {
	t, note, err := r.think.resolve()
	if err != nil {
		return err
	}
	if note != "" {
		r.c.Notes = append(r.c.Notes, chat.Lost(chat.FieldThinking, chat.Approximated, note))
	}
	r.c.Thinking = t
	r.noteOthers(r.think["thinking"], "thinking", "type", "budget_tokens", "display")
	for key, v := range r.think["reasoning"].Members() {
		if !v.Absent() && !slices.Contains(reasoningMembers, key.Name) {
			r.note("reasoning."+key.Name, chat.Ignored, "")
		}
	}
	for _, own := range switchNames {
		if v, given := r.think[own]; given && !v.Absent() {
			if sent := cmp.Or(r.inner[own], own); sent != switchNames[0] {
				r.c.Spell(chat.FieldThinking, name+"."+sent)
			}
			break
		}
	}
	if len(r.think) == 1 && !r.think[googleThinking].Absent() {
		r.c.Spell(chat.FieldThinking, name+"."+r.nested+"google.thinking_config")
	}
	return nil
}

// wantedEffort is the level of thinking that is asked for, "" for the model's own,
// and whether it was asked for in just these words.
func wantedEffort(t *chat.Thinking, model traits) (level string, exact bool) {
	switch {
	case t.Silent():
		return "", true
	case t.Effort != "":
		return t.Effort, t.Budget == nil
	case t.Budget != nil && *t.Budget >= 0:
		return dialect.EffortOf(*t.Budget), *t.Budget == 0
	case model.restsByDefault():
		return "medium", false
	}
	return "", true
}
