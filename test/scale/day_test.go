package main

import "testing"

// flat are costs that can be reckoned by hand: a row is 100 µs of PostgreSQL, half of
// them under the locks of sums, and nothing else costs anything.
func flat() *costs {
	row := spent{postgres: 100, logged: 1000, kept: 500, size: 1, locked: 0.5}
	return &costs{
		batches: map[string][]spent{"postgresql": {row}}, generation: map[string]spent{"postgresql": {postgres: 1000, logged: 1}},
		chat: map[string]spent{"postgresql": {stele: 100}}, deleted: spent{postgres: 10, logged: 100},
	}
}

func TestADayWithinBoundsSavesEverythingAtOnce(t *testing.T) {
	t.Parallel()
	p := house{servers: 4, cores: 2, database: 4, rows: 86400 * 1000, dropped: true, keep: 2}.play(flat())
	if p.most > 1 || p.half < flushEvery {
		t.Errorf("rows are in after %.2f s, and %.2f s", p.half, p.most)
	}
	if p.peak != 1600 || p.kept != 86400*1000*500*2 {
		t.Errorf("%.0f rows a second, %.0f bytes", p.peak, p.kept)
	}
	for what, is := range map[string][2]float64{
		"PostgreSQL busy": {p.postgres, 1600 * 100e-6 / 4}, "servers busy": {p.stele, 1600 * 100e-6 / 8},
		"WAL a second": {p.logged, 1600 * 1000}, "commits a second": {p.commits, 8}, "rows of a commit": {p.batch, 200},
	} {
		if is[0] < 0.95*is[1] || is[0] > 1.05*is[1] {
			t.Errorf("%s: %g, want %g", what, is[0], is[1])
		}
	}
}

// TestTheSumsAreAWall has more rows than one transaction after the other can add up,
// though most of the processors are at rest.
func TestTheSumsAreAWall(t *testing.T) {
	t.Parallel()
	for rows, behind := range map[float64]bool{86400 * 10_000: false, 86400 * 15_000: true} { // 20,000 a second are what the locks let through
		p := house{servers: 16, cores: 8, database: 64, rows: rows, dropped: true}.play(flat())
		if (p.most > 60) != behind || p.postgres > 0.1 {
			t.Errorf("%.0f rows a day: in after %.1f s, PostgreSQL is busy for %.2f", rows, p.most, p.postgres)
		}
	}
}

func TestDeletingAndTasksTakeOfTheSameProcessors(t *testing.T) {
	t.Parallel()
	h := house{servers: 2, cores: 2, database: 2, rows: 86400 * 1000, dropped: true}
	alone := h.play(flat())
	h.dropped, h.tasks = false, 86400*100
	more := h.play(flat())
	if got, want := more.postgres-alone.postgres, (1000*10e-6+160*1000e-6)/2; got < 0.95*want || got > 1.05*want {
		t.Errorf("%.4f more, want %.4f", got, want)
	}
}
