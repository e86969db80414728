package formula

import (
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

// functions counts what each function takes, before it is called. What is neither
// here nor in looper does not exist: a function that a new version of the library
// brings stays off until it is counted. now, date, duration and timezone stay off for
// good: an expression is evaluated again whenever a run is looked at, and must give
// the same each time.
var functions = map[string]func(b *Budget, args []any){
	"len": text(0), "type": countFlat, "abs": countFlat, "ceil": countFlat, "floor": countFlat, "round": countFlat, "int": text(0), "float": text(0),
	"first": countFlat, "last": countFlat, "get": countIndex, "take": countFlat,
	"bitand": countFlat, "bitor": countFlat, "bitxor": countFlat, "bitnand": countFlat, "bitshl": countFlat, "bitshr": countFlat, "bitushr": countFlat, "bitnot": countFlat,

	"trim": text(0), "trimPrefix": text(0), "trimSuffix": text(0), "upper": text(2), "lower": text(2), "toBase64": text(2), "fromBase64": text(1),
	"indexOf": text(0), "lastIndexOf": text(0), "hasPrefix": text(0), "hasSuffix": text(0),
	"split": split, "splitAfter": split, "replace": replace, "repeat": repeat, "join": join,
	"string": countWritten, "toJSON": countWritten, "fromJSON": parse,

	"max": countWhole(0), "min": countWhole(0), "mean": countWhole(0), "median": countWhole(1),
	"keys": items(1), "values": items(1), "toPairs": items(4), "fromPairs": countWhole(8), "reverse": items(1), "concat": items(2), "flatten": countWhole(2),
	"uniq": countUniq, "sort": countSorted,
}

// isCounted reports whether a function exists here.
func isCounted(name string) bool { return functions[name] != nil || looper(name) != nil }

func (m *machine) builtin(n *ast.BuiltinNode) any {
	if run := looper(n.Name); run != nil {
		return m.iterate(n, run)
	}
	args := make([]any, len(n.Arguments))
	for i, arg := range n.Arguments {
		args[i] = m.eval(arg)
	}
	functions[n.Name](m.Budget, args)
	f := builtin.Builtins[builtin.Index[n.Name]]
	var v any
	var err error
	switch {
	case f.Fast != nil:
		v = f.Fast(args[0])
	case f.Safe != nil:
		v, _, err = f.Safe(args...)
	default:
		v, err = f.Func(args...)
	}
	if err != nil {
		panic(err)
	}
	if made, ok := v.(string); ok && len(made) > LongestMade {
		m.countText(int64(len(made)))
	}
	return v
}

// countFlat counts for what looks at its arguments from outside.
func countFlat(*Budget, []any) {}

// countIndex counts for what prints its second argument where it does not fit.
func countIndex(b *Budget, args []any) {
	for _, arg := range args[1:] {
		b.weigh(arg, 0)
	}
}

// text is for what goes over texts and makes one of up to so many times their length.
func text(times int64) func(*Budget, []any) {
	return func(b *Budget, args []any) {
		for _, arg := range args {
			if t, ok := arg.(string); ok {
				b.read(2 * len(t))
				b.make(times * int64(len(t)))
			}
		}
	}
}

// items is for what makes a list of the items of its arguments.
func items(times int64) func(*Budget, []any) {
	return func(b *Budget, args []any) {
		for _, arg := range args {
			n := lengthOf(arg)
			b.make(times * cell * int64(n))
			b.step(int64(n))
		}
	}
}

// countWhole counts for what goes to the bottom of its arguments.
func countWhole(times int64) func(*Budget, []any) {
	return func(b *Budget, args []any) {
		for _, arg := range args {
			n := b.weigh(arg, 0)
			b.step(n / cell)
			b.make(times * n)
		}
	}
}

func split(b *Budget, args []any) {
	s, sep := args[0].(string), args[1].(string)
	b.read(2 * len(s))
	pieces := strings.Count(s, sep) + 1
	if sep == "" {
		pieces = utf8.RuneCountInString(s)
	}
	b.list(pieces)
}

func replace(b *Budget, args []any) {
	s, old, with := args[0].(string), args[1].(string), args[2].(string)
	b.read(2 * len(s))
	n := strings.Count(s, old)
	if len(args) == 4 {
		if most := runtime.ToInt(args[3]); most >= 0 {
			n = min(n, most)
		}
	}
	b.countText(int64(len(s)) + int64(n)*int64(len(with)-len(old)))
	b.step(int64(n))
}

func repeat(b *Budget, args []any) {
	s, n := args[0].(string), runtime.ToInt(args[1])
	if n > 0 && len(s) > 0 {
		if n > LongestMade/len(s) {
			b.countText(LongestMade + 1)
		}
		b.countText(int64(n) * int64(len(s)))
	}
}

func join(b *Budget, args []any) {
	glue, n := 0, lengthOf(args[0])
	if len(args) == 2 {
		glue = len(args[1].(string))
	}
	b.list(2 * n)
	size := int64(glue) * int64(max(0, n-1))
	switch list := args[0].(type) {
	case []string:
		for _, t := range list {
			size += int64(len(t))
		}
	case []any:
		for _, v := range list {
			t, _ := v.(string)
			size += int64(len(t))
		}
	}
	b.countText(size)
}

// countWritten counts for what writes a value out, with quotes and indents.
func countWritten(b *Budget, args []any) {
	for _, arg := range args {
		n := b.measureWritten(arg, 0)
		b.countText(n)
		b.make(2 * n) // the library's buffers
	}
}

// measureWritten says how long a value is as JSON with indents, at most.
func (b *Budget) measureWritten(v any, depth int) int64 {
	b.step(1)
	if depth > deepest {
		b.refuse("this is nested more than %d deep", deepest)
	}
	line := int64(2*depth + 4)
	switch v := v.(type) {
	case string:
		b.read(len(v))
		return line + int64(len(v)) + escapes(v)
	case []any:
		n := 2 * line
		for _, item := range v {
			n += b.measureWritten(item, depth+1)
		}
		return n
	case map[string]any:
		n := 2 * line
		for name, item := range v {
			n += int64(len(name)) + escapes(name) + 4 + b.measureWritten(item, depth+1)
		}
		return n
	}
	if plain(v) {
		return line + 24
	}
	n := b.weigh(v, depth) // lists of one sort, and what groupBy makes: 16 bytes and more for each item
	return line + n*(line/cell+2)
}

// escapes is how many bytes more a text has as JSON.
func escapes(s string) int64 {
	var n int64
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			n++
		case c < ' ', c == '<', c == '>', c == '&':
			n += 5
		case c >= 0x80: // U+2028 and what is no text
			n++
		}
	}
	return n
}

