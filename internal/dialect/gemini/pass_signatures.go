package gemini

import (
	"bytes"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// span is a member of an object in its place: everything between two commas.
type span struct {
	key      string // in lowerCamelCase
	from, to int
	value    int // where the value begins
	end      int // where the value ends
}

// spans reads the members of the object at i and gives the place behind it.
func spans(b []byte, i int) ([]span, int) {
	c := cursor{b: b, i: i}
	if !c.enter('{') {
		return nil, i
	}
	var all []span
	from := c.i
	for {
		name, more := c.name()
		if !more {
			return all, c.i
		}
		s := span{key: string(c.camel(name)), from: from}
		c.peek()
		s.value = c.i
		c.skip()
		s.end = c.i
		c.peek()
		s.to, from = c.i, c.i+1
		all = append(all, s)
	}
}

// edit replaces bytes by others.
type edit struct {
	from, to int
	text     string
}

// splice makes the edits, which are in order and apart, in one copy.
func splice(b []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return b
	}
	grown := len(b)
	for _, e := range edits {
		grown += len(e.text)
	}
	out := make([]byte, 0, grown)
	at := 0
	for _, e := range edits {
		out = append(append(out, b[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, b[at:]...)
}

// sealed reports whether somewhere a signature is one that we wrapped.
func sealed(b []byte) bool {
	return bytes.Contains(b, []byte(chat.EnvelopePrefix)) || bytes.Contains(b, []byte(chat.CarrierPrefix))
}

// unseal gives back the signatures that we wrapped for the client: to the model
// that made them, as they were; of others the call keeps only the placeholder
// that Google documents, and anything else nothing. Where all are to be forgotten
// it is so with every signature.
func unseal(body []byte, t dialect.Target) []byte {
	if !sealed(body) && !t.Forget {
		return body
	}
	u := unsealer{b: body, traits: traitsOf(t.Model), proof: t.Proof, forget: t.Forget}
	root, _ := spans(body, 0)
	for _, s := range root {
		if s.key != "contents" {
			continue
		}
		u.each(s.value, func(content int) {
			inner, _ := spans(body, content)
			for _, s := range inner {
				if s.key == "parts" {
					u.each(s.value, u.part)
				}
			}
		})
	}
	return splice(body, u.edits)
}

// unsealPart is unseal for a single part.
func unsealPart(raw []byte, t traits, proof func(string) (string, bool)) []byte {
	if !sealed(raw) {
		return raw
	}
	u := unsealer{b: raw, traits: t, proof: proof}
	u.part(0)
	return splice(raw, u.edits)
}

type unsealer struct {
	b      []byte
	traits traits
	proof  func(string) (string, bool)
	forget bool // all signatures, not only those that are another model's
	edits  []edit
}

// each calls do with the place of every element of a list, or of the object that
// stands for it.
func (u *unsealer) each(i int, do func(int)) {
	c := cursor{b: u.b, i: i}
	if !c.enter('[') {
		do(c.i)
		return
	}
	for c.item() {
		at := c.i
		c.skip()
		do(at)
	}
}

func (u *unsealer) part(at int) {
	all, _ := spans(u.b, at)
	for i, s := range all {
		if s.key != "thoughtSignature" {
			continue
		}
		c := cursor{b: u.b, i: s.value}
		signature, _ := c.text()
		_, wrapped := chat.Unwrap(signature)
		_, hides := unhide(signature)
		if !wrapped && !hides && !u.forget {
			continue
		}
		raw, ok := "", false
		if wrapped && u.proof != nil && !u.forget {
			raw, ok = u.proof(signature)
		}
		calls := false
		for _, o := range all {
			calls = calls || o.key == "functionCall"
		}
		switch {
		case ok:
			u.edits = append(u.edits, edit{s.value, s.end, `"` + raw + `"`})
		case calls && u.traits.signed:
			u.edits = append(u.edits, edit{s.value, s.end, `"` + unsigned + `"`})
		case len(all) == 1:
			u.edits = append(u.edits, edit{s.from, s.to, `"text":""`})
		case i == len(all)-1:
			u.edits = append(u.edits, edit{s.from - 1, s.to, ""})
		default:
			u.edits = append(u.edits, edit{s.from, s.to + 1, ""})
		}
	}
}
