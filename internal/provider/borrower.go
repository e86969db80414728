package provider

import (
	"io"
	"net"
	"net/http"
	"sync"

	"stele/internal/chat"
)

// borrower reads a body whose bytes are lent. A transport may be at it when the answer
// has long been read, or be told to let go while it still writes: the loan is returned
// when it is closed and no read of it goes on.
type borrower struct {
	pieces net.Buffers // only the reader's

	mu     sync.Mutex // guards what follows
	reads  int        // that go on
	closed bool
	loan   *chat.Loan
}

// Read reads on.
func (b *borrower) Read(p []byte) (int, error) {
	if !b.begin() {
		return 0, http.ErrBodyReadAfterClose
	}
	defer b.end()
	return b.pieces.Read(p)
}

// WriteTo writes what is left, without a copy.
func (b *borrower) WriteTo(w io.Writer) (int64, error) {
	if !b.begin() {
		return 0, http.ErrBodyReadAfterClose
	}
	defer b.end()
	return b.pieces.WriteTo(w)
}

// Close ends the reading. It may be called twice, and beside it.
func (b *borrower) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.settle()
	return nil
}

func (b *borrower) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.reads++
	}
	return !b.closed
}

func (b *borrower) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reads--
	b.settle()
}

// settle returns the loan once nothing is read any more. The caller holds mu.
func (b *borrower) settle() {
	if b.closed && b.reads == 0 {
		b.loan.Return()
		b.loan = nil
	}
}
