package manifest

import (
	"iter"
	"reflect"
)

// Kind is what a value in a file is.
type Kind int

// The kinds of value.
const (
	Null    Kind = iota // nothing, null or ~: counts as absent
	Bool                // true or false
	Int                 // a whole number
	Float               // any other number
	Text                // text, quoted or not
	List                // a list
	Mapping             // keys and values
)

// String returns the kind as reports name it: "a whole number".
func (k Kind) String() string {
	return [...]string{"nothing", "true or false", "a whole number", "a number", "text", "a list", "a mapping"}[k]
}

// Unmarshaler is implemented by types that read a value themselves, mostly because
// it may be written in two ways. Problems go to the node; there is no error to
// return. It is not called for null.
type Unmarshaler interface {
	UnmarshalManifest(n *Node)
}

// Node is one value in a file, with its place.
type Node struct {
	doc    *Doc
	parent *Node
	step   any // the key or position under parent
	depth  int

	kind     Kind
	text     string // scalars, as written, quotes and escapes undone
	expanded bool   // text that holds the value of a variable
	loose    bool   // the same without quotes: any scalar kind will do
	bad      bool   // reported already
	items    []*Node
	entries  []entry

	line, column       int
	keyLine, keyColumn int // 0 outside mappings
}

type entry struct {
	key   string
	value *Node
}

// Kind returns what the value is.
func (n *Node) Kind() Kind { return n.kind }

// Text returns a scalar as it is written in the file, without quotes and with its
// variables replaced; it is empty for null, lists and mappings.
func (n *Node) Text() string { return n.text }

// Decode reads the value into what into points to, as the package function does.
// Called from UnmarshalManifest, into must have another type than the method's
// receiver, or it would call itself.
func (n *Node) Decode(into any) { n.decode(reflect.ValueOf(into).Elem()) }

// Items returns the values of a list. Anything else is reported and empty.
func (n *Node) Items() iter.Seq2[int, *Node] {
	if n.kind != List {
		n.complain("a list")
	}
	return func(yield func(int, *Node) bool) {
		for i, item := range n.items {
			if !yield(i, item) {
				return
			}
		}
	}
}

// Entries returns keys and values of a mapping in the order of the file. Anything
// else is reported and empty.
func (n *Node) Entries() iter.Seq2[string, *Node] {
	if n.kind != Mapping {
		n.complain("a mapping")
	}
	return func(yield func(string, *Node) bool) {
		for _, e := range n.entries {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

// Report reports something wrong with the value. The message follows its path and
// a colon. Only the first problem of a value is reported.
func (n *Node) Report(format string, args ...any) {
	if !n.bad {
		n.report(format, args...)
	}
}

func (n *Node) report(format string, args ...any) {
	p := problemAt(n.path(), format, args...)
	p.File = n.doc.file
	p.Line, p.Column = n.position()
	n.doc.problems = append(n.doc.problems, p)
	n.bad = true
}

func (n *Node) complain(expected string) { n.Report("expected %s, found %s", expected, n.kind) }

// position returns where people look for the value: a scalar where it stands, all
// else at its key.
func (n *Node) position() (line, column int) {
	scalar := n.kind != Null && n.kind != List && n.kind != Mapping
	if scalar || n.keyLine == 0 {
		return n.line, n.column
	}
	return n.keyLine, n.keyColumn
}

func (n *Node) path() Path {
	if n.parent == nil {
		return nil
	}
	return n.parent.path().Add(n.step)
}

func (n *Node) child(step any) *Node {
	switch step := step.(type) {
	case string:
		for _, e := range n.entries {
			if e.key == step {
				return e.value
			}
		}
	case int:
		if step >= 0 && step < len(n.items) {
			return n.items[step]
		}
	}
	return nil
}
