package formula

import (
	"errors"
	"reflect"
	"sort"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// loop is a function with a predicate on its way through a list.
type loop struct {
	items reflect.Value
	anys  []any // the items, where they are these
	at    int
	size  int
	acc   any
}

func newLoop(list any) *loop {
	if anys, ok := list.([]any); ok {
		return &loop{anys: anys, size: len(anys)}
	}
	items := reflect.ValueOf(list)
	return &loop{items: items, size: items.Len()}
}

func (l *loop) item() any {
	if l.anys != nil {
		return l.anys[l.at]
	}
	return l.items.Index(l.at).Interface()
}

func (m *machine) pointer(name string) any {
	l := m.loops[len(m.loops)-1]
	switch name {
	case "":
		return l.item()
	case "index":
		return l.at
	case "acc":
		return l.acc
	}
	panic("there is no #" + name)
}

// iteration is what a function with a predicate does.
type iteration func(*machine, *ast.BuiltinNode, *loop) any

// looper is the function with a predicate of a name, nil for none.
func looper(name string) iteration {
	switch name {
	case "all":
		return func(m *machine, n *ast.BuiltinNode, l *loop) any { return !m.find(n, l, false) }
	case "none":
		return func(m *machine, n *ast.BuiltinNode, l *loop) any { return !m.find(n, l, true) }
	case "any":
		return func(m *machine, n *ast.BuiltinNode, l *loop) any { return m.find(n, l, true) }
	case "one":
		return func(m *machine, n *ast.BuiltinNode, l *loop) any { return m.count(n, l) == 1 }
	case "count":
		return func(m *machine, n *ast.BuiltinNode, l *loop) any { return m.count(n, l) }
	case "find", "findLast", "findIndex", "findLastIndex":
		return (*machine).findItem
	case "filter":
		return (*machine).filter
	case "map":
		return (*machine).mapEach
	case "sum":
		return (*machine).sum
	case "groupBy":
		return (*machine).groupBy
	case "sortBy":
		return (*machine).sortBy
	case "reduce":
		return (*machine).reduce
	}
	return nil
}

// iterate runs a function with a predicate.
func (m *machine) iterate(n *ast.BuiltinNode, run iteration) any {
	l := newLoop(m.eval(n.Arguments[0]))
	m.loops = append(m.loops, l)
	v := run(m, n, l)
	m.loops = m.loops[:len(m.loops)-1]
	return v
}

// ask evaluates the predicate for the item that the loop is at, or gives the item
// where there is no predicate.
func (m *machine) ask(n *ast.BuiltinNode, l *loop) any {
	m.step(1)
	if len(n.Arguments) < 2 {
		return l.item()
	}
	return m.eval(n.Arguments[1])
}

// find stops at the first item for which the predicate is as wanted.
func (m *machine) find(n *ast.BuiltinNode, l *loop, want bool) bool {
	for l.at = 0; l.at < l.size; l.at++ {
		if m.ask(n, l).(bool) == want {
			return true
		}
	}
	return false
}

// findItem finds an item or its place, from either end; nil is none.
func (m *machine) findItem(n *ast.BuiltinNode, l *loop) any {
	backwards := strings.HasPrefix(n.Name, "findLast")
	for i := range l.size {
		if l.at = i; backwards {
			l.at = l.size - 1 - i
		}
		switch {
		case !m.ask(n, l).(bool):
		case strings.HasSuffix(n.Name, "Index"):
			return l.at
		default:
			return l.item()
		}
	}
	return nil
}

func (m *machine) count(n *ast.BuiltinNode, l *loop) int {
	found := 0
	for l.at = 0; l.at < l.size; l.at++ {
		if m.ask(n, l).(bool) {
			found++
		}
	}
	return found
}

func (m *machine) filter(n *ast.BuiltinNode, l *loop) any {
	list := []any{}
	for l.at = 0; l.at < l.size; l.at++ {
		if m.ask(n, l).(bool) {
			m.make(2 * cell)
			list = append(list, l.item())
		}
	}
	return list
}

func (m *machine) mapEach(n *ast.BuiltinNode, l *loop) any {
	m.list(l.size)
	list := make([]any, l.size)
	for l.at = 0; l.at < l.size; l.at++ {
		list[l.at] = m.ask(n, l)
	}
	return list
}

func (m *machine) sum(n *ast.BuiltinNode, l *loop) any {
	var sum any = 0
	for l.at = 0; l.at < l.size; l.at++ {
		sum = m.reckon("+", m.ask(n, l), sum)
	}
	return sum
}

func (m *machine) groupBy(n *ast.BuiltinNode, l *loop) any {
	groups := make(map[any][]any)
	for l.at = 0; l.at < l.size; l.at++ {
		key := m.ask(n, l)
		m.readText(key)
		m.make(8 * cell)
		groups[key] = append(groups[key], l.item())
	}
	return groups
}

func (m *machine) sortBy(n *ast.BuiltinNode, l *loop) any {
	order := "asc"
	if len(n.Arguments) == 3 {
		text, ok := m.eval(n.Arguments[2]).(string)
		if !ok {
			panic("sortBy order argument must be a string")
		}
		order = text
	}
	if order != "asc" && order != "desc" {
		panic("unknown order, use asc or desc")
	}
	m.make(2 * cell * int64(l.size))
	by := &runtime.SortBy{Desc: order == "desc", Array: make([]any, 0, l.size), Values: make([]any, 0, l.size)}
	for l.at = 0; l.at < l.size; l.at++ {
		by.Values = append(by.Values, m.ask(n, l))
		by.Array = append(by.Array, l.item())
	}
	countSorting(m.Budget, by.Values)
	sort.Sort(by)
	return by.Array
}

func (m *machine) reduce(n *ast.BuiltinNode, l *loop) any {
	if len(n.Arguments) == 3 {
		l.acc = m.eval(n.Arguments[2])
	} else {
		if l.size == 0 {
			panic(errors.New("reduce of empty array with no initial value"))
		}
		l.acc = l.item()
		l.at++
	}
	for ; l.at < l.size; l.at++ {
		l.acc = m.ask(n, l)
	}
	return l.acc
}
