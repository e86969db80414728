package jsonscan

import "strings"

// Pieces sees JSON go by in pieces and knows when the value that began first is complete. It
// does not check the JSON: what is wrong may never be whole.
type Pieces struct {
	depth           int
	begun, object   bool
	quoted, escaped bool
}

// Add takes a piece.
func (p *Pieces) Add(text string) {
	for i := range len(text) {
		switch c := text[i]; {
		case p.escaped:
			p.escaped = false
		case p.quoted:
			p.escaped, p.quoted = c == '\\', c != '"'
		case c == '"':
			p.quoted, p.begun = true, true
		case c == '{' || c == '[':
			p.depth++
			p.begun, p.object = true, p.object || c == '{'
		case c == '}' || c == ']':
			p.depth--
		}
	}
}

// AddObject takes a piece as far as the object goes that began first, and gives how much of it that is.
func (p *Pieces) AddObject(text string) int {
	for from := 0; ; {
		end := strings.IndexByte(text[from:], '}')
		if end < 0 {
			p.Add(text[from:])
			return len(text)
		}
		p.Add(text[from : from+end+1])
		if from += end + 1; p.HasWholeObject() {
			return from
		}
	}
}

// IsWhole reports whether an object, an array or a string was begun, and nothing of it is open.
func (p *Pieces) IsWhole() bool { return p.begun && p.depth <= 0 && !p.quoted }

// HasObject reports whether an object was begun.
func (p *Pieces) HasObject() bool { return p.object }

// HasWholeObject reports whether an object was begun, and nothing is open.
func (p *Pieces) HasWholeObject() bool { return p.object && p.IsWhole() }
