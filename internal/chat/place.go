package chat

import "unicode/utf8"

// Placed is a thought, or one that only its upstream can read, with its place among what
// else its turn says. Upstreams take thoughts back only in the order in which they came,
// and not every client's dialect has a place for them between words.
type Placed struct {
	Part
	Said  int // bytes of text before it
	Calls int // calls before it
}

// Places are the thoughts of a turn, where they are.
func Places(parts []Part) (thoughts []Placed) {
	said, calls := 0, 0
	for i := range parts {
		switch p := &parts[i]; p.Kind {
		case Thought, Redacted:
			thoughts = append(thoughts, Placed{*p, said, calls})
		case Text:
			said += len(p.Text)
		case ToolCall:
			calls++
		}
	}
	return thoughts
}

// Interleave puts thoughts into the rest of their turn, each where it was. It reports
// whether all those places are there: a client may have changed the words.
func Interleave(thoughts []Placed, rest []Part) ([]Part, bool) {
	out := make([]Part, 0, len(thoughts)+len(rest)+1)
	said, calls := 0, 0
	put := func() {
		for len(thoughts) > 0 && thoughts[0].Said == said && thoughts[0].Calls == calls {
			out, thoughts = append(out, thoughts[0].Part), thoughts[1:]
		}
	}
	put()
	for _, p := range rest {
		switch p.Kind {
		case Text:
			for len(thoughts) > 0 && thoughts[0].Calls == calls && thoughts[0].Said > said && thoughts[0].Said < said+len(p.Text) {
				at := thoughts[0].Said - said
				if !utf8.RuneStart(p.Text[at]) {
					return nil, false
				}
				head := Part{Kind: Text, Text: p.Text[:at], Citations: p.Citations, At: p.At}
				p.Text, p.Citations = p.Text[at:], nil
				out, said = append(out, head), said+at
				put()
			}
			said += len(p.Text)
		case ToolCall:
			calls++
		}
		out = append(out, p)
		put()
	}
	return out, len(thoughts) == 0
}

// Characters is how much text there is in parts.
func Characters(parts []Part) (n int) {
	for i := range parts {
		if parts[i].Kind == Text {
			n += utf8.RuneCountInString(parts[i].Text)
		}
	}
	return n
}

// MoveCitations moves the citations of a part behind so many characters that its answer begins with.
func (p *Part) MoveCitations(characters int) {
	for i := range p.Citations {
		if c := &p.Citations[i]; c.Start != 0 || c.End != 0 {
			c.Start, c.End = c.Start+characters, c.End+characters
		}
	}
}
