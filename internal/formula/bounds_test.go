package formula_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"stele/internal/formula"
)

func doubled(start, step string, times int) string {
	var b strings.Builder
	b.WriteString("let a0 = " + start + "; ")
	for i := range times {
		from, to := "a"+string(rune('A'+i%26))+string(rune('a'+i/26)), "a"+string(rune('A'+(i+1)%26))+string(rune('a'+(i+1)/26))
		if i == 0 {
			from = "a0"
		}
		b.WriteString("let " + to + " = " + strings.ReplaceAll(step, "_", from) + "; ")
		if i == times-1 {
			b.WriteString(to)
		}
	}
	return b.String()
}

// greedy are expressions that would take far more than an evaluation may have.
var greedy = map[string]string{
	"doubling by +":          doubled(`"0123456789"`, "_ + _", 40),
	"doubling by join":       doubled(`"0123456789"`, "join([_, _])", 40),
	"doubling by glue":       doubled(`"0123456789"`, "join(map(1..9, 'x'), _)", 20),
	"doubling by map":        doubled(`["x"]`, "flatten(map(1..2, _))", 40),
	"doubling by concat":     doubled(`["x"]`, "concat(_, _)", 40),
	"doubling by replace":    doubled(`"xx"`, "replace(_, 'x', 'xx')", 40),
	"doubling by repeat":     doubled(`"xx"`, "repeat(_, 2)", 40),
	"doubling by toJSON":     doubled(`"\""`, "toJSON(_)", 40),
	"doubling by toBase64":   doubled(`"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"`, "toBase64(_)", 60),
	"doubling by reduce":     `reduce(1..40, #acc + #acc, "0123456789")`,
	"doubling by string":     doubled(`["x"]`, "[string(_), string(_)]", 40),
	"doubling by a list":     `string(reduce(1..40, [#acc, #acc], 1))`,
	"a list of lists":        `reduce(1..40, [#acc, #acc], 1)`,
	"an object of objects":   `reduce(1..40, {{a: #acc, b: #acc}}, 1)`,
	"lists compared":         `let a = reduce(1..40, [#acc, #acc], 1); let b = reduce(1..40, [#acc, #acc], 1); a == b`,
	"a list in a list":       `let a = reduce(1..40, [#acc, #acc], 1); a in [reduce(1..40, [#acc, #acc], 1)]`,
	"lists written":          `toJSON(reduce(1..40, [#acc, #acc], 1))`,
	"lists flattened":        `flatten(reduce(1..40, [#acc, #acc], 1))`,
	"lists averaged":         `mean(reduce(1..40, [#acc, #acc], 1))`,
	"lists in the middle":    `median(reduce(1..40, [#acc, #acc], 1))`,
	"lists at most":          `max(reduce(1..40, [#acc, #acc], 1))`,
	"uniq of lists":          `uniq(map(1..9, reduce(1..40, [#acc, #acc], 1)))`,
	"pairs of lists":         `fromPairs([reduce(1..40, [#acc, #acc], 1)])`,
	"a list as an index":     `get(loose, reduce(1..40, [#acc, #acc], 1))`,
	"depth":                  `reduce(1..50000, [#acc], 1)`,
	"depth written":          `toJSON(reduce(1..50000, [#acc], 1))`,
	"depth compared":         `let a = reduce(1..50000, [#acc], 1); let b = reduce(1..50000, [#acc], 1); a == b`,
	"depth printed":          `string(reduce(1..50000, [#acc], 1))`,
	"nested sums":            `sum(1..1000, sum(1..1000, sum(1..1000, sum(1..1000, sum(1..1000, 1)))))`,
	"nested counts":          `count(1..5000, any(1..5000, # < 0))`,
	"nested filters":         `filter(1..1000, len(filter(1..1000, # > 3)) > len(filter(1..1000, # > 1000)))`,
	"a long range":           `1..100000000`,
	"an endless range":       `-9223372036854775807..9223372036854775807`,
	"ranges":                 `map(1..1000, 1..1000)`,
	"a long text":            `repeat("x", 1000000000)`,
	"a text overflowing":     `repeat("xxxxxxxxxxxxxxxx", 9223372036854775807)`,
	"long texts":             `map(1..1000, repeat("x", 1000000))`,
	"letters":                `split(repeat("x", 1000000), "")`,
	"pieces":                 `map(1..100, split(repeat("x,", 50000), ","))`,
	"pieces with their ends": `map(1..100, splitAfter(repeat("x,", 50000), ","))`,
	"gaps filled":            `replace(repeat("x", 100000), "", repeat("y", 1000))`,
	"upper case":             `map(1..1000, upper(repeat("x", 100000)))`,
	"sorting":                `map(1..1000, sort(1..10000))`,
	"sorting by":             `map(1..1000, sortBy(1..10000, -#))`,
	"grouping":               `map(1..1000, groupBy(1..10000, #))`,
	"reversing":              `map(1..1000, reverse(1..10000))`,
	"pairs":                  `map(1..1000, toPairs(groupBy(1..1000, #)))`,
	"uniq":                   `uniq(1..100000)`,
	"a needle":               `map(1..100000, # in 1..100000)`,
	"a hidden needle":        `count(1..1000, repeat("a", 100000) contains repeat("a", 50000) + "b")`,
	"JSON read":              `map(1..100, fromJSON("[" + repeat("{},", 30000) + "1]"))`,
	"objects read":           `fromJSON("[" + repeat('{"a":1},', 100000) + "1]")`,
	"a heavy pattern":        `repeat("x", 500000) matches "(x+x+)+y.{200}"`,
	"patterns":               `count(1..100000, word matches ("x{1," + string(# % 900 + 1) + "}"))`,
	"objects":                `map(1..100000, ({a: #, b: #, c: #, d: #, e: #, f: #}))`,
	"slices of texts":        `map(1..1000000, word)`,
	"comparing texts":        `let a = repeat("x", 900000); count(1..10000, a + "" == a)`,
	"ordering texts":         `let a = repeat("x", 900000); count(1..100000, a < a)`,
}

