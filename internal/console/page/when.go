package page

import (
	"fmt"
	"time"
)

// Moment is a point in time as a page shows it.
type Moment struct {
	Machine string // for the datetime attribute
	Exact   string // to the minute, in UTC
	Day     string
	Near    string // seen from now: "3 hours ago", "in 6 days"
}

// At describes t; the zero time has no moment.
func (f *Frame) At(t time.Time) *Moment {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &Moment{
		Machine: t.Format(time.RFC3339),
		Exact:   t.Format("2 Jan 2006, 15:04 UTC"),
		Day:     t.Format("2 Jan 2006"),
		Near:    near(f.Now().Sub(t)),
	}
}

// near puts an age in words; a negative one lies ahead.
func near(age time.Duration) string {
	if age < 0 {
		return Later(-age)
	}
	if age < time.Minute {
		return "just now"
	}
	return Span(age) + " ago"
}

// Later says in how long something is: "in 3 hours".
func Later(d time.Duration) string { return "in " + Span(d) }

// Span names a length of time by its largest unit, rounded to the nearest.
func Span(d time.Duration) string {
	for _, u := range []struct {
		length time.Duration
		name   string
		from   time.Duration
	}{
		{365 * Day, "year", 700 * Day},
		{30 * Day, "month", 100 * Day},
		{Day, "day", 47 * time.Hour},
		{time.Hour, "hour", 90 * time.Minute},
		{time.Minute, "minute", 90 * time.Second},
	} {
		if d >= u.from {
			return fmt.Sprintf("%d %ss", (d+u.length/2)/u.length, u.name)
		}
	}
	if d > time.Minute-time.Second {
		return "a minute"
	}
	if n := (d + time.Second - 1) / time.Second; n > 1 {
		return fmt.Sprintf("%d seconds", n)
	}
	return "a second"
}

// Day is 24 hours.
const Day = 24 * time.Hour

// WrongDate is said of a date in a form that is none.
const WrongDate = "A date is written as 2026-01-31."
