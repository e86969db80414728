package access

import (
	"context"
	"encoding/hex"
	"time"

	"stele/internal/seal"
)

// Failures is where several servers count failed sign-ins together.
type Failures interface {
	// ChangeFailures hands over the counts of names and saves what change has made of them,
	// before any other server sees them. A name without failures is not kept, and neither is
	// one whose last is older than since. Change may be called again, with the counts anew.
	ChangeFailures(ctx context.Context, names []string, since time.Time, change func(counts map[string]FailureCount)) error
}

// FailureCount is how often something failed, and when it last did.
type FailureCount struct {
	Failures int
	Last     time.Time
}

// ShareFailures has failed sign-ins count on all servers that share a store. It is called
// before the first sign-in.
func (s *Service) ShareFailures(with Failures, keys Keys) {
	s.throttle.shared, s.throttle.names = with, keys.Hasher("sign-in failures")
}

// sharing is where a throttle counts together with others; the zero value counts alone.
type sharing struct {
	shared Failures
	names  *seal.Hasher // what is tried, and from where, is kept as a hash
}

// begin counts an attempt as a failure before it is known, unless it has to wait: parallel
// guesses must not all slip under the limit. What fail reports is in step.
func (t *throttle) begin(ctx context.Context, a attempt) (step bool, wait time.Duration, err error) {
	err = t.countTogether(ctx, a, func() {
		if wait = t.wait(a); wait == 0 {
			step = t.fail(a)
		}
	})
	return step, wait, err
}

// forgive is succeed on all servers.
func (t *throttle) forgive(ctx context.Context, a attempt) error {
	return t.countTogether(ctx, a, func() { t.succeed(a) })
}

// countTogether does something to the counts of an attempt as they are on all servers. What is in
// memory is replaced by what the others have counted, and the others get what it is afterwards.
func (t *throttle) countTogether(ctx context.Context, a attempt, do func()) error {
	if t.shared == nil {
		do()
		return nil
	}
	named := make(map[string]string) // by hash
	var hashes []string
	t.mu.Lock()
	for _, c := range append(t.counts(a), count{name: "account " + a.account}) {
		sum := t.names.Sum(c.name)
		hash := hex.EncodeToString(sum[:])
		named[hash] = c.name
		hashes = append(hashes, hash)
	}
	t.mu.Unlock()
	return t.shared.ChangeFailures(ctx, hashes, t.now().Add(-forgetAfter), func(counts map[string]FailureCount) {
		t.mu.Lock()
		for hash, name := range named {
			t.put(name, counts[hash])
		}
		t.mu.Unlock()
		do()
		t.mu.Lock()
		defer t.mu.Unlock()
		for hash, name := range named {
			counts[hash] = FailureCount{}
			if one := t.find(name); one != nil {
				counts[hash] = FailureCount{one.failures, one.last}
			}
		}
	})
}

// put sets what is counted under a name. The caller holds the lock.
func (t *throttle) put(name string, c FailureCount) {
	if c.Failures <= 0 {
		t.tries.Delete(name)
		return
	}
	one := t.note(name)
	one.failures, one.last = c.Failures, c.Last
}
