package anthropic

import (
	"encoding/json"
	"slices"
	"strconv"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

const leastBudget = 1024 // of thinking tokens

// plan is how a request asks for thinking.
type plan struct {
	kind   string // thinking.type; "": not mentioned
	budget int64  // of kind enabled
	effort string // output_config.effort; "": not mentioned
	show   bool   // ask for words where the model gives none by itself
	hide   bool   // ask for none where the model gives them
	on     bool   // the model thinks before it answers
}

// think finds the way to ask this model for what the client wants.
func (w *requestWriter) think() plan {
	t := w.talk.Thinking
	if slices.Contains(w.target.Refused, begun) && w.isBroken() {
		if w.can.disabled || w.can.between {
			return w.planUnread()
		}
		w.tellLoop()
	}
	switch {
	case t.Silent():
		return plan{on: w.can.always}
	case t.Kind == thinkEffort:
		return w.planEffort(t)
	case t.Effort == "none", t.Budget != nil && *t.Budget == 0:
		return w.planOff(t)
	}
	p := w.planOn(t)
	if p.on && t.Show != nil {
		p.show = *t.Show && w.can.omitted
		p.hide = !*t.Show && w.can.adaptive && !w.can.omitted
	}
	if p.kind == thinkEnabled && w.isBroken() {
		return w.planUnread()
	}
	return p
}

// planUnread asks for no thinking in a loop of tool calls that began without thoughts the model can read.
func (w *requestWriter) planUnread() plan {
	w.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "off for this turn: the tool calls that it answers came without thoughts the model can read"))
	if !w.can.disabled {
		return plan{kind: thinkBetween}
	}
	return plan{kind: thinkDisabled}
}

// planEffort says how hard to work, where thinking was not mentioned.
func (w *requestWriter) planEffort(t *chat.Thinking) plan {
	if w.can.efforts == nil {
		w.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "the model takes no effort"))
		return plan{}
	}
	return plan{effort: w.level(t.Effort), on: w.can.always}
}

// planOff asks for no thinking, or as little as the model can.
func (w *requestWriter) planOff(t *chat.Thinking) plan {
	switch {
	case t.Kind == thinkBetween && w.can.between:
		return plan{kind: thinkBetween}
	case w.can.disabled:
		return plan{kind: thinkDisabled}
	case w.can.between:
		w.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "the model still thinks between tool calls"))
		return plan{kind: thinkBetween}
	case w.can.always && w.can.efforts == nil:
		w.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "the model always thinks"))
		return plan{on: true}
	case w.can.always:
		w.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "the model always thinks: least effort"))
		return plan{effort: w.can.efforts[0], on: true}
	}
	return plan{}
}

// planOn asks for thinking, by effort or by tokens.
func (w *requestWriter) planOn(t *chat.Thinking) plan {
	budget := t.Budget != nil && *t.Budget > 0
	switch {
	case w.can.budget && (budget || !w.can.adaptive):
		return plan{kind: thinkEnabled, budget: w.tokens(t), on: true}
	case w.can.adaptive:
		p := plan{kind: thinkAdaptive, on: true}
		switch {
		case w.can.efforts == nil:
			w.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "the model takes no effort: as much as it finds fit"))
			return p
		case t.Effort != "":
			p.effort = w.level(t.Effort)
		case budget:
			p.effort = dialect.NearestEffort(dialect.EffortOf(*t.Budget), w.can.efforts)
		}
		if budget {
			w.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "the model takes no budget: effort "+p.effort))
		}
		return p
	}
	w.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "the model does not think"))
	return plan{}
}

// level is the effort the model has for the one wanted.
func (w *requestWriter) level(effort string) string {
	near := dialect.NearestEffort(effort, w.can.efforts)
	if near != effort {
		w.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "effort "+near))
	}
	return near
}

// tokens is the budget for what the client wants.
func (w *requestWriter) tokens(t *chat.Thinking) int64 {
	if t.Budget != nil && *t.Budget > 0 {
		if *t.Budget < leastBudget {
			w.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "1024 tokens are the least"))
		}
		return max(leastBudget, *t.Budget)
	}
	most := w.mostTokens()
	budget := dialect.BudgetOf(t.Effort)
	switch {
	case t.Effort == "":
		budget = dialect.BudgetOf("medium")
	case t.Effort == "max" && most > 0:
		budget = most - most/4
	}
	budget = max(leastBudget, budget)
	if t.Effort != "" || t.Budget != nil {
		w.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "a budget of "+strconv.FormatInt(budget, 10)+" tokens"))
	}
	return budget
}

// writeThinking writes the plan.
func (w *requestWriter) writeThinking(out *jsonscan.Writer, p *plan) {
	out.Open(jsonscan.Object).Key("type").Plain(p.kind)
	if p.kind == thinkEnabled {
		out.Key("budget_tokens").Int(p.budget)
	}
	_, own := w.own("thinking.display")
	switch {
	case own:
	case p.show:
		out.Key("display").Plain("summarized")
	case p.hide:
		out.Key("display").Plain("omitted")
	}
	w.writeExtras(out, "thinking.")
	out.Close(jsonscan.Object)
}

// writeConfig writes how hard to work, and the shape of the answer.
func (w *requestWriter) writeConfig(out *jsonscan.Writer, p *plan, schema json.RawMessage) {
	config := jsonscan.NewWriter(nil)
	if p.effort != "" {
		config.Key("effort").Plain(p.effort)
	}
	if schema != nil {
		config.Key("format").Open(jsonscan.Object).Key("type").Plain("json_schema").Key("schema").Raw(schema).Close(jsonscan.Object)
	}
	w.writeExtras(config, "output_config.")
	writeObject(out, "output_config", config)
}
