package store

import "time"

// Lag is what a journal has that is not in the database.
type Lag struct {
	Records int
	Since   time.Time // when the oldest of them was kept; zero: there are none
}

func (l *Lag) add() {
	if l.Records++; l.Records == 1 {
		l.Since = time.Now()
	}
}

// and is this and a later one together.
func (l Lag) and(later Lag) Lag {
	l.Records += later.Records
	if l.Since.IsZero() {
		l.Since = later.Since
	}
	return l
}

// Lag is what is not in the database now.
func (j *Journal) Lag() Lag {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.carried.and(j.behind)
}

func (j *Journal) flushBegins() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.carried, j.behind = j.carried.and(j.behind), Lag{}
}

func (j *Journal) flushEnded() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.carried = Lag{}
}
