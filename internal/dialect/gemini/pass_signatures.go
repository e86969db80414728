package gemini

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// openSignatures gives back the signatures that we wrapped for the client: to the model
// that made them, as they were; of others the call keeps only the placeholder
// that Google documents, and anything else nothing. Where all are to be forgotten
// it is so with every signature. The first call of a turn that another signed in its
// thoughts owes one as well.
func (p *passer) openSignatures(list jsonscan.Value) {
	var bare []jsonscan.Value // Contents that said nothing beside what only another model can read
	n := 0
	for _, content := range items(list) {
		n++
		if !strings.EqualFold(textOf(content, "role"), "model") {
			p.strange, p.called = false, false // a new turn; clients of streams send one in many pieces
		}
		for key, parts := range content.Members() {
			if toCamel(key.Name) == "parts" && p.openParts(parts) {
				bare = append(bare, content)
			}
		}
	}
	for _, content := range bare {
		if len(bare) < n {
			p.edits.RemoveElement(content)
			continue
		}
		p.edits.Replace(content, []byte(`{"parts":[{"text":""}]}`))
	}
}

// openParts opens the signatures of parts, and takes out those that say nothing without them: the API refuses empty
// texts. It leaves them where there are no others, and reports so.
func (p *passer) openParts(parts jsonscan.Value) (bare bool) {
	var empty []jsonscan.Value
	n := 0
	for _, part := range items(parts) {
		n++
		if p.openSignature(part) {
			empty = append(empty, part)
		}
	}
	if n == len(empty) {
		return n > 0
	}
	for _, part := range empty {
		p.edits.RemoveElement(part)
	}
	return false
}

// openSignature opens that of a part. Where nothing is left of the part it changes nothing, and reports so.
func (p *passer) openSignature(part jsonscan.Value) (empty bool) {
	calls, signed, says, texted := false, false, false, false
	for key, v := range part.Members() {
		switch toCamel(key.Name) {
		case "functionCall":
			calls, says = true, true
		case "thoughtSignature":
			signed = true
		case "text":
			says, texted = says || v.View() != "", true
		case "thought":
		default:
			says = true
		}
	}
	if calls && !signed && !p.called && p.traits.signed && (p.strange || p.target.Forget) {
		p.edits.Append(part, "thoughtSignature", jsonscan.AppendText(nil, unsigned))
		p.dummies = true
	}
	p.called = p.called || calls
	for key, v := range part.Members() {
		if toCamel(key.Name) != "thoughtSignature" {
			continue
		}
		signature := v.View()
		_, wrapped := chat.Unwrap(signature)
		_, hides := unhide(signature)
		if !wrapped && !hides && !p.target.Forget {
			continue
		}
		raw, ok := "", false
		if wrapped && p.target.Proof != nil && !p.target.Forget {
			raw, ok = p.target.Proof(signature)
		}
		p.strange = p.strange || !ok
		switch {
		case ok:
			p.edits.ReplaceText(v, raw)
		case calls && p.traits.signed:
			p.edits.ReplaceText(v, unsigned)
			p.dummies = true
		case !says:
			return true
		default:
			p.edits.Remove(key, v)
		}
	}
	if p.target.Worded && signed && !says && !texted { // Google's library for Go sends no empty text back
		p.edits.Append(part, "text", []byte(`""`))
		p.worded = true
	}
	return false
}

// unsealPart gives back the signature of a single part.
func unsealPart(raw []byte, t traits, proof func(string) (string, bool)) ([]byte, error) {
	p := passer{target: dialect.Upstream{Proof: proof}, traits: t}
	p.openSignature(jsonscan.At(raw, 0)) // it says something: it is a part that only this API has
	return p.edits.Apply(raw)
}
