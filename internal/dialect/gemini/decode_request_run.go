package gemini

import "stele/internal/chat"

// run is parts that follow each other. Text that only goes on is joined to the
// text before it, in one copy however many pieces there are.
type run struct {
	parts []chat.Part
	tail  []byte // the last part's text, while more is joined to it
}

// add appends a part, or joins it to the last one.
func (r *run) add(p chat.Part, join bool) {
	if n := len(r.parts); join && n > 0 && goesOn(&r.parts[n-1], &p) {
		if r.tail == nil {
			r.tail = append([]byte{}, r.parts[n-1].Text...)
		}
		r.tail = append(r.tail, p.Text...)
		r.parts[n-1].Proof = p.Proof
		return
	}
	r.parts = append(r.end(), p)
}

// end is the parts.
func (r *run) end() []chat.Part {
	if r.tail != nil {
		r.parts[len(r.parts)-1].Text = string(r.tail)
		r.tail = nil
	}
	return r.parts
}

// goesOn reports whether p is the rest of what last began. Signed parts stay as
// they are.
func goesOn(last, p *chat.Part) bool {
	return last.Kind == p.Kind && (p.Kind == chat.Text || p.Kind == chat.Thought) && last.Proof == "" && last.Raw == nil && p.Raw == nil
}