// parse is for what reads JSON: objects take far more memory than their text.
func parse(b *Budget, args []any) {
	s := args[0].(string)
	b.read(4 * len(s))
	n := int64(len(s))
	for i := range len(s) {
		switch s[i] {
		case '{':
			n += 24 * cell
		case '[', ',':
			n += 4 * cell
		}
	}
	b.make(n)
}

func countUniq(b *Budget, args []any) {
	n, size := int64(lengthOf(args[0])), b.weigh(args[0], 0)
	b.step(n*n/8 + n*(size/cell)/16)
	b.make(2 * cell * n)
}

func countSorted(b *Budget, args []any) {
	b.list(lengthOf(args[0]))
	switch list := args[0].(type) {
	case []any:
		countSorting(b, list)
	case []string:
		countSorting(b, list)
	default:
		b.step(64 * int64(lengthOf(list)))
	}
}

// countSorting counts what it takes to sort values.
func countSorting[T any](b *Budget, values []T) {
	var bytes, rounds int64 = 0, 1
	for _, v := range values {
		if text, ok := any(v).(string); ok {
			bytes += int64(len(text))
		}
	}
	for n := len(values); n > 1; n /= 2 {
		rounds++
	}
	b.step(rounds * (int64(len(values)) + bytes/32))
}
