package gemini

import (
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
	for _, content := range items(list) {
		if textOf(content, "role") != "model" {
			p.strange, p.called = false, false // a new turn; clients of streams send one in many pieces
		}
		for key, parts := range content.Members() {
			if toCamel(key.Name) != "parts" {
				continue
			}
			for _, part := range items(parts) {
				p.openSignature(part)
			}
		}
	}
}

func (p *passer) openSignature(part jsonscan.Value) {
	calls, signed, members := false, false, 0
	for key := range part.Members() {
		calls = calls || toCamel(key.Name) == "functionCall"
		signed = signed || toCamel(key.Name) == "thoughtSignature"
		members++
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
		case members == 1:
			p.edits.Splice(key.From, v.To(), []byte(`"text":""`))
		default:
			p.edits.Remove(key, v)
		}
	}
}

// unsealPart gives back the signature of a single part.
func unsealPart(raw []byte, t traits, proof func(string) (string, bool)) ([]byte, error) {
	p := passer{target: dialect.Target{Proof: proof}, traits: t}
	p.openSignature(jsonscan.At(raw, 0))
	return p.edits.Apply(raw)
}
