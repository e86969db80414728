package formula_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/types"

	"stele/internal/formula"
)

// names are what the expressions of these tests speak of.
func names() (types.Map, map[string]any) {
	row := types.Map{"name": types.String, "size": types.Int, "tags": types.Array(types.String)}
	typed := types.Map{
		"word": types.String, "text": types.String, "n": types.Int, "f": types.Float64, "yes": types.Bool, "none": types.Any, "loose": types.Any,
		"words": types.Array(types.String), "numbers": types.Array(types.Int), "rows": types.Array(row), "row": row,
	}
	tags := []any{"x", "y"}
	rows := []any{
		map[string]any{"name": "b", "size": 2, "tags": tags}, map[string]any{"name": "a", "size": 3, "tags": []any{}},
		map[string]any{"name": "c", "size": 2, "tags": tags},
	}
	return typed, map[string]any{
		"word": "Grüße", "text": " a, b ,c,a ", "n": 7, "f": 2.5, "yes": true, "none": nil, "loose": map[string]any{"k": []any{1, 2.5, "x", nil}},
		"words": []any{"b", "a", "c", "a"}, "numbers": []any{3, 1, 2}, "rows": rows, "row": rows[0],
	}
}

// same are expressions whose values the library's own machine knows as well.
var same = []string{
	`1 + 2 * 3`, `7 / 2`, `7 % 4`, `2 ** 10`, `-n`, `+f`, `not yes`, `!yes || yes && yes`, `n + f`, `"a" + 'b' + word`, "`raw`",
	`1 < 2 < 3`, `1 < n <= 7`, `word == "Grüße"`, `word != text`, `none == nil`, `none ?? "else"`, `yes ? 1 : 2`, `(n > 3) ?: yes`, `false ?: yes`,
	`if n > 3 { "big" } else { "small" }`, `let a = n; let b = a + 1; a * b`, `1; 2; n`, `$env.n`, `$env["word"]`,
	`[1, "a", nil, [n]]`, `{a: 1, "b": word, (word): 2}`, `{a: {b: {c: n}}}.a.b.c`, `numbers[0]`, `numbers[-1]`, `word[0]`, `numbers[1:]`, `numbers[:2]`,
	`numbers[-2:]`, `words[1:3]`, `word[0:1]`, `row.name`, `row["size"]`, `loose?.k[1]`, `loose?.missing?.deep?.er`, `none?.a.b.c`, `loose.k`,
	`loose?.missing ?? 3`, `1..5`, `5..1`, `n in 1..9`, `"a" in words`, `"k" in loose`, `9 not in numbers`, `nil in loose.k`,
	`word contains "r"`, `word startsWith "G"`, `word endsWith "x"`, `none contains "x"`, `word matches "^[A-Z]"`, `word matches ("^" + "g")`,
	`word not matches "x"`, `all(numbers, # > 0)`, `any(numbers, # > 2)`, `none(numbers, # > 2)`, `one(numbers, # > 2)`, `filter(rows, .size == 2)`,
	`map(rows, .name)`, `map(1..3, # * n)`, `map(rows, {let q = .size; q + #index})`, `find(rows, .size == 3)`, `find(rows, .size == 9)`,
	`findIndex(rows, .size == 3)`, `findIndex(rows, .size == 9)`, `findLast(rows, .size == 2)`, `findLastIndex(rows, .size == 2)`, `count(rows, .size == 2)`,
	`count([true, false, true])`, `sum(numbers)`, `sum(rows, .size)`, `sum([1, 2.5])`, `groupBy(rows, .size)`, `groupBy(words, len(#))`,
	`sortBy(rows, .name)`, `sortBy(rows, .size, "desc")`, `reduce(numbers, #acc + #)`, `reduce(numbers, #acc + #, 10)`, `reduce(words, #acc + # + string(#index), "")`,
	`map(rows, map(.tags, # + "!"))`, `map(rows, filter(.tags, # != "x"))`, `sum(map(filter(rows, .size > 1), .size))`,
	`len(word)`, `len(words)`, `len(loose)`, `type(n)`, `type(none)`, `abs(-3)`, `ceil(f)`, `floor(f)`, `round(2.6)`, `int("12")`, `int(f)`, `float("1.5")`,
	`float(n)`, `string(numbers)`, `string(row.size)`, `trim(text)`, `trim("xax", "x")`, `trimPrefix(word, "Gr")`, `trimSuffix(word, "e")`, `upper(word)`,
	`lower(word)`, `split(text, ",")`, `split(text, ",", 2)`, `splitAfter(text, ",")`, `split(word, "")`, `replace(text, "a", "bb")`, `replace(text, "a", "bb", 1)`,
	`repeat("ab", 3)`, `join(words, "-")`, `join(words)`, `join(split(text, ","), ";")`, `indexOf(text, "b")`, `lastIndexOf(text, "a")`, `hasPrefix(word, "G")`,
	`hasSuffix(word, "G")`, `max(1, n, 3)`, `min(numbers)`, `max(numbers, 9)`, `mean(numbers)`, `median([3, 1, 2, 10])`, `toJSON(rows)`, `toJSON(word + "<\"\n")`,
	`fromJSON('{"a": [1, {"b": null}]}')`, `toBase64(word)`, `fromBase64(toBase64(word))`, `first(words)`, `last(words)`, `first([])`, `get(row, "name")`,
	`get(words, 1)`, `get(words, 99)`, `get(loose, "nothing")`, `take(words, 2)`, `take(words, 99)`, `keys({a: 1})`, `values({a: 1})`, `toPairs({a: 1})`,
	`fromPairs([["a", 1], ["b", 2]])`, `reverse(words)`, `uniq(words)`, `uniq([[1], [1], 2])`, `concat(words, numbers)`, `concat([1], 1..3)`, `flatten([1, [2, [3]]])`,
	`sort(words)`, `sort(numbers, "desc")`, `sort([2.5, 1.5])`, `sort(split("c,a", ","))`, `bitand(6, 3)`, `bitor(6, 3)`, `bitxor(6, 3)`, `bitnand(6, 3)`, `bitshl(1, 4)`,
	`bitshr(16, 2)`, `bitushr(16, 2)`, `bitnot(5)`, `words | map(upper(#)) | join(",")`, `rows | filter(.size == 2) | len()`, `b"bytes"`, `b"a" == b"a"`,
	`row == rows[0]`, `rows == rows`, `[1, 2] == [1, 2]`, `len(filter(rows, .size == 2)) > 1`, `filter(rows, .size == 2)[0].name`, `::len(words)`,
	`loose.k[9]`, `none.a`, `loose.k[0].x`, `loose.k + 1`, `loose.k - loose`, `int("x")`, `join([1])`, `reduce([], #acc + #)`, `map(loose, #)`, `sort([[1], [2]])`,
	`fromJSON("{")`, `fromBase64("!")`, `repeat("a", -1)`, `bitshl(1, -1)`, `flatten(loose)`, `keys(none)`, `none[0:1]`, `groupBy(rows, .tags)`, `{a: 1}[1]`, `loose()`,
	`word matches "("`, `numbers[9]`, `numbers["a"]`,
}

