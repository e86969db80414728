package gemini

import (
	"encoding/base64"
	"fmt"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// thought is how much thinking a model is asked for: a level, tokens, or neither.
type thought struct {
	level  string
	budget *int64
}

// write writes the members of a thinkingConfig.
func (t thought) write(w *jsonscan.Writer) {
	if t.level != "" {
		w.Key("thinkingLevel").Text(t.level)
	}
	if t.budget != nil {
		w.Key("thinkingBudget").Int(*t.budget)
	}
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
		return t.thinkByTokens(want)
	}
	return t.thinkByLevel(want)
}

// thinkByTokens is for models that take a budget.
func (t traits) thinkByTokens(want *chat.Thinking) (thought, []chat.Loss) {
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

// thinkByLevel is for models that take a level.
func (t traits) thinkByLevel(want *chat.Thinking) (thought, []chat.Loss) {
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

const unsigned = dialect.NoSignature

// hidden begins what carries thinking that only its upstream can read through a
// client that has no place for it but a signature.
const hidden = "redacted:"

func hide(text string) string { return base64.StdEncoding.EncodeToString([]byte(hidden + text)) }

func unhide(signature string) (string, bool) {
	if !strings.HasPrefix(signature, chat.CarrierPrefix) {
		return "", false
	}
	raw, err := base64.StdEncoding.DecodeString(signature)
	return strings.TrimPrefix(string(raw), hidden), err == nil
}
