package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// figures are what was measured, to be printed once more as one table.
type figures struct{ lines []string }

// add reports a figure beside its target; 0 is none.
func (f *figures) add(b *testing.B, figure float64, unit string, target float64) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(figure, unit)
	if target > 0 {
		b.ReportMetric(target, "target")
	}
	_, name, _ := strings.Cut(b.Name(), "/")
	f.line(name, figure, unit, target)
}

// line adds a line to the table.
func (f *figures) line(name string, figure float64, unit string, target float64) {
	line := fmt.Sprintf("%-18s %8.2f %-6s", name, figure, unit)
	if target > 0 {
		verdict := "held"
		if figure > target {
			verdict = "missed"
		}
		line += fmt.Sprintf("  target %6.2f  %s", target, verdict)
	}
	f.lines = append(f.lines, line)
}

func (f *figures) String() string { return strings.Join(f.lines, "\n") }

// pairs is how many times both servers are started anew: where a process happens to lie in
// memory is worth as much as what is measured.
const pairs = 6

// atMost is what a server with limits, or one that is watched, may spend: 3 % more of processor time.
const atMost = 1.03

// comparison is a table of what one server spends for what another spends.
type comparison struct{ all, means figures }

func newComparison(b *testing.B) *comparison {
	b.Helper()
	c := new(comparison)
	b.Cleanup(func() { fmt.Printf("\n%s\n\n%s\n\n", &c.all, &c.means) })
	return c
}

// inPairs takes a ratio from several pairs of servers. Their mean is the figure.
func (c *comparison) inPairs(b *testing.B, name string, ratio func(*testing.B) float64) {
	b.Helper()
	sum, n := 0.0, 0
	for pair := range pairs {
		b.Run(fmt.Sprint(name, "/", pair+1), func(b *testing.B) {
			one := ratio(b)
			c.all.add(b, one, "ratio", 0)
			sum, n = sum+one, n+1
		})
	}
	if n > 0 {
		c.means.line(name, sum/float64(n), "ratio", atMost)
	}
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