// TestValuesAreThoseOfTheLanguage holds our walk against the library's own machine.
func TestValuesAreThoseOfTheLanguage(t *testing.T) {
	t.Parallel()
	typed, given := names()
	for _, text := range same {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var want any
			program, wantErr := expr.Compile(text, expr.Env(typed))
			if wantErr == nil {
				want, wantErr = expr.Run(program, given)
			}
			got, err := run(t, text)
			if (err != nil) != (wantErr != nil) {
				t.Fatalf("got %v, %v; want %v, %v", got, err, want, wantErr)
			}
			if err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("got %#v, want %#v", got, want)
			}
			if _, over := errors.AsType[*formula.Overrun](err); over {
				t.Errorf("over its bounds: %v", err)
			}
		})
	}
}

func run(t testing.TB, text string) (any, error) {
	t.Helper()
	typed, given := names()
	p, err := formula.NewScope(typed).Compile(text)
	if err != nil {
		return nil, err
	}
	return p.Run(formula.NewBudget(t.Context()), given)
}

// TestEveryFunctionIsCountedOrOff fails when a version of the library brings a new
// function: it stays off until it is counted, and must be named here until then.
func TestEveryFunctionIsCountedOrOff(t *testing.T) {
	t.Parallel()
	off := []string{"now", "date", "duration", "timezone"}
	for _, f := range builtin.Builtins {
		if got, want := formula.Counted(f.Name), !slices.Contains(off, f.Name); got != want {
			t.Errorf("%s: counted %v, want %v", f.Name, got, want)
		}
	}
	for _, name := range off {
		if _, err := run(t, name+`("1")`); err == nil {
			t.Errorf("%s can be called", name)
		}
	}
}

// TestEveryFunctionIsTried keeps the table above whole.
func TestEveryFunctionIsTried(t *testing.T) {
	t.Parallel()
	for _, f := range builtin.Builtins {
		tried := slices.ContainsFunc(same, func(text string) bool {
			return len(text) > len(f.Name) && (text[:len(f.Name)+1] == f.Name+"(" || text == f.Name)
		})
		if formula.Counted(f.Name) && !tried {
			t.Errorf("%s is in no expression", f.Name)
		}
	}
}
