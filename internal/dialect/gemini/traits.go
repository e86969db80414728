package gemini

import (
	"fmt"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// traits is what differs between the models of this API.
type traits struct {
	model string // part of its name

	thinks bool
	lowest string // levels: the least of them; "": it takes tokens
	least  int64  // tokens: the fewest
	most   int64  // tokens: the most
	off    bool   // tokens: 0 is allowed

	signed bool // calls must carry the signature they came with
	shaped bool // takes a JSON format together with tools
}

// known are the models, the first that fits counts. Whatever is not known is
// taken for the newest.
var known = []traits{
	{model: "gemini-2.5-flash-image", shaped: true},
	{model: "gemini-2.5-flash-lite", thinks: true, least: 512, most: 24576, off: true},
	{model: "gemini-2.5-pro", thinks: true, least: 128, most: 32768},
	{model: "gemini-2.5", thinks: true, least: 1, most: 24576, off: true},
	{model: "gemini-2.0-flash-thinking", thinks: true, least: 1, most: 24576, off: true},
	{model: "gemini-2.0"},
	{model: "gemini-1."},
	{model: "gemini-pro-vision"},
	{model: "gemma"},
	{model: "learnlm"},
	{model: "-pro", thinks: true, lowest: "LOW", signed: true, shaped: true},
	{model: "", thinks: true, lowest: "MINIMAL", signed: true, shaped: true},
}

func traitsOf(model string) traits {
	model = strings.ToLower(model)
	for _, t := range known {
		if strings.Contains(model, t.model) {
			return t
		}
	}
	return traits{}
}

// thought is how much thinking a model is asked for: a level, tokens, or neither.
type thought struct {
	level  string
	budget *int64
}

// think says in a model's own way how much it may think, and what was changed.
func (t traits) think(want *chat.Thinking) (thought, []chat.Loss) {
	asked := want.Effort != "" && want.Effort != "none" || want.Budget != nil && *want.Budget != 0 || want.Show != nil && *want.Show
	switch {
	case !t.thinks && asked:
		return thought{}, []chat.Loss{chat.Lost(chat.FieldThinking, chat.Dropped, "the model does not think")}
	case !t.thinks:
		return thought{}, nil
	case t.lowest == "":
		return t.tokens(want)
	}
	return t.byLevel(want)
}

// tokens is for models that take a budget.
func (t traits) tokens(want *chat.Thinking) (thought, []chat.Loss) {
	var n int64
	switch {
	case want.Budget != nil:
		n = *want.Budget
	case want.Effort == "":
		return thought{}, nil
	case want.Effort == "max":
		n = t.most
	default:
		n = min(dialect.BudgetOf(want.Effort), t.most)
	}
	got := n
	switch {
	case n < 0:
		got = -1
	case n == 0 && t.off:
	case n < t.least:
		got = t.least
	case n > t.most:
		got = t.most
	}
	if got == n || n < 0 {
		return thought{budget: &got}, nil
	}
	return thought{budget: &got}, []chat.Loss{chat.Lost(chat.FieldThinking, chat.Approximated, fmt.Sprintf("%d tokens instead of %d", got, n))}
}

// byLevel is for models that take a level.
func (t traits) byLevel(want *chat.Thinking) (thought, []chat.Loss) {
	effort, note := want.Effort, ""
	if effort == "" && want.Budget != nil {
		effort = dialect.EffortOf(*want.Budget)
		note = fmt.Sprintf("%d tokens", *want.Budget)
	}
	var level string
	switch effort {
	case "":
		return thought{}, nil
	case "none":
		level, note = t.lowest, "thinking cannot be switched off"
	case "minimal":
		level = t.lowest
		if level != "MINIMAL" {
			note = effort
		}
	case "low", "medium", "high":
		level = strings.ToUpper(effort)
	default:
		level, note = "HIGH", effort
	}
	if note == "" {
		return thought{level: level}, nil
	}
	return thought{level: level}, []chat.Loss{chat.Lost(chat.FieldThinking, chat.Approximated, note+": "+level)}
}
