package chat

import "sync/atomic"

// Loan counts who reads the bytes of a request, so that their memory can be used again
// when none does. Its maker has it first. A nil Loan counts nothing, so that
// callers need no test.
type Loan struct {
	readers atomic.Int64
	free    func()
}

// NewLoan makes a loan that calls free when all have returned it. Where one never does,
// free is not called: then the memory is left to the collector.
func NewLoan(free func()) *Loan {
	l := &Loan{free: free}
	l.readers.Store(1)
	return l
}

// Take notes one more reader. Only a reader may call it.
func (l *Loan) Take() *Loan {
	if l != nil {
		l.readers.Add(1)
	}
	return l
}

// Return notes that a reader reads no more. It is called once for each.
func (l *Loan) Return() {
	if l != nil && l.readers.Add(-1) == 0 {
		l.free()
	}
}
