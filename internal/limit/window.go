package limit

import "time"

// span is when a window begins and ends. The end of one that never ends is zero.
type span struct{ start, end time.Time }

func (s span) has(now time.Time) bool {
	return !s.start.IsZero() && !now.Before(s.start) && (s.end.IsZero() || now.Before(s.end))
}

func zone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	return time.LoadLocation(name)
}

// Length is about how long a window is; 0 for one that never ends.
func (w Window) Length() time.Duration {
	const day = 24 * time.Hour
	switch w {
	case Minute:
		return time.Minute
	case Hour:
		return time.Hour
	case Day:
		return day
	case Week:
		return 7 * day
	case Month:
		return 30 * day
	}
	return 0
}

// at is the window that a time falls into.
func (w Window) at(now time.Time, in *time.Location) span {
	now = now.In(in)
	y, m, d := now.Date()
	switch w {
	case Minute:
		start := now.Truncate(time.Minute)
		return span{start, start.Add(time.Minute)}
	case Hour:
		// Not Truncate: there are zones half an hour off.
		start := now.Add(-time.Duration(now.Minute())*time.Minute - time.Duration(now.Second())*time.Second - time.Duration(now.Nanosecond()))
		return span{start, start.Add(time.Hour)}
	case Day:
		return span{time.Date(y, m, d, 0, 0, 0, 0, in), time.Date(y, m, d+1, 0, 0, 0, 0, in)}
	case Week:
		monday := d - (int(now.Weekday())+6)%7
		return span{time.Date(y, m, monday, 0, 0, 0, 0, in), time.Date(y, m, monday+7, 0, 0, 0, 0, in)}
	case Month:
		return span{time.Date(y, m, 1, 0, 0, 0, 0, in), time.Date(y, m+1, 1, 0, 0, 0, 0, in)}
	}
	return span{start: time.Unix(0, 0).UTC()}
}

// spanAt is the window of a time. What slides or counts only the present has one that never ends.
func (l *Limit) spanAt(now time.Time, in *time.Location) span {
	if !l.Durable() {
		return Total.at(now, in)
	}
	return l.Window.at(now, in)
}
