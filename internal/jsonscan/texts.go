package jsonscan

import "slices"

// Step is one step into a document: a member's name, or an element's index where the
// name is nil.
type Step struct {
	Name  []byte
	Index int
}

// EachText visits every string below v that is no name, in their order and in one walk,
// with the way to it. Members that enter says no to are leapt over. It ends when visit
// says no. The path is valid until visit returns.
func (v Value) EachText(enter func(name []byte) bool, visit func(path []Step, text Value) bool) {
	t := texts{b: slices.Clip(v.raw), at: v.at, enter: enter, visit: visit}
	t.path = t.room[:0]
	t.value(0)
}

type texts struct {
	b     []byte
	at    int
	enter func([]byte) bool
	visit func([]Step, Value) bool
	path  []Step
	room  [8]Step // for a path as deep as it usually is
}

// value walks over the value at i and gives its end, or -1 where the walk ends.
func (t *texts) value(i int) int {
	if i >= len(t.b) {
		return -1
	}
	switch t.b[i] {
	case '{', '[':
		if len(t.path) >= MostDepth {
			return skip(t.b, i)
		}
		return t.visitNested(i)
	case '"':
		end, _ := skipText(t.b, i)
		if !t.visit(t.path, Value{t.b[i:end], t.at + i}) {
			return -1
		}
		return end
	}
	if end := skip(t.b, i); end > i {
		return end
	}
	return -1 // no JSON
}

func (t *texts) visitNested(i int) int {
	object := t.b[i] == '{'
	depth := len(t.path)
	t.path = append(t.path, Step{})
	defer func() { t.path = t.path[:depth] }()
	for n := 0; ; n++ {
		i = skipBlank(t.b, i+1)
		if i >= len(t.b) {
			return -1
		}
		if n == 0 && (t.b[i] == '}' || t.b[i] == ']') {
			return i + 1
		}
		enters := true
		if object {
			end, escaped := skipText(t.b, i)
			name := inner(t.b[i:end])
			if escaped {
				name = unquote(name)
			}
			t.path[depth].Name = name
			enters = t.enter(name)
			i = skipBlank(t.b, skipBlank(t.b, end)+1)
		}
		t.path[depth].Index = n
		if enters {
			i = t.value(i)
		} else {
			i = skip(t.b, i)
		}
		if i < 0 {
			return -1
		}
		if i = skipBlank(t.b, i); i >= len(t.b) || t.b[i] != ',' {
			return i + 1
		}
	}
}
