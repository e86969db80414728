package limit

// typical is what calls take as a rule: the last few, and very many. The last ones alone
// are a matter of luck, and many calls under way would all be held at too little.
type typical struct {
	late int64 // of the last few
	mean int64 // of many, in parts
	seen int64 // of these
}

const (
	typicalParts = 1 << 10
	typicalCalls = 256 // that the mean is about
)

// add takes over what a call took.
func (t *typical) add(n int64) {
	if n <= 0 {
		return
	}
	t.late = (3*max(t.late, 1) + n + 3) / 4
	t.seen = min(t.seen+1, typicalCalls)
	t.mean += (min(n, 1<<40)*typicalParts - t.mean) / t.seen
}

// most is the larger of both; 0 where nothing is known.
func (t *typical) most() int64 { return max(t.late, t.mean/typicalParts) }
