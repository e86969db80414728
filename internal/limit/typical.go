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
	typicalCalls = 1 << 10 // that the mean is about; after as many nothing more is learned of how wrong it may be
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

// most is the larger of both, and a little more, since calls differ: three quarters more at
// first, and a twelfth once many were seen. It is given back when they end. With a
// thirty-sixth, hundreds of calls at once passed a rate by a fiftieth, one minute in a
// hundred. It is 0 where nothing is known.
func (t *typical) most() int64 {
	usual := max(t.late, t.mean/typicalParts)
	return usual + usual*96/(128+t.seen)
}
