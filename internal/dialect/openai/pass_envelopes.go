package openai

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// openEnvelopes gives envelopes back to the upstream that they are addressed to, as
// what they hold; others are taken out, with the thoughts they were made for. The
// API's author gets none of our additions unless one of them is his own, and an upstream that has refused them none.
func openEnvelopes(edits *jsonscan.Edits, messages jsonscan.Value, t dialect.Target) {
	for _, m := range messages.Elements() {
		var list []addition
		for key, v := range m.Members() {
			if key.Name == "tool_calls" {
				for _, call := range v.Elements() {
					for key, v := range call.Members() {
						list = addAddition(list, key, v, t)
					}
				}
				continue
			}
			list = addAddition(list, key, v, t)
		}
		foreign := !t.Compatible
		for i := range list {
			foreign = foreign && len(list[i].own) == 0
		}
		for i := range list {
			list[i].edit(edits, foreign || t.Forget)
		}
	}
}

// addition is a field that we add to an answer and that the API itself does not
// take back.
type addition struct {
	key     jsonscan.Key
	value   jsonscan.Value
	own     []opened // what is addressed to the upstream
	foreign bool     // it holds an envelope that is addressed to another
}

// opened is an envelope, and what it holds.
type opened struct {
	envelope jsonscan.Value
	raw      string
}

func addAddition(list []addition, key jsonscan.Key, v jsonscan.Value, t dialect.Target) []addition {
	a := addition{key: key, value: v}
	switch key.Name {
	case "reasoning_content":
	case "extra_content":
		a.look(v.Get("google", "thought_signature"), t)
	case "reasoning_details":
		for _, item := range v.Elements() {
			a.look(item.Get("signature"), t)
			a.look(item.Get("data"), t)
		}
	default:
		return list
	}
	return append(list, a)
}

// look notes what a text holds, if it is an envelope.
func (a *addition) look(text jsonscan.Value, t dialect.Target) {
	if _, found := chat.Unwrap(text.View()); !found {
		return
	}
	if t.Proof != nil {
		if raw, ok := t.Proof(text.View()); ok {
			a.own = append(a.own, opened{text, raw})
			return
		}
	}
	a.foreign = true
}

func (a *addition) edit(edits *jsonscan.Edits, foreign bool) {
	if foreign || a.foreign {
		edits.Remove(a.key, a.value)
		return
	}
	for _, o := range a.own {
		edits.ReplaceText(o.envelope, bare(o.raw))
	}
}
