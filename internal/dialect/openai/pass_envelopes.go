package openai

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// openEnvelopes gives envelopes back to the upstream that they are addressed to, as
// what they hold; others are taken out, with the thoughts they were made for. The
// API's author gets none of our additions unless one of them is his own, and an upstream that has refused them none.
func openEnvelopes(edits *jsonscan.Edits, messages jsonscan.Value, t dialect.Upstream) (losses []chat.Loss) {
	for at, m := range messages.Elements() {
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
		said, signed := false, false
		for i := range list {
			if list[i].edit(edits, foreign || t.Forget) {
				said = said || list[i].hasWords()
				signed = signed || list[i].key.Name != "reasoning_content"
			}
		}
		switch {
		case said:
			losses = append(losses, chat.Loss{Field: chat.FieldPart, Message: at, Part: atThoughts, Verb: chat.Dropped, Note: "thoughts of another model"})
		case signed:
			losses = append(losses, chat.Loss{Field: chat.FieldPart, Message: at, Part: atWhole, Verb: chat.Ignored, Note: "a signature of another upstream"})
		}
	}
	return losses
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

func addAddition(list []addition, key jsonscan.Key, v jsonscan.Value, t dialect.Upstream) []addition {
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
func (a *addition) look(text jsonscan.Value, t dialect.Upstream) {
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

// edit opens what is addressed to the upstream, or takes the field out and reports so.
func (a *addition) edit(edits *jsonscan.Edits, foreign bool) (removed bool) {
	if foreign || a.foreign {
		edits.Remove(a.key, a.value)
		return true
	}
	for _, o := range a.own {
		edits.ReplaceText(o.envelope, bare(o.raw))
	}
	return false
}

// hasWords reports whether a field tells thoughts.
func (a *addition) hasWords() bool {
	return a.key.Name == "reasoning_content" && wordsOf(a.value) != "" || hasWords(a.value)
}
