package limit

import (
	"strings"
	"time"
)

// Passed is a threshold that was passed, and how the limit stood then.
type Passed struct {
	Limit      Limit
	Counter    int64
	Subject    string // of the counter
	Start, End time.Time
	Mark       int // percent
	Used       int64
	Amount     int64
	At         time.Time
}

// Subjects tells of whom a counter counts: every selector of the limit, with the one
// value that is meant. None: all calls together.
func (l *Limit) Subjects(counter string) []Selector {
	values := strings.Split(counter, "\n")
	list := make([]Selector, len(l.Subject))
	for i, s := range l.Subject {
		if s.Value == Each && len(values) > 0 {
			s.Value, values = values[0], values[1:]
		}
		list[i] = s
	}
	return list
}
