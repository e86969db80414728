package fault

import "time"

// Standing is how much is left of a limit that a request falls under.
type Standing struct {
	Name    string
	Measure string // requests, tokens, dollars …
	Amount  int64
	Left    int64
	Window  time.Duration // 0: it never begins anew
	Reset   time.Duration // until it does, or some of it comes back
}
