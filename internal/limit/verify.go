package limit

import "time"

// Verified is what a check of the money found: whether rows, counters and ledger agree.
type Verified struct {
	Counters    int64        // that were looked at
	Partly      int64        // of those, whose rows are not all kept any more: only leases and doubts were checked
	Rows        int64        // requests that were added up
	Differences []Difference // the first of them
	More        int64        // differences beyond those
}

// MostDifferences is how many a check names; it counts the rest.
const MostDifferences = 1000

// Difference is a counter that says something else than what it is the sum of.
type Difference struct {
	Counter int64
	Limit   string
	Subject string
	Start   time.Time
	What    string // settled, leased, held, doubt or ledger
	Counted int64  // what the counter says
	Summed  int64  // what the rows, leases, tasks or the ledger add up to
}
