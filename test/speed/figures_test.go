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

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
