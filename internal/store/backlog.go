package store

import "time"

// backlog is records that are not in the database yet, and since when the first of them waits.
type backlog struct {
	records int64
	since   time.Time
}

func (b *backlog) add() {
	if b.records++; b.records == 1 {
		b.since = time.Now()
	}
}

// and joins what was kept later.
func (b backlog) and(later backlog) backlog {
	if b.records == 0 {
		return later
	}
	return backlog{b.records + later.records, b.since}
}

// Backlog is how many records are not in the database yet, and since when the first of them waits.
func (j *Journal) Backlog() (records int64, since time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.carried.and(j.behind)
	return all.records, all.since
}

func (j *Journal) flushBegins() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.carried, j.behind = j.carried.and(j.behind), backlog{}
}

func (j *Journal) flushEnded() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.carried = backlog{}
}
