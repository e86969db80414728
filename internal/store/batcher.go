package store

import "sync"

// What no client waits for goes last, and in small numbers as long as there is
// something that a client waits for.
const (
	mostTogether   = 64
	mostBackground = 2
)

// batcher has things that come at the same time done together: what a transaction
// costs is mostly its beginning and its end. None waits for company: done together is
// what came while those before were being done.
type batcher[T any] struct {
	width int                    // batches at the same time
	do    func(batch []*item[T]) // ends each of them

	mu         sync.Mutex // guards all below
	urgent     []*item[T]
	words      []*item[T] // go with them, and keep nothing waiting
	background []*item[T]
	running    int
}

// item is one of a batch.
type item[T any] struct {
	what T
	err  error
	done chan struct{}
}

func (i *item[T]) end(err error) {
	i.err = err
	close(i.done)
}

// join has one thing done, perhaps with others, and returns when that is over.
func (b *batcher[T]) join(what T, p priority) error {
	mine := &item[T]{what: what, done: make(chan struct{})}
	b.mu.Lock()
	switch {
	case p.urgent:
		b.urgent = append(b.urgent, mine)
	case p.word:
		b.words = append(b.words, mine)
	default:
		b.background = append(b.background, mine)
	}
	if b.running < b.width {
		b.running++
		go b.run()
	}
	b.mu.Unlock()
	<-mine.done // soon, and then it is known what became of it
	return mine.err
}

// run does batches until there is nothing left.
func (b *batcher[T]) run() {
	for batch := b.next(); len(batch) > 0; batch = b.next() {
		b.do(batch)
	}
}

// next is the next batch. Where it is empty the caller has ended.
func (b *batcher[T]) next() []*item[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	beside := mostTogether
	if len(b.urgent) > 0 {
		beside = mostBackground
	}
	var batch []*item[T]
	batch, b.urgent = move(batch, b.urgent, mostTogether)
	batch, b.words = move(batch, b.words, mostTogether)
	batch, b.background = move(batch, b.background, beside)
	if len(batch) == 0 {
		b.running--
	}
	return batch
}

// move takes up to so many from the head of a list.
func move[T any](to, from []T, most int) (moved, left []T) {
	n := min(len(from), most)
	to = append(to, from[:n]...)
	if n == len(from) {
		return to, nil
	}
	return to, append([]T(nil), from[n:]...)
}
