package main

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// figures are what benchmarks have measured, by name and unit.
type figures map[string]map[string]float64

// readFigures reads what go test -bench prints.
func readFigures(text string) figures {
	all := make(figures)
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := words[0]
		if at := strings.LastIndexByte(name, '-'); at > 0 { // the number of processors
			name = name[:at]
		}
		units := make(map[string]float64)
		for i := 2; i+1 < len(words); i += 2 {
			if n, err := strconv.ParseFloat(words[i], 64); err == nil {
				units[words[i+1]] = n
			}
		}
		all[name] = units
	}
	return all
}

// spent is what one of something costs: microseconds of processors and bytes.
type spent struct {
	stele, postgres     float64
	logged, kept, asked float64 // asked: statements
	written             float64
	size, locked        float64 // of a batch: its rows, and which part of it holds the locks of sums
}

// costs are the figures that the reckoning needs.
type costs struct {
	chat, stream, generation map[string]spent   // by engine
	batches                  map[string][]spent // of a row, by engine, the smallest batch first
	deleted, dropped         spent
}

func (f figures) costs() (costs, error) {
	c := costs{chat: make(map[string]spent), stream: make(map[string]spent), generation: make(map[string]spent), batches: make(map[string][]spent)}
	var missing []string
	of := func(name, unit string, postgres bool) spent {
		units := f[name]
		if units == nil {
			missing = append(missing, name)
		}
		s := spent{stele: units["µs-stele/"+unit], kept: units["B-kept/"+unit], written: units["B-written/"+unit]}
		if postgres {
			s.postgres, s.logged, s.asked = units["µs-postgres/"+unit], units["B-wal/"+unit], units["statements/"+unit]
		}
		return s
	}
	for _, engine := range []string{"sqlite", "postgresql"} {
		c.chat[engine] = of("BenchmarkCost/"+engine+"/chat", "op", engine != "sqlite")
		c.stream[engine] = of("BenchmarkCost/"+engine+"/stream", "op", engine != "sqlite")
		c.generation[engine] = of("BenchmarkCost/"+engine+"/generation", "op", engine != "sqlite")
		short := map[string]string{"sqlite": "sqlite", "postgresql": "postgres"}[engine]
		for _, size := range []int{1, 10, 100, 500, 2000} {
			s := of(fmt.Sprintf("BenchmarkRow/%s/batch=%d", short, size), "row", engine != "sqlite")
			s.size, s.locked = float64(size), f[fmt.Sprintf("BenchmarkRow/%s/batch=%d", short, size)]["%-locked"]/100
			c.batches[engine] = append(c.batches[engine], s)
		}
	}
	c.deleted, c.dropped = of("BenchmarkRow/postgres/delete", "row", true), of("BenchmarkRow/postgres/drop", "row", true)
	if len(missing) > 0 {
		return c, fmt.Errorf("no figures of %s", strings.Join(missing, ", "))
	}
	return c, nil
}

// row is what a row of a batch of so many costs, between those that were measured.
func (c *costs) row(engine string, size float64) spent {
	list := c.batches[engine]
	at, found := slices.BinarySearchFunc(list, size, func(s spent, size float64) int { return cmp.Compare(s.size, size) })
	switch {
	case found:
		return list[at]
	case at == 0:
		return list[0]
	case at == len(list):
		return list[at-1]
	}
	low, high := list[at-1], list[at]
	part := math.Log(size/low.size) / math.Log(high.size/low.size)
	between := func(a, b float64) float64 { return a + (b-a)*part }
	return spent{
		stele: between(low.stele, high.stele), postgres: between(low.postgres, high.postgres), logged: between(low.logged, high.logged),
		kept: between(low.kept, high.kept), locked: between(low.locked, high.locked), size: size,
	}
}
