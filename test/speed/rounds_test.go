package main

import (
	"slices"
	"testing"
	"time"

	"stele/test/rig"
)

// round is what either side spent in CPU time while both had their turn.
type round [2]time.Duration

type rounds []round

// alternate has two sides take turns, so that what else the machine does falls on both.
// Each is watched for the whole round, since what a server puts off to the other's turn,
// as rows that are written in batches, is work for its own requests. started is called once both
// are warm, and what it returns at the end; beside, in each turn of the second side.
func (s *speed) alternate(b *testing.B, c scene, first, second side, started func() func(), beside func(turn int)) rounds {
	b.Helper()
	s.load(b, first, 2*c.size, atOnce)
	s.load(b, second, 2*c.size, atOnce)
	defer started()()
	var all rounds
	for b.Loop() {
		for turn := range c.turns {
			before := round{rig.CPUTime(b, first.pid), rig.CPUTime(b, second.pid)}
			s.load(b, first, c.size, atOnce)
			s.load(b, second, c.size, atOnce)
			beside(turn)
			all = append(all, round{rig.CPUTime(b, first.pid) - before[0], rig.CPUTime(b, second.pid) - before[1]})
		}
	}
	return all
}

// middle is the half of the rounds whose ratios lie between those of the two other
// quarters: a machine that others use as well has rounds that say nothing.
func (r rounds) middle() rounds {
	sorted := slices.SortedFunc(slices.Values(r), func(a, b round) int {
		return int(a[1]*b[0]/time.Microsecond) - int(b[1]*a[0]/time.Microsecond)
	})
	return sorted[len(sorted)/4 : len(sorted)-len(sorted)/4]
}

// sum is what a side spent in all of them.
func (r rounds) sum(side int) time.Duration {
	var sum time.Duration
	for _, one := range r {
		sum += one[side]
	}
	return sum
}

// ratio is what the second side spends for what the first one spends.
func (r rounds) ratio() float64 {
	middle := r.middle()
	return float64(middle.sum(1)) / float64(middle.sum(0))
}

// each is what a side spends on one of so many requests in a round, in microseconds.
func (r rounds) each(side, size int) float64 {
	middle := r.middle()
	return float64(middle.sum(side).Microseconds()) / float64(len(middle)*size)
}
