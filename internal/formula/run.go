package formula

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// Failed says that an expression came to nothing with the values it was given.
type Failed struct {
	Text    string // of the expression
	Message string
}

func (f *Failed) Error() string { return "${" + f.Text + "}: " + f.Message }

// Run gives the value of the program. The error is *Overrun where the budget does not
// suffice, *Failed where the values do not fit, or that of the budget's context.
// Values of names are texts, ints, float64s, bools, nil, lists ([]any) and objects
// (map[string]any); the program changes none of them.
func (p *Program) Run(b *Budget, names map[string]any) (v any, err error) {
	if b.ctx.Err() != nil {
		return nil, context.Cause(b.ctx)
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopped:
			v, err = nil, r.err
		default: // the library's way to say that values do not fit
			v, err = nil, &Failed{p.text, shorten(fmt.Sprint(r))}
		}
	}()
	m := &machine{Budget: b, program: p, names: names}
	v = m.eval(p.node)
	b.give(v)
	return v, nil
}

// machine is one run of a program.
type machine struct {
	*Budget

	program   *Program
	names     map[string]any
	variables []variable // of let, the innermost last
	loops     []*loop    // of functions with a predicate, the innermost last
}

type variable struct {
	name  string
	value any
}

// eval gives the value of a node. What does not fit panics, as in the library's own
// machine; what is too much as well.
func (m *machine) eval(node ast.Node) any {
	m.step(1)
	switch n := node.(type) {
	case *ast.NilNode:
		return nil
	case *ast.IdentifierNode:
		return m.lookUp(n.Value)
	case *ast.IntegerNode:
		if n.Type().Kind() == reflect.Float64 {
			return float64(n.Value)
		}
		return n.Value
	case *ast.FloatNode:
		return n.Value
	case *ast.BoolNode:
		return n.Value
	case *ast.StringNode:
		return n.Value
	case *ast.BytesNode:
		return n.Value
	case *ast.UnaryNode:
		return unary(n.Operator, m.eval(n.Node))
	case *ast.BinaryNode:
		return m.binary(n)
	case *ast.ChainNode, *ast.MemberNode, *ast.SliceNode:
		v, _ := m.chain(n)
		return v
	case *ast.BuiltinNode:
		return m.builtin(n)
	case *ast.PredicateNode:
		return m.eval(n.Node)
	case *ast.PointerNode:
		return m.pointer(n.Name)
	case *ast.ConditionalNode:
		return m.conditional(n)
	case *ast.VariableDeclaratorNode:
		m.variables = append(m.variables, variable{n.Name, m.eval(n.Value)})
		v := m.eval(n.Expr)
		m.variables = m.variables[:len(m.variables)-1]
		return v
	case *ast.SequenceNode:
		var v any
		for _, part := range n.Nodes {
			v = m.eval(part)
		}
		return v
	case *ast.ArrayNode:
		m.list(len(n.Nodes))
		list := make([]any, len(n.Nodes))
		for i, item := range n.Nodes {
			list[i] = m.eval(item)
		}
		return list
	case *ast.MapNode:
		return m.object(n)
	}
	panic("this cannot be run here")
}

func (m *machine) lookUp(name string) any {
	for _, v := range slices.Backward(m.variables) {
		if v.name == name {
			return v.value
		}
	}
	if name == "$env" {
		return m.names
	}
	return m.names[name]
}

func (m *machine) conditional(n *ast.ConditionalNode) any {
	on := m.eval(n.Cond).(bool)
	switch {
	case on && n.Exp1 == n.Cond: // a ?: b
		return true
	case on:
		return m.eval(n.Exp1)
	}
	return m.eval(n.Exp2)
}

func (m *machine) object(n *ast.MapNode) any {
	m.make(int64(len(n.Pairs)) * 4 * cell)
	object := make(map[string]any, len(n.Pairs))
	for _, p := range n.Pairs {
		pair := p.(*ast.PairNode)
		key := m.eval(pair.Key)
		object[key.(string)] = m.eval(pair.Value)
	}
	return object
}

// chain gives the value of a.b?.c[d]. cut says that nothing stands before a ?. and
// that all that follows in the chain is left out.
func (m *machine) chain(node ast.Node) (v any, cut bool) {
	switch n := node.(type) {
	case *ast.ChainNode:
		v, _ = m.chain(n.Node)
		if runtime.IsNil(v) {
			return nil, false
		}
		return v, false
	case *ast.MemberNode:
		m.step(1)
		from, cut := m.chain(n.Node)
		if cut || n.Optional && runtime.IsNil(from) {
			return nil, true
		}
		return m.fetch(from, m.eval(n.Property)), false
	case *ast.SliceNode:
		m.step(1)
		from, cut := m.chain(n.Node)
		if cut {
			return nil, true
		}
		return m.slice(n, from), false
	}
	return m.eval(node), false
}

func (m *machine) fetch(from, at any) any {
	if object, ok := from.(map[string]any); ok {
		if name, ok := at.(string); ok {
			return object[name]
		}
	}
	if !plain(at) { // what goes wrong is printed with it
		panic(fmt.Sprintf("cannot fetch %T from %T", at, from))
	}
	return runtime.Fetch(from, at)
}

func (m *machine) slice(n *ast.SliceNode, from any) any {
	var end any
	begin := any(0)
	if n.To != nil {
		end = m.eval(n.To)
	} else {
		end = runtime.Len(from)
	}
	if n.From != nil {
		begin = m.eval(n.From)
	}
	return runtime.Slice(from, runtime.ToInt(begin), runtime.ToInt(end))
}

func unary(operator string, v any) any {
	switch operator {
	case "!", "not":
		return !v.(bool)
	case "-":
		return runtime.Negate(v)
	}
	return v // +
}
