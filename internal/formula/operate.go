package formula

import (
	"math"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

func (m *machine) binary(n *ast.BinaryNode) any {
	left := m.eval(n.Left)
	switch n.Operator {
	case "or", "||":
		return left.(bool) || m.eval(n.Right).(bool)
	case "and", "&&":
		return left.(bool) && m.eval(n.Right).(bool)
	case "??":
		if runtime.IsNil(left) {
			return m.eval(n.Right)
		}
		return left
	case "matches":
		return m.matches(n, left)
	}
	right := m.eval(n.Right)
	switch n.Operator {
	case "==":
		return m.equal(left, right)
	case "!=":
		return !m.equal(left, right)
	case "in":
		return m.in(left, right)
	case "..":
		return m.span(runtime.ToInt(left), runtime.ToInt(right))
	case "contains", "startsWith", "endsWith":
		return m.finds(n.Operator, left, right)
	}
	return m.reckon(n.Operator, left, right)
}

func (m *machine) reckon(operator string, left, right any) any {
	a, words := left.(string)
	b, both := right.(string)
	if words && both {
		m.read(min(len(a), len(b)))
	}
	switch operator {
	case "+":
		if words && both {
			m.countText(int64(len(a)) + int64(len(b)))
		}
		return runtime.Add(left, right)
	case "-":
		return runtime.Subtract(left, right)
	case "*":
		return runtime.Multiply(left, right)
	case "/":
		return runtime.Divide(left, right)
	case "%":
		return runtime.Modulo(left, right)
	case "**", "^":
		return runtime.Exponent(left, right)
	case "<":
		return runtime.Less(left, right)
	case ">":
		return runtime.More(left, right)
	case "<=":
		return runtime.LessOrEqual(left, right)
	case ">=":
		return runtime.MoreOrEqual(left, right)
	}
	panic("this cannot be run here")
}

// equal compares, after it was counted what that takes.
func (m *machine) equal(a, b any) bool {
	switch {
	case !plain(a) && !plain(b):
		m.weigh(a, 0)
		m.weigh(b, 0)
	default:
		m.readText(a)
	}
	return runtime.Equal(a, b)
}

// in looks for a value in a list, or for a name in an object.
func (m *machine) in(what, where any) bool {
	n := int64(lengthOf(where))
	switch {
	case plain(what):
		m.step(n)
	default:
		m.step(n * (m.weigh(what, 0)/cell + 1))
	}
	if text, ok := what.(string); ok {
		m.step(n * int64(len(text)) / 64)
	}
	return runtime.In(what, where)
}

func (m *machine) span(from, to int) []int {
	size := to - from + 1
	if to >= from && size <= 0 {
		size = math.MaxInt / cell // more than can be counted
	}
	if size > 0 {
		m.list(size)
	}
	return runtime.MakeRange(from, to)
}

func (m *machine) finds(operator string, left, right any) bool {
	if runtime.IsNil(left) || runtime.IsNil(right) {
		return false
	}
	text, part := left.(string), right.(string)
	m.read(len(text) + len(part))
	switch operator {
	case "startsWith":
		return strings.HasPrefix(text, part)
	case "endsWith":
		return strings.HasSuffix(text, part)
	}
	return strings.Contains(text, part)
}

// matches holds a text against a pattern. The worst case is each instruction at each
// byte, and some work for each byte itself.
func (m *machine) matches(n *ast.BinaryNode, left any) bool {
	re := m.program.patterns[n]
	var pattern string
	if re != nil {
		pattern = re.String()
	} else {
		right := m.eval(n.Right)
		if runtime.IsNil(left) || runtime.IsNil(right) {
			return false
		}
		pattern = right.(string)
	}
	if runtime.IsNil(left) {
		return false
	}
	m.read(len(pattern))
	weight, err := weighPattern(pattern)
	if err != nil {
		panic(err)
	}
	if re == nil {
		m.make(int64(weight) * 10 * cell)
		if re, err = regexp.Compile(pattern); err != nil {
			panic(err)
		}
	}
	var text string
	switch v := left.(type) {
	case string:
		text = v
	default:
		text = string(left.([]byte))
	}
	m.step(int64(weight) + int64(weight+8)*int64(len(text))/8)
	return re.MatchString(text)
}

func (m *machine) readText(v any) {
	if text, ok := v.(string); ok {
		m.read(len(text))
	}
}
