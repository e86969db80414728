package formula

import (
	"context"
	"fmt"
	"time"
)

// What one evaluation may take, by default.
const (
	MostWork    = 1_000_000       // steps: a node looked at, a few dozen bytes gone over
	MostMade    = 16 << 20        // bytes of all values made on the way
	LongestMade = 1 << 20         // bytes of one text
	MostGiven   = 4 << 20         // bytes of the values that come out
	LongestTime = 5 * time.Second // a net beneath the others
	deepest     = 64              // lists and objects inside each other
	glance      = 4096            // steps between two looks at the clock
	cell        = 16              // bytes of a place in a list
)

// Budget is what an evaluation may still take. Several programs may run on one after
// another. It is not safe for concurrent use.
type Budget struct {
	ctx   context.Context //nolint:containedctx // that of the one evaluation
	until time.Time
	work  int64
	made  int64
	given int64
	since int64 // steps since the last look at the clock
}

// NewBudget begins an evaluation. It ends with ctx at the latest.
func NewBudget(ctx context.Context) *Budget {
	return &Budget{ctx: ctx, until: time.Now().Add(LongestTime), work: MostWork, made: MostMade, given: MostGiven}
}

// Overrun says that an evaluation wanted more than one may have. It would each time.
type Overrun struct{ Message string }

func (o *Overrun) Error() string { return o.Message }

// stopped carries an error out of an evaluation: an overrun, or the context's.
type stopped struct{ err error }

func (b *Budget) refuse(format string, args ...any) {
	panic(stopped{&Overrun{fmt.Sprintf(format, args...)}})
}

// step counts n steps of work.
func (b *Budget) step(n int64) {
	if n > b.work || n < 0 {
		b.work = 0
		b.refuse("this takes too many steps")
	}
	b.work -= n
	if b.since += n; b.since < glance {
		return
	}
	b.since = 0
	if err := b.ctx.Err(); err != nil {
		panic(stopped{context.Cause(b.ctx)})
	}
	if time.Now().After(b.until) {
		b.refuse("this takes too long")
	}
}

// make counts n bytes before they are allocated.
func (b *Budget) make(n int64) {
	if n > b.made || n < 0 {
		b.refuse("this makes too much: more than %d MB on the way", MostMade>>20)
	}
	b.made -= n
	b.step(n / 64)
}

// countText counts a text of n bytes before it is made.
func (b *Budget) countText(n int64) {
	if n > LongestMade || n < 0 {
		b.refuse("this makes a text of more than %d KB", LongestMade>>10)
	}
	b.make(n)
}

// read counts n bytes that are gone over.
func (b *Budget) read(n int) { b.step(int64(n)/32 + 1) }

// list counts a list of n places before it is made.
func (b *Budget) list(n int) {
	b.make(int64(n) * cell)
	b.step(int64(n))
}

// Join puts texts together to one.
func (b *Budget) Join(parts []string) (text string, err error) {
	defer b.stop(&err)
	var n int64
	for _, p := range parts {
		n += int64(len(p))
	}
	b.countText(n)
	out := make([]byte, 0, n)
	for _, p := range parts {
		out = append(out, p...)
	}
	return string(out), nil
}

// Parse counts what it takes to read a text as JSON.
func (b *Budget) Parse(text string) (err error) {
	defer b.stop(&err)
	parse(b, []any{text})
	return nil
}

// Weigh counts a value that was not made by a program, as one that comes out.
func (b *Budget) Weigh(v any) (err error) {
	defer b.stop(&err)
	b.give(v)
	return nil
}

// give counts a value that comes out, as large as it is when it is written out.
func (b *Budget) give(v any) {
	n := b.weigh(v, 0)
	if n > b.given {
		b.refuse("this gives too much: more than %d MB", MostGiven>>20)
	}
	b.given -= n
}

// stop makes an error of what stopped an evaluation.
func (b *Budget) stop(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if s, ok := r.(stopped); ok {
		*err = s.err
		return
	}
	panic(r)
}
