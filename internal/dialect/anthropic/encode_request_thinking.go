package anthropic

import (
	"encoding/json"
	"strconv"

	"stele/internal/chat"
	"stele/internal/dialect"
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
func (c *composer) think() plan {
	t := c.talk.Thinking
	switch {
	case t == nil:
		return plan{on: c.can.always}
	case t.Kind == thinkEffort:
		return c.effortOnly(t)
	case t.Effort == "none", t.Budget != nil && *t.Budget == 0:
		return c.off(t)
	}
	p := c.on(t)
	if p.on && t.Show != nil {
		p.show = *t.Show && c.can.omitted
		p.hide = !*t.Show && c.can.adaptive && !c.can.omitted
	}
	if p.kind == thinkEnabled && c.broken() {
		c.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "off for this turn: the tool calls that it answers came without thoughts the model can read"))
		return plan{kind: thinkDisabled}
	}
	return p
}

// effortOnly is how hard to work, where thinking was not mentioned.
func (c *composer) effortOnly(t *chat.Thinking) plan {
	if c.can.efforts == nil {
		c.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "the model takes no effort"))
		return plan{}
	}
	return plan{effort: c.level(t.Effort), on: c.can.always}
}

// off is no thinking, or as little as the model can.
func (c *composer) off(t *chat.Thinking) plan {
	switch {
	case t.Kind == thinkBetween && c.can.between:
		return plan{kind: thinkBetween}
	case c.can.disabled:
		return plan{kind: thinkDisabled}
	case c.can.between:
		c.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "the model still thinks between tool calls"))
		return plan{kind: thinkBetween}
	case c.can.always:
		c.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "the model always thinks: least effort"))
		return plan{effort: c.can.efforts[0], on: true}
	}
	return plan{}
}

// on is thinking, by effort or by tokens.
func (c *composer) on(t *chat.Thinking) plan {
	budget := t.Budget != nil && *t.Budget > 0
	switch {
	case c.can.budget && (budget || !c.can.adaptive):
		return plan{kind: thinkEnabled, budget: c.tokens(t), on: true}
	case c.can.adaptive:
		p := plan{kind: thinkAdaptive, on: true}
		switch {
		case t.Effort != "":
			p.effort = c.level(t.Effort)
		case budget:
			p.effort = c.can.nearest(dialect.EffortOf(*t.Budget))
		}
		if budget {
			c.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "the model takes no budget: effort "+p.effort))
		}
		return p
	}
	c.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "the model does not think"))
	return plan{}
}

// level is the effort the model has for the one wanted.
func (c *composer) level(effort string) string {
	near := c.can.nearest(effort)
	if near != effort {
		c.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "effort "+near))
	}
	return near
}

// tokens is the budget for what the client wants.
func (c *composer) tokens(t *chat.Thinking) int64 {
	if t.Budget != nil && *t.Budget > 0 {
		if *t.Budget < leastBudget {
			c.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "1024 tokens are the least"))
		}
		return max(leastBudget, *t.Budget)
	}
	most := c.target.MaxOutput
	if most == 0 {
		most = c.can.maxOutput
	}
	budget := dialect.BudgetOf(t.Effort)
	switch {
	case t.Effort == "":
		budget = dialect.BudgetOf("medium")
	case t.Effort == "max" && most > 0:
		budget = most - most/4
	}
	budget = max(leastBudget, budget)
	if t.Effort != "" {
		c.lose(chat.Lost(chat.FieldThinking, chat.Approximated, "a budget of "+strconv.FormatInt(budget, 10)+" tokens"))
	}
	return budget
}

// thinks writes the plan, and the shape of the answer beside it.
func (c *composer) thinks(body []byte, p *plan, schema json.RawMessage) []byte {
	if p.kind != "" {
		body = append(body, `,"thinking":{"type":"`+p.kind+`"`...)
		if p.kind == thinkEnabled {
			body = append(body, `,"budget_tokens":`...)
			body = strconv.AppendInt(body, p.budget, 10)
		}
		if _, own := c.own("thinking.display"); !own && p.show {
			body = append(body, `,"display":"summarized"`...)
		} else if !own && p.hide {
			body = append(body, `,"display":"omitted"`...)
		}
		body = append(c.extras(body, "thinking."), '}')
	}
	config := []byte{'{'}
	if p.effort != "" {
		config = append(config, `"effort":"`+p.effort+`"`...)
	}
	if schema != nil {
		config = append(member(config, "format"), `{"type":"json_schema","schema":`...)
		config = append(append(config, schema...), '}')
	}
	if config = c.extras(config, "output_config."); len(config) > 1 {
		body = append(append(append(body, `,"output_config":`...), config...), '}')
	}
	return body
}
