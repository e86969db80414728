package provider

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/dialect"
)

// editor changes members of a JSON object and leaves every other byte as it is.
// A body that is no valid JSON stays as it is altogether.
type editor struct {
	body  []byte
	edits []Edit
	paths [][]string // of the edits; nil: it does not count here
	done  []bool     // which edits have changed something
	old   [][]byte   // what was there
	cuts  []cut
}

// cut is some bytes and what comes in their place.
type cut struct {
	from, to int
	text     []byte
}

// member is one of an object's: where its name and its value are.
type member struct {
	from, colon int // its name, and what follows it
	at, to      int // its value
	name        string
	gone        bool
}

func newEditor(body []byte, edits []Edit, counts func(*Edit) bool) *editor {
	e := &editor{
		body: body, edits: edits,
		paths: make([][]string, len(edits)), done: make([]bool, len(edits)), old: make([][]byte, len(edits)),
	}
	for i := range edits {
		if counts(&edits[i]) {
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
	if len(live) == 0 || !gjson.ValidBytes(e.body) {
		return e.body
	}
	at := skipSpace(e.body, 0)
	if at >= len(e.body) || e.body[at] != '{' {
		return e.body
	}
	end, empty := e.object(at, 0, live)
	e.add(end, empty)
	if len(e.cuts) == 0 {
		return e.body
	}
	slices.SortStableFunc(e.cuts, func(a, b cut) int { return a.from - b.from })
	out := make([]byte, 0, len(e.body)+64)
	from := 0
	for _, c := range e.cuts {
		out = append(append(out, e.body[from:c.from]...), c.text...)
		from = c.to
	}
	return append(out, e.body[from:]...)
}

// object looks at the object that begins at from for what the edits name at a
// depth, and returns where it ends and whether nothing is left in it.
func (e *editor) object(from, depth int, live []int) (end int, empty bool) {
	list, end := members(e.body, from)
	for i := range list {
		m := &list[i]
		deeper := make([]int, 0, len(live))
		for _, n := range live {
			switch p := e.paths[n]; {
			case p[depth] != m.name || m.gone:
			case len(p) == depth+1:
				e.change(n, m, list)
			default:
				deeper = append(deeper, n)
			}
		}
		if len(deeper) > 0 && !m.gone {
			e.inside(m.at, depth+1, deeper)
		}
	}
	e.remove(list)
	return end, !slices.ContainsFunc(list, func(m member) bool { return !m.gone })
}

// inside looks into a value: an object, or every element of a list.
func (e *editor) inside(at, depth int, live []int) {
	switch e.body[at] {
	case '{':
		e.object(at, depth, live)
	case '[':
		var list []int
		for _, n := range live {
			if p := e.paths[n]; p[depth] == "#" && len(p) > depth+1 {
				list = append(list, n)
			}
		}
		if len(list) == 0 {
			return
		}
		for i := skipSpace(e.body, at+1); e.body[i] != ']'; {
			e.inside(i, depth+1, list)
			i = skipSpace(e.body, skipValue(e.body, i))
			if e.body[i] == ',' {
				i = skipSpace(e.body, i+1)
			}
		}
	}
}

// change makes one edit of one member.
func (e *editor) change(n int, m *member, beside []member) {
	edit, value := &e.edits[n], e.body[m.at:m.to]
	left := edit.Name == "" && edit.Value == "" && edit.Digits == 0
	twin := func(b member) bool { return b.name == edit.Name && b.from != m.from }
	switch null := string(value) == "null"; {
	case !bytes.HasPrefix(value, []byte(edit.Is)):
		return
	case null && !edit.Add: // it asks for nothing
		m.gone = left
		return
	case edit.Digits > 0:
		var id string
		if json.Unmarshal(value, &id) != nil || short(id, edit.Digits) == id {
			return
		}
		e.cuts = append(e.cuts, cut{m.at, m.to, dialect.AppendText(nil, short(id, edit.Digits))})
	case left, edit.Name != "" && slices.ContainsFunc(beside, twin):
		m.gone = true
	default:
		if edit.Name != "" {
			e.cuts = append(e.cuts, cut{m.from, m.colon, dialect.AppendText(nil, edit.Name)})
		}
		if edit.Value != "" {
			e.cuts = append(e.cuts, cut{m.at, m.to, []byte(edit.Value)})
		}
	}
	e.done[n], e.old[n] = true, value
}

// remove cuts out the members that are gone, each with its comma.
func (e *editor) remove(list []member) {
	last := -1 // that stays
	for i := range list {
		if !list[i].gone {
			last = i
		}
	}
	for i := range list {
		switch {
		case i < last && list[i].gone:
			e.cuts = append(e.cuts, cut{from: list[i].from, to: list[i+1].from})
		case i == last+1 && last >= 0:
			e.cuts = append(e.cuts, cut{from: list[last].to, to: list[len(list)-1].to})
		case i == last+1:
			e.cuts = append(e.cuts, cut{from: list[0].from, to: list[len(list)-1].to})
		}
	}
}

// add puts members at the end of the body that were not there.
func (e *editor) add(end int, empty bool) {
	var more []byte
	for i := range e.edits {
		if e.paths[i] == nil || !e.edits[i].Add || e.done[i] {
			continue
		}
		if !empty {
			more = append(more, ',')
		}
		more = append(dialect.AppendText(more, e.edits[i].Path), ':')
		more = append(more, e.edits[i].Value...)
		e.done[i], empty = true, false
	}
	if more != nil {
		e.cuts = append(e.cuts, cut{end - 1, end - 1, more})
	}
}

// members are those of the object that begins at from, and where it ends.
func members(b []byte, from int) (list []member, end int) {
	i := skipSpace(b, from+1)
	for b[i] != '}' {
		m := member{from: i}
		m.colon = skipValue(b, i)
		m.name = unquoted(b[m.from:m.colon])
		m.at = skipSpace(b, skipSpace(b, m.colon)+1)
		m.to = skipValue(b, m.at)
		list = append(list, m)
		if i = skipSpace(b, m.to); b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return list, i + 1
}

func unquoted(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b[1 : len(b)-1])
	}
	var text string
	_ = json.Unmarshal(b, &text)
	return text
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skipValue is where the value that begins at i ends.
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipText(b, i)
	case '{', '[':
		for depth := 0; ; i++ {
			switch b[i] {
			case '"':
				i = skipValue(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(b) && !strings.ContainsRune(",]} \t\r\n", rune(b[i])) {
		i++
	}
	return i
}

// skipText is where the string that begins at i ends. Pictures make long ones.
func skipText(b []byte, i int) int {
	from := i + 1
	for at := from; ; at++ {
		at += bytes.IndexByte(b[at:], '"')
		escapes := 0
		for at-escapes > from && b[at-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at + 1
		}
	}
}