// TestTooMuchIsRefusedBeforeItIsMade is about each way to take more than one's share.
func TestTooMuchIsRefusedBeforeItIsMade(t *testing.T) { //nolint:paralleltest // memory is measured
	for name, text := range greedy { // one after the other: memory is measured
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v, err := run(t, text)
			runtime.ReadMemStats(&after)
			if _, over := errors.AsType[*formula.Overrun](err); !over {
				t.Errorf("got %.80v, %v", v, err)
			}
			if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
				t.Errorf("%d MB were made", made>>20)
			}
		})
	}
}

// TestWhatIsTooDeepNeverReachesTheParser: a stack that overflows ends the process.
func TestWhatIsTooDeepNeverReachesTheParser(t *testing.T) {
	t.Parallel()
	const n = 500_000
	for _, c := range []struct{ before, opening, middle, closing string }{
		{"", "(", "1", ")"}, {"", "[", "1", "]"}, {"", "{a:", "1", "}"}, {"", "-", "1", ""}, {"", "+", "1", ""}, {"", "!", "true", ""}, {"", "not ", "true", ""},
		{"", "true ? 1 : ", "1", ""}, {"", "true ? ", "1", " : 2"}, {"", "true ?: ", "1", ""}, {"", "nil ?? ", "1", ""}, {"", "1 + ", "1", ""}, {"", "2 ** ", "1", ""},
		{"words", " | map(#)", "", ""}, {"loose", ".x", "", ""}, {"loose", "?.x", "", ""}, {"loose", "[0]", "", ""}, {"loose", "[0:]", "", ""}, {"loose", "()", "", ""},
		{"", "len(", "words", ")"}, {"", "map(words, ", "#", ")"}, {"", "map(words, {", "#", "})"}, {"", "sort(", "words", ")"}, {"", "let a = ", "1", ""}, {"", "1; ", "1", ""},
		{"", "if true { ", "1", " } else { 2 }"}, {"", "if true { 1 } else ", "{ 1 }", ""}, {"", "1 < ", "1", ""}, {"", "1, ", "1", ""}, {"", "::len(", "words", ")"},
		{"", "1..", "1", ""}, {"", "1 in ", "words", ""}, {"", "1 not in ", "words", ""}, {"", "#", "", ""}, {"", "'", "", ""}, {"", "`", "", ""}, {"", "/*", "", ""}, {"", "x ", "", ""},
	} {
		for _, times := range []int{n, 1000, 100} { // too long; short enough, but too deep
			text := c.before + strings.Repeat(c.opening, times) + c.middle + strings.Repeat(c.closing, times)
			typed, _ := names()
			_, err := formula.NewScope(typed).Compile(text)
			if _, ok := errors.AsType[*formula.Error](err); err != nil && !ok || err == nil && times > 1000 {
				t.Errorf("%d times %s: %v", times, c.opening, err)
			}
		}
	}
}

