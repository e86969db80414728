package chat

import (
	"encoding/json"
	"slices"
)

// Unmet is what a client asked for and answers do not have: upstreams may take a wish and pass
// over it. Nothing is taken from an answer for that: it is paid for, and a client that has tools
// can go on with another one than it named.
func (c *Conversation) Unmet(answers []Answer) (list []Loss) {
	for i := range answers {
		for _, l := range []Loss{
			Lost(FieldLogprobs, Dropped, c.findUnrated(&answers[i])),
			Lost(FieldChoice, Dropped, c.findUnchosen(&answers[i])),
			Lost(FieldParallel, Dropped, c.findCrowded(&answers[i])),
		} {
			if l.Note != "" && !slices.Contains(list, l) {
				list = append(list, l)
			}
		}
	}
	return list
}

// findUnrated says that the words of an answer have no log-probabilities, though it was asked for some.
func (c *Conversation) findUnrated(a *Answer) string {
	if c.Logprobs == nil || Rates(a.Logprobs) || !slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Kind == Text }) {
		return ""
	}
	return "the model's provider gave none"
}

// Rates reports whether log-probabilities are any, in the shape in which all codecs have them.
func Rates(raw json.RawMessage) bool {
	var of struct {
		Content []json.RawMessage `json:"content"`
		Refusal []json.RawMessage `json:"refusal"`
	}
	return raw != nil && json.Unmarshal(raw, &of) == nil && len(of.Content)+len(of.Refusal) > 0
}

// findUnchosen says that a model did not call what it was to call.
func (c *Conversation) findUnchosen(a *Answer) string {
	choice := &c.Choice
	if len(c.Tools) == 0 || choice.Mode != Required && choice.Mode != Named && !(choice.Mode == Allowed && choice.Forced) {
		return ""
	}
	switch calls := a.calls(); {
	case len(calls) == 0 && a.Stop.Reason == EndTurn:
		return "the model called no tool"
	case choice.Mode == Named && slices.ContainsFunc(calls, func(name string) bool { return name != choice.Name }):
		return "the model called another tool"
	}
	return ""
}

// findCrowded says that a model made several calls at once, though it was to make one.
func (c *Conversation) findCrowded(a *Answer) string {
	if !c.Choice.Serial || len(a.calls()) < 2 {
		return ""
	}
	return "the model made several calls at once"
}

// calls are the names of the tools that an answer calls.
func (a *Answer) calls() (names []string) {
	for i := range a.Parts {
		if p := &a.Parts[i]; p.Kind == ToolCall {
			names = append(names, p.Name)
		}
	}
	return names
}
