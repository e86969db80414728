package page

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"stele/internal/access"
	"stele/internal/limit"
)

// LimitBar is how a limit stands for one subject, as pages draw it.
type LimitBar struct {
	ID, Name, Text string
	Subject        string // whom it is about, where each has a bar
	Soft           bool
	Counted        bool // it adds up what was taken; else it is about this minute or moment
	Amount         string
	Settled        string
	Held           string // "" for nothing
	Doubt          string // "" for nothing
	Left           string
	Share          string // of the amount that is gone
	Tone           string // good, warn or bad, by the thresholds
	Start, End     *Moment

	parts []int64 // in thousandths of the amount: settled, held, in doubt
	gone  int64   // the same, all of it
}

// LimitBar describes a standing; names are those of keys.
func (f *Frame) LimitBar(st limit.Standing, names map[string]string) LimitBar {
	l, b := st.Limit, st.Balance
	bar := LimitBar{
		ID: l.ID, Name: l.Name, Text: l.Text(), Subject: SubjectText(l, st.Subject, names), Soft: l.Soft, Counted: l.Durable(),
		Amount: l.Figure(l.Amount), Settled: l.Figure(b.Settled), Left: l.Figure(st.Left),
		Start: f.At(st.Start), End: f.At(st.End),
	}
	if n := b.Leased + b.Held; n > 0 {
		bar.Held = l.Figure(n)
	}
	if b.Doubt > 0 {
		bar.Doubt = l.Figure(b.Doubt)
	}
	all, room := l.Amount, int64(1000)
	if all == 0 { // there is nothing to take: as where all is gone
		all, b = 1, limit.Balance{Settled: 1}
	}
	for _, n := range []int64{b.Settled, b.Leased + b.Held, b.Doubt} {
		part := min(room, thousandths(n, all))
		bar.parts = append(bar.parts, part)
		room -= part
	}
	bar.gone = thousandths(b.Settled+b.Doubt, all)
	bar.Share = Share(b.Settled+b.Doubt, all)
	bar.Tone = toneAt(bar.gone/10, l.Marks)
	return bar
}

// sortFullest puts the bars first of which most is gone.
func sortFullest(bars []LimitBar) {
	slices.SortStableFunc(bars, func(a, b LimitBar) int { return int(b.gone - a.gone) })
}

// mostStandings is how many limits are looked at for those of which most is gone.
const mostStandings = 50

// FullestBars are so many of the limits that add up what was taken, those first of which most is gone.
func (f *Frame) FullestBars(ctx context.Context, from *limit.Manager, keys *access.Service, v access.Visitor, shown int) ([]LimitBar, error) {
	list, err := from.Overview(ctx, v.Principal(), v.Session.Workspace, mostStandings)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	names, err := KeyNames(ctx, keys, v)
	if err != nil {
		return nil, err
	}
	var bars []LimitBar
	for _, st := range list {
		if st.Limit.Durable() { // the others are about this minute
			bars = append(bars, f.LimitBar(st, names))
		}
	}
	sortFullest(bars)
	return bars[:min(len(bars), shown)], nil
}

// Piece is a coloured part of a bar, in percent of its width.
type Piece struct{ Class, X, Width string }

// Pieces are the parts of the bar from left to right.
func (b LimitBar) Pieces() []Piece {
	var list []Piece
	x := int64(0)
	for i, n := range b.parts {
		if n > 0 {
			list = append(list, Piece{[]string{b.Tone, "held", "doubt"}[i], tenths(x), tenths(n)})
		}
		x += n
	}
	return list
}

// Empty reports whether nothing of it is gone or held.
func (b LimitBar) Empty() bool { return len(b.Pieces()) == 0 }

func tenths(n int64) string { return strconv.FormatInt(n/10, 10) + "." + strconv.FormatInt(n%10, 10) }

// thousandths is n of all; what is there at all is seen.
func thousandths(n, all int64) int64 {
	if n <= 0 {
		return 0
	}
	if all <= 0 {
		return 1000
	}
	return max(1, int64(float64(n)/float64(all)*1000))
}

// toneAt is the colour of a bar: from the last threshold on it is bad, from the one before on
// it warns.
func toneAt(percent int64, marks []int) string {
	switch n := len(marks); {
	case n == 0 && percent >= 100, n > 0 && percent >= int64(marks[n-1]):
		return "bad"
	case n > 1 && percent >= int64(marks[n-2]):
		return "warn"
	}
	return "good"
}

// SubjectText says whom a counter of a limit is about: "key shop".
func SubjectText(l *limit.Limit, subject string, names map[string]string) string {
	if subject == "" {
		return ""
	}
	values := strings.Split(subject, "\n")
	var list []string
	for _, s := range l.Subject {
		if s.Value != limit.Each || len(values) == 0 {
			continue
		}
		value := values[0]
		values = values[1:]
		if s.By == limit.ByKey && names[value] != "" {
			value = names[value]
		}
		list = append(list, DimensionWord(s.By)+" "+value)
	}
	return strings.Join(list, ", ")
}

// DimensionWord is what people call a dimension.
func DimensionWord(d limit.Dimension) string {
	if name, ok := strings.CutPrefix(string(d), string(limit.ByTag)); ok {
		return "tag " + name
	}
	if d == limit.ByUser {
		return "end user"
	}
	return string(d)
}
