package formula

import (
	"fmt"
	"regexp"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
)

// measurer finds how much work the checker has with a tree before it has it. The
// parser hangs one node into two places for `a ?: b` and `a < b < c`, and the checker
// looks at the arguments of a function once for each of its forms: both multiply from
// level to level.
type measurer struct {
	nodes, visits int
	weights       int // of the patterns
	patterns      map[ast.Node]*regexp.Regexp
}

var errTangled = &Error{Message: "this is too much to check: it says the same too often"}

func (m *measurer) measure(root ast.Node) error { return m.visit(root, 1) }

// visit looks at a node that the checker looks at so many times.
func (m *measurer) visit(node ast.Node, times int) error {
	m.nodes++
	m.visits += times
	if m.visits > mostVisits || m.nodes > 2*MostNodes {
		return errTangled
	}
	if b, ok := node.(*ast.BinaryNode); ok && b.Operator == "matches" {
		if err := m.measurePattern(b); err != nil {
			return err
		}
	}
	if b, ok := node.(*ast.BuiltinNode); ok {
		if !isCounted(b.Name) {
			return &Error{Message: fmt.Sprintf("there is no function %s here", b.Name)}
		}
		times *= forms(b.Name)
	}
	children, err := children(node)
	if err != nil {
		return err
	}
	for _, child := range children {
		if child == nil {
			continue
		}
		if err := m.visit(child, times); err != nil {
			return err
		}
	}
	return nil
}

// measurePattern compiles a pattern that is written out.
func (m *measurer) measurePattern(b *ast.BinaryNode) error {
	text, ok := b.Right.(*ast.StringNode)
	if !ok || m.patterns[b] != nil {
		return nil
	}
	n, err := weighPattern(text.Value)
	if err != nil {
		return &Error{Message: shorten(err.Error())}
	}
	if m.weights += n; m.weights > mostAllPatterns {
		return &Error{Message: "the patterns together are too large"}
	}
	re, err := regexp.Compile(text.Value)
	if err != nil {
		return &Error{Message: shorten(err.Error())}
	}
	m.patterns[b] = re
	return nil
}

// forms is how often the checker looks at the arguments of a function.
func forms(name string) int {
	i, ok := builtin.Index[name]
	if !ok {
		return 1
	}
	return max(1, len(builtin.Builtins[i].Types))
}

// children are the nodes right below one. A sort of node that is not known is
// refused: what cannot be measured cannot be counted either.
func children(node ast.Node) ([]ast.Node, error) {
	switch n := node.(type) {
	case *ast.NilNode, *ast.IdentifierNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.BytesNode, *ast.PointerNode:
		return nil, nil
	case *ast.UnaryNode:
		return []ast.Node{n.Node}, nil
	case *ast.BinaryNode:
		return []ast.Node{n.Left, n.Right}, nil
	case *ast.ChainNode:
		return []ast.Node{n.Node}, nil
	case *ast.MemberNode:
		return []ast.Node{n.Node, n.Property}, nil
	case *ast.SliceNode:
		return []ast.Node{n.Node, n.From, n.To}, nil
	case *ast.CallNode:
		return append([]ast.Node{n.Callee}, n.Arguments...), nil
	case *ast.BuiltinNode:
		return n.Arguments, nil
	case *ast.PredicateNode:
		return []ast.Node{n.Node}, nil
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}, nil
	case *ast.VariableDeclaratorNode:
		return []ast.Node{n.Value, n.Expr}, nil
	case *ast.SequenceNode:
		return n.Nodes, nil
	case *ast.ArrayNode:
		return n.Nodes, nil
	case *ast.MapNode:
		return n.Pairs, nil
	case *ast.PairNode:
		return []ast.Node{n.Key, n.Value}, nil
	}
	return nil, &Error{Message: "this cannot be understood here"}
}