// TestWhatMultipliesIsNotChecked is about trees that are small to write and endless
// to check.
func TestWhatMultipliesIsNotChecked(t *testing.T) {
	t.Parallel()
	wrap := func(before, middle, after string, times int) string {
		return strings.Repeat(before, times) + middle + strings.Repeat(after, times)
	}
	for _, text := range []string{
		wrap("sort(", "words", ")", 30), wrap("trim(", "word", ")", 30), wrap("split(", "word", ", ',')", 30), wrap("join(sort(", "words", "))", 20),
		wrap("(", "yes", " ?: yes)", 60), wrap("(1 < ", "n", " < 3 ? 1 : 2)", 30), wrap("replace(", "word", ", 'a', 'b')", 40),
		`word matches "` + strings.Repeat(".{1000}", 100) + `"`, `word matches "` + strings.Repeat(`\\pL`, 300) + `"`, `word matches "` + strings.Repeat(`(`, 2000) + `"`,
		`word matches "((a{100}){100}){100}"`,
	} {
		if _, err := run(t, text); err == nil {
			t.Errorf("accepted: %.60s…", text)
		} else if _, ok := errors.AsType[*formula.Error](err); !ok {
			t.Errorf("%.60s…: %v", text, err)
		}
	}
}

// TestAScopeCountsAllThatIsReadInIt bounds a file of many expressions.
func TestAScopeCountsAllThatIsReadInIt(t *testing.T) {
	t.Parallel()
	typed, _ := names()
	for _, text := range []string{"1", "[" + strings.Repeat("1,", 300) + "1]", strings.Repeat("sort(", 4) + "words" + strings.Repeat(")", 4), `word matches ".{900}"`} {
		s := formula.NewScope(typed)
		var err error
		n := 0
		for ; err == nil && n <= formula.MostExpressions; n++ {
			_, err = s.With(typed).Compile(text)
		}
		if err == nil {
			t.Errorf("%.20s: %d were read", text, n)
		}
	}
}

func TestAnEvaluationEndsWithItsContext(t *testing.T) {
	t.Parallel()
	typed, given := names()
	p, err := formula.NewScope(typed).Compile(`sum(1..300, sum(1..300, 1))`)
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("the browser has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := p.Run(formula.NewBudget(ctx), given); !errors.Is(err, gone) {
		t.Errorf("got %v before it began", err)
	}
	if _, err := p.Run(formula.NewBudget(&leaving{Context: t.Context(), looks: 3}), given); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v in the middle", err)
	}
	if v, err := p.Run(formula.NewBudget(t.Context()), given); err != nil || v != 90_000 {
		t.Errorf("got %v, %v", v, err)
	}
}

// leaving is a context that ends while it is looked at.
type leaving struct {
	context.Context //nolint:containedctx // it is one

	looks int
}

func (l *leaving) Err() error {
	if l.looks--; l.looks < 0 {
		return context.Canceled
	}
	return nil
}

func (*leaving) Deadline() (time.Time, bool) { return time.Time{}, false }

// TestProgramsShareABudget: what many small ones take together is bounded as well.
func TestProgramsShareABudget(t *testing.T) {
	t.Parallel()
	typed, given := names()
	for _, text := range []string{`sum(1..1000)`, `repeat("x", 100000)`, `map(1..100, repeat("x", 900))`} {
		p, err := formula.NewScope(typed).Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		b := formula.NewBudget(t.Context())
		for range 2000 {
			if _, err = p.Run(b, given); err != nil {
				break
			}
		}
		if _, over := errors.AsType[*formula.Overrun](err); !over {
			t.Errorf("%s: %v", text, err)
		}
	}
	b, half := formula.NewBudget(t.Context()), strings.Repeat("x", formula.LongestMade/2)
	if _, err := b.Join([]string{half, half}); err != nil {
		t.Error(err)
	}
	if _, err := b.Join([]string{half, half, "x"}); err == nil {
		t.Error("a text may be as long as one likes in pieces")
	}
}
