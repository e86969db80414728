package main

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
)

// What a server does: the journal is carried over so often, so many rows in a transaction.
const (
	flushEvery = 0.5
	mostRows   = 2000
)

// house is an installation and what is asked of it on a day.
type house struct {
	servers, cores int     // cores of each
	database       int     // cores of PostgreSQL
	rows, tasks    float64 // a day
	keep           int     // days
	dropped        bool    // old rows are dropped with their partition, not deleted
	sync           float64 // seconds that a commit waits for the disk
}

// played is what a day was like.
type played struct {
	peak            float64 // rows a second
	stele, postgres float64 // how busy the servers and PostgreSQL were in the busiest hour, 1 is wholly
	logged, commits float64 // bytes of WAL and transactions a second, in the busiest hour
	loggedAll       float64 // bytes a day
	batch           float64 // rows of a transaction, in the busiest hour
	half, most      float64 // seconds until a row is in the database, for half of the batches and for 99 of 100
	saved, left     float64 // rows by the end of the day
	kept            float64 // bytes of rows after so many days
}

// curve is how many times the mean is asked for at a second of the day: the busiest
// hour is at three in the afternoon.
func curve(second float64) float64 { return 1 + 0.6*math.Cos(2*math.Pi*(second/3600-15)/24) }

// server is one of many that carry rows over.
type server struct {
	next  float64 // when it looks at its journal
	since float64 // from when on rows wait there
}

type line []*server

func (l line) Len() int           { return len(l) }
func (l line) Less(i, j int) bool { return l[i].next < l[j].next }
func (l line) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l *line) Push(x any)        { *l = append(*l, x.(*server)) } //nolint:forcetypeassert // heap pushes what it popped
func (l *line) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// day plays the hours around the busiest one, event by event, after a warm hour, and
// adds the rest of the day up.
type day struct {
	house
	c      *costs
	random *rand.Rand

	free   []float64 // when each core of PostgreSQL is free
	locked float64   // until when the sums are locked
	slower float64   // how much longer everything takes because PostgreSQL does other things, too

	lags, sizes     []float64
	saved, arrived  float64
	busy, wal, done float64 // within the busiest hour: seconds of processors, bytes, transactions
}

const (
	begin, busiest, end = 13 * 3600.0, 14.5 * 3600, 15.5 * 3600
)

func (h house) play(c *costs) played {
	d := &day{house: h, c: c, random: rand.New(rand.NewPCG(1, 2)), free: make([]float64, h.database)} //nolint:gosec // the same every time
	perTask := c.generation["postgresql"]
	others := h.tasks / 86400 * curve(15*3600) * perTask.postgres / 1e6
	deleting := 0.0
	if !h.dropped { // as many go as come, once an hour, all day long
		deleting = h.rows / 86400 * c.deleted.postgres / 1e6
	}
	d.slower = float64(h.database) / max(0.05*float64(h.database), float64(h.database)-others-deleting)
	for i := range d.free {
		d.free[i] = begin
	}
	var all line
	for i := range h.servers {
		all = append(all, &server{next: begin + flushEvery*float64(i)/float64(h.servers), since: begin})
	}
	heap.Init(&all)
	for all[0].next < end {
		s := all[0]
		d.flush(s)
		heap.Fix(&all, 0)
	}
	return d.sum(others, deleting)
}

// flush carries over what a server has, in as many transactions as it needs.
func (d *day) flush(s *server) {
	at := s.next
	n := d.arrivals(s.since, at)
	first := s.since
	s.since = at
	now := at
	for left := n; left > 0; {
		rows := min(left, mostRows)
		left -= rows
		now = d.save(now, rows)
		if now >= busiest {
			d.sizes = append(d.sizes, rows)
		}
	}
	d.arrived += n
	if now <= end {
		d.saved += n
	}
	if now >= busiest && n > 0 {
		d.lags = append(d.lags, now-first)
	}
	s.next = max(now, at+flushEvery)
}

// arrivals are the rows of one server between two moments.
func (d *day) arrivals(from, to float64) float64 {
	mean := d.rows / 86400 * curve((from+to)/2) * (to - from) / float64(d.servers)
	return max(0, math.Round(mean+math.Sqrt(mean)*d.random.NormFloat64()))
}

// save is when a transaction that begins at a time has ended. It waits for a core, adds
// its rows beside those of other servers, and then waits for the sums, which it holds until its commit.
func (d *day) save(at, rows float64) float64 {
	cost := d.c.row("postgresql", rows)
	takes := rows * cost.postgres / 1e6 * d.slower
	core := 0
	for i, free := range d.free {
		if free < d.free[core] {
			core = i
		}
	}
	begins := max(at, d.free[core]) + rows*cost.stele/1e6
	d.free[core] = begins + takes
	ends := max(begins+takes*(1-cost.locked), d.locked) + takes*cost.locked + d.sync
	d.locked = ends
	if begins >= busiest {
		d.busy += rows * cost.postgres / 1e6
		d.wal += rows * cost.logged
		d.done++
	}
	return ends
}

func (d *day) sum(others, deleting float64) played {
	const hour = end - busiest
	tasks := d.tasks / 86400 * curve(15*3600)
	size := middle(d.sizes, 50)
	row := d.c.row("postgresql", max(1, size))
	task := d.c.generation["postgresql"]
	p := played{
		peak: d.rows / 86400 * curve(15*3600), batch: size, half: middle(d.lags, 50), most: middle(d.lags, 99),
		stele:    (d.rows/86400*curve(15*3600)*d.c.chat["postgresql"].stele + tasks*task.stele) / 1e6 / float64(d.servers*d.cores),
		postgres: (d.busy/hour + others + deleting) / float64(d.database),
		logged:   d.wal/hour + tasks*task.logged, commits: d.done / hour,
		loggedAll: d.rows*row.logged + d.tasks*task.logged, saved: d.saved, left: d.arrived - d.saved,
		kept: d.rows * row.kept * float64(d.keep),
	}
	if !d.dropped {
		p.logged += d.rows / 86400 * d.c.deleted.logged
		p.loggedAll += d.rows * d.c.deleted.logged
	}
	return p
}

// middle is what so many of a hundred do not pass.
func middle(list []float64, percent float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*percent/100))]
}
