package store

import "sync"

// What nobody waits for goes last, and in small numbers as long as there is
// something that somebody waits for.
const (
	mostTogether = 64
	mostBeside   = 2
)

// gathering has things that come at the same time done together: what a
// transaction costs is mostly its beginning and its end. Nobody waits for company:
// done together is what came while those before were being done.
type gathering[T any] struct {
	width int                        // groups at the same time
	do    func(group []*gathered[T]) // ends each of them

	mu      sync.Mutex // guards all below
	urgent  []*gathered[T]
	other   []*gathered[T]
	running int
}

// gathered is one of a group.
type gathered[T any] struct {
	what T
	err  error
	done chan struct{}
}

func (g *gathered[T]) end(err error) {
	g.err = err
	close(g.done)
}

// join has one thing done, perhaps with others, and returns when that is over.
func (g *gathering[T]) join(what T, urgent bool) error {
	mine := &gathered[T]{what: what, done: make(chan struct{})}
	g.mu.Lock()
	if urgent {
		g.urgent = append(g.urgent, mine)
	} else {
		g.other = append(g.other, mine)
	}
	if g.running < g.width {
		g.running++
		go g.run()
	}
	g.mu.Unlock()
	<-mine.done // soon, and then it is known what became of it
	return mine.err
}

// run does groups until there is nothing left.
func (g *gathering[T]) run() {
	for group := g.next(); len(group) > 0; group = g.next() {
		g.do(group)
	}
}

// next is the next group. Where it is empty the caller has ended.
func (g *gathering[T]) next() []*gathered[T] {
	g.mu.Lock()
	defer g.mu.Unlock()
	beside := mostTogether
	if len(g.urgent) > 0 {
		beside = mostBeside
	}
	var group []*gathered[T]
	group, g.urgent = move(group, g.urgent, mostTogether)
	group, g.other = move(group, g.other, beside)
	if len(group) == 0 {
		g.running--
	}
	return group
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
