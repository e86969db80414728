package limit

// typical is what calls take as a rule: the last few, and very many. The last ones alone
// are a matter of luck, and many calls under way would all be held at too little.
type typical struct {
	late int64 // of the last few
	mean int64 // of many, in parts
	seen int64 // calls, as far as that matters
}

const (
	typicalParts = 1 << 10
	typicalCalls = 1 << 8  // that the mean is about
	typicalKnown = 1 << 10 // after which nothing more is learned of how wrong it may be
)

// add takes over what a call took.
func (t *typical) add(n int64) {
	if n <= 0 {
		return
	}
	t.late = (3*max(t.late, 1) + n + 3) / 4
	t.seen = min(t.seen+1, typicalKnown)
	t.mean += (min(n, 1<<40)*typicalParts - t.mean) / min(t.seen, typicalCalls)
}

// most is the larger of both, and a little more, since calls differ: a quarter more at
// first, and a thirty-sixth once many were seen. It is 0 where nothing is known.
func (t *typical) most() int64 {
	usual := max(t.late, t.mean/typicalParts)
	return usual + usual*32/(128+t.seen)
}
