package formula_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/expr-lang/expr/builtin"

	"stele/internal/formula"
)

// FuzzExpressions makes expressions of the grammar and of bytes. Whatever they are,
// they end within their budget, with a value or an error.
func FuzzExpressions(f *testing.F) {
	for i, text := range same {
		f.Add(uint64(i), text)
	}
	for _, text := range greedy {
		f.Add(uint64(len(text)), text)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		try(t, text)
		try(t, (&writer{rand.New(rand.NewPCG(seed, uint64(len(text))))}).expression(6)) //nolint:gosec // no secret is made of it
	})
}

// TestExpressionsOfTheGrammarEnd is the same without fuzzing.
func TestExpressionsOfTheGrammarEnd(t *testing.T) {
	t.Parallel()
	fine := 0
	for seed := range uint64(3000) {
		if try(t, (&writer{rand.New(rand.NewPCG(seed, 1))}).expression(5)) { //nolint:gosec // no secret is made of it
			fine++
		}
	}
	if fine < 100 {
		t.Errorf("only %d had a value", fine)
	}
}

func try(t *testing.T, text string) (fine bool) {
	t.Helper()
	_, err := run(t, text)
	var wrong *formula.Error
	var over *formula.Overrun
	var failed *formula.Failed
	if err != nil && !errors.As(err, &wrong) && !errors.As(err, &over) && !errors.As(err, &failed) {
		t.Errorf("%s: %v", text, err)
	}
	return err == nil
}

// writer makes expressions.
type writer struct{ *rand.Rand }

func (w *writer) of(list ...string) string { return list[w.IntN(len(list))] }

func (w *writer) expression(depth int) string {
	if depth == 0 {
		return w.of("1", "0", "2.5", "1000", `"x"`, `","`, "nil", "true", "n", "f", "yes", "none", "loose", "word", "text", "words", "numbers", "rows", "row", "#", "#acc",
			".name", "[]", "{}", "1..1000", "b'x'", "$env", `"(x+)+"`)
	}
	x := func() string { return w.expression(w.IntN(depth)) }
	switch w.IntN(12) {
	case 0:
		return "(" + x() + ")"
	case 1:
		return w.of("-", "+", "!", "not ") + x()
	case 2, 3:
		return x() + " " + w.of("+", "-", "*", "/", "%", "**", "==", "!=", "<", ">", "<=", ">=", "and", "or", "in", "not in", "contains", "startsWith", "endsWith", "matches", "..", "??") + " " + x()
	case 4:
		return "[" + x() + ", " + x() + "]"
	case 5:
		return "{a: " + x() + ", (" + x() + "): " + x() + "}"
	case 6:
		return x() + w.of("["+x()+"]", "["+x()+":]", "[:"+x()+"]", ".name", "?.k", "?.["+x()+"]")
	case 7:
		return w.of(x()+" ? "+x()+" : "+x(), "if "+x()+" { "+x()+" } else { "+x()+" }", x()+" ?: "+x())
	case 8:
		name := "v" + strings.Repeat("v", w.IntN(3))
		return "let " + name + " = " + x() + "; " + w.of(name, x(), name+" + "+name, "["+name+", "+name+"]")
	}
	f := builtin.Builtins[w.IntN(len(builtin.Builtins))]
	args := []string{w.of(x(), "words", "numbers", "rows", "word", "1..100")}
	for range w.IntN(3) {
		args = append(args, x())
	}
	return f.Name + "(" + strings.Join(args, ", ") + ")"
}
