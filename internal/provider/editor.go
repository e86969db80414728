package provider

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// editor changes members of a JSON object and leaves every other byte as it is.
// A body that is no valid JSON stays as it is altogether.
type editor struct {
	body    []byte
	edits   []Edit
	paths   [][]string // of the edits; nil: it does not count here
	done    []bool     // which edits have changed something
	old     [][]byte   // what was there
	changes jsonscan.Edits
}

// member is one of an object's.
type member struct {
	key   jsonscan.Key
	value jsonscan.Value
	gone  bool
}

func newEditor(body []byte, edits []Edit, counts func(Edit) bool) *editor {
	e := &editor{
		body: body, edits: edits,
		paths: make([][]string, len(edits)), done: make([]bool, len(edits)), old: make([][]byte, len(edits)),
	}
	for i := range edits {
		if counts(edits[i]) {
			e.paths[i] = strings.Split(edits[i].Path, ".")
		}
	}
	return e
}

// apply is the body with all edits made.
func (e *editor) apply() []byte {
	live := make([]int, 0, len(e.edits))
	for i, p := range e.paths {
		if p != nil {
			live = append(live, i)
		}
	}
	if len(live) == 0 {
		return e.body
	}
	root, err := jsonscan.Parse(e.body, jsonscan.Lenient)
	if err != nil || root.Kind() != jsonscan.Object {
		return e.body
	}
	e.editObject(root, 0, live)
	for _, i := range live {
		if e.edits[i].Add && !e.done[i] {
			e.changes.Append(root, e.edits[i].Path, []byte(e.edits[i].Value))
			e.done[i] = true
		}
	}
	edited, err := e.changes.Apply(e.body)
	if err != nil {
		return e.body // two edits of one member: the table of kinds has none
	}
	return edited
}

// editObject looks at an object for what the edits name at a depth.
func (e *editor) editObject(v jsonscan.Value, depth int, live []int) {
	var list []member
	for key, value := range v.Members() {
		list = append(list, member{key: key, value: value})
	}
	for i := range list {
		m := &list[i]
		deeper := make([]int, 0, len(live))
		for _, n := range live {
			switch p := e.paths[n]; {
			case p[depth] != m.key.Name || m.gone:
			case len(p) == depth+1:
				e.change(n, m, list)
			default:
				deeper = append(deeper, n)
			}
		}
		switch {
		case m.gone:
			e.changes.Remove(m.key, m.value)
		case len(deeper) > 0:
			e.editInside(m.value, depth+1, deeper)
		}
	}
}

// editInside looks into a value: an object, or every element of a list.
func (e *editor) editInside(v jsonscan.Value, depth int, live []int) {
	e.editObject(v, depth, live)
	var list, whole []int
	for _, n := range live {
		switch p := e.paths[n]; {
		case p[depth] != "#":
		case len(p) > depth+1:
			list = append(list, n)
		default:
			whole = append(whole, n)
		}
	}
	if len(list)+len(whole) == 0 {
		return
	}
	for _, element := range v.Elements() {
		for _, n := range whole {
			e.remake(n, element)
		}
		if len(list) > 0 {
			e.editInside(element, depth+1, list)
		}
	}
}

// remake makes an edit of an element of a list as a whole.
func (e *editor) remake(n int, element jsonscan.Value) {
	if made := e.edits[n].Make(element); made != nil {
		e.changes.Replace(element, made)
		e.done[n] = true
	}
}

// change makes one edit of one member.
func (e *editor) change(n int, m *member, beside []member) {
	edit, value := &e.edits[n], m.value.Raw()
	left := edit.Name == "" && edit.Value == "" && edit.Digits == 0
	twin := func(b member) bool { return b.key.Name == edit.Name && b.key.From != m.key.From }
	switch {
	case !bytes.HasPrefix(value, []byte(edit.Is)):
		return
	case m.value.Absent() && !edit.Add: // it asks for nothing
		m.gone = left
		return
	case edit.Digits > 0:
		id := m.value.View()
		if m.value.Kind() != jsonscan.String || dialect.ShortID(id, edit.Digits) == id {
			return
		}
		e.changes.ReplaceText(m.value, dialect.ShortID(id, edit.Digits))
	case left, edit.Name != "" && slices.ContainsFunc(beside, twin):
		m.gone = true
	default:
		if edit.Name != "" {
			e.changes.Rename(m.key, edit.Name)
		}
		if edit.Value != "" {
			e.changes.Replace(m.value, []byte(edit.Value))
		}
	}
	e.done[n], e.old[n] = true, value
}
