package jsonscan

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Allow is what a walk lets pass that is no strict JSON.
type Allow byte

// What can be let pass. Strict is none of it; Lenient is all, for what others sent
// and only reading is needed.
const (
	LoneSurrogates Allow = 1 << iota // half a surrogate pair in an escape, as clients make that cut a text
	BadUTF8                          // bytes that are not UTF-8 in strings
	Duplicates                       // members of the same name in an object

	Strict  Allow = 0
	Lenient       = LoneSurrogates | BadUTF8 | Duplicates
)

// MostDepth is how deep objects and arrays may lie in each other.
const MostDepth = 10_000

// Scan is one walk over a document. The zero Scan is strict and looks for nothing.
type Scan struct {
	Allow   Allow
	Needles *Needles // what is looked for in all strings, or nil

	// Text is told every string that is no name, with the name of the member that it is
	// in, itself or in lists: "" where there is none. It may be nil.
	Text func(name string, text Value)
}

// Report is what a walk has seen.
type Report struct {
	Root    Value
	Values  int // about how many values there are: one, and one more for each comma and each bracket that opens
	Escaped int // bytes in strings and names with escapes

	found  uint64
	hidden uint64 // by escapes
}

// Found reports whether a needle occurs, by its index.
func (r *Report) Found(needle int) bool { return (r.found|r.hidden)>>needle&1 == 1 }

// FoundAny reports whether any needle occurs.
func (r *Report) FoundAny() bool { return r.found|r.hidden != 0 }

// Hidden reports whether a needle occurs somewhere that is not to be seen in the bytes:
// some of it is written with escapes.
func (r *Report) Hidden(needle int) bool { return r.hidden>>needle&1 == 1 }

// Error says why a document was refused, in words for the client who sent it.
type Error struct {
	Offset int // of the byte that was wrong
	Reason string
	Twice  string // the member that is there twice, as in messages[0].role; "" where that is not what is wrong
}

func (e *Error) Error() string { return e.Reason }

// Valid reports whether doc is one value with nothing but white space around it.
func Valid(doc []byte, allow Allow) bool {
	_, wrong := Scan{Allow: allow}.walk(doc, nil)
	return wrong.at < 0
}

// Parse is the value that doc is, or an *Error.
func Parse(doc []byte, allow Allow) (Value, error) {
	r, err := Scan{Allow: allow}.Walk(doc, nil)
	return r.Root, err
}

// Walk goes over the document once, from its first byte to its last, and tells member,
// unless it is nil, those of the outermost object. What it refuses is an *Error; member
// may have been told something before.
func (s Scan) Walk(doc []byte, member func(Key, Value)) (Report, error) {
	r, wrong := s.walk(doc, member)
	if wrong.at >= 0 {
		e := refusal(doc, s.Allow, wrong)
		e.Offset = wrong.at
		return Report{}, e
	}
	return r, nil
}

// mistake is what is wrong with a document.
type mistake struct {
	at    int  // -1: nothing is
	twice bool // a member is there twice
	many  bool // there are more members than are taken
}

// walk gives what was seen, and what is wrong.
func (s Scan) walk(doc []byte, member func(Key, Value)) (Report, mistake) {
	doc = doc[:len(doc):len(doc)]
	w := walker{b: doc, allow: s.Allow, needles: s.Needles, told: s.Text, values: 1}
	from, to := skipBlank(doc, 0), 0
	if from < len(doc) && doc[from] == '{' {
		to = w.object(from, 1, member)
	} else {
		to = w.value(from, 1)
	}
	if to < 0 {
		return Report{}, w.mistake
	}
	if end := skipBlank(doc, to); end < len(doc) {
		return Report{}, mistake{at: end}
	}
	if s.Needles != nil {
		w.found |= s.Needles.findInside(doc)
	}
	return Report{Root: Value{doc[from:to], from}, Values: w.values, Escaped: w.escaped, found: w.found, hidden: w.hidden}, mistake{at: -1}
}

// refusal finds the words for what is wrong. They are those of jsontext, which clients
// have always been told; it takes its time, but only bad documents pay for it. Names are
// compared only where one is there twice: jsontext has each of them in memory.
func refusal(doc []byte, allow Allow, wrong mistake) *Error {
	if wrong.many {
		return &Error{Reason: "its objects have more members than are taken"}
	}
	if !wrong.twice {
		allow |= Duplicates
	}
	if len(bytes.TrimSpace(doc)) == 0 {
		return &Error{Reason: "it is empty"}
	}
	if allow&BadUTF8 == 0 && !utf8.Valid(doc) {
		return &Error{Reason: "it is not UTF-8"}
	}
	d := jsontext.NewDecoder(bytes.NewReader(doc),
		jsontext.AllowInvalidUTF8(allow&(LoneSurrogates|BadUTF8) != 0), jsontext.AllowDuplicateNames(allow&Duplicates != 0))
	for {
		if _, err := d.ReadToken(); err != nil {
			e := &Error{Reason: strings.TrimPrefix(err.Error(), "jsontext: ")}
			if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
				e.Twice = pathOf(wrong.JSONPointer)
			}
			return e
		}
	}
}

// pathOf is a pointer in the words of those who wrote the document: messages[0].role.
func pathOf(p jsontext.Pointer) string {
	var b strings.Builder
	for name := range p.Tokens() {
		switch _, err := strconv.Atoi(name); {
		case err == nil:
			b.WriteString("[" + name + "]")
		case b.Len() > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}
