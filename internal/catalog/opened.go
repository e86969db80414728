package catalog

import (
	"iter"
	"sync"
	"weak"

	"stele/internal/access"
	"stele/internal/media"
)

// mostOpenings is how many scopes are remembered. Few have patterns at all.
const mostOpenings = 4096

// openings remembers which models scopes open. A list asks the patterns of a scope about
// every model, and a client may ask for lists without end.
type openings struct {
	mu sync.Mutex // guards of
	of map[patterns]*opening
}

// patterns are what of a scope decides what it opens. They are known by where they are,
// not by what they say: those of a key stay in their place until it is changed. What is
// remembered of them does not keep them.
type patterns struct {
	models weak.Pointer[string]
	policy weak.Pointer[access.Policy]
}

// opening is what a scope opens, by places in the contents.
type opening struct{ models, media bits }

// EachModel gives the chat models that a scope opens, with their places in the contents.
// One of whose targets the scope shuts some is a copy without those.
func (c *Contents) EachModel(scope access.Scope) iter.Seq2[int, *Model] {
	return func(yield func(int, *Model) bool) {
		open := c.opening(scope)
		for i := range c.Models {
			if open != nil && !open.models.has(i) {
				continue
			}
			if m := within(&c.Models[i], scope); m != nil && !yield(i, m) {
				return
			}
		}
	}
}

// EachMedia gives the media models of a type, or of all types where it is "", that a
// scope opens, with their places in the contents.
func (c *Contents) EachMedia(scope access.Scope, mediaType string) iter.Seq2[int, *media.Model] {
	return func(yield func(int, *media.Model) bool) {
		open := c.opening(scope)
		for i := range c.Media {
			if mediaType != "" && c.Media[i].MediaType != mediaType || open != nil && !open.media.has(i) {
				continue
			}
			if !yield(i, &c.Media[i]) {
				return
			}
		}
	}
}

// opening is what a scope opens; nil: all.
func (c *Contents) opening(scope access.Scope) *opening {
	if !scope.LimitsModels() || c.opened == nil {
		return nil
	}
	p := patterns{policy: weak.Make(scope.Policy)}
	if len(scope.Models) > 0 {
		p.models = weak.Make(&scope.Models[0])
	}
	c.opened.mu.Lock()
	open := c.opened.of[p]
	c.opened.mu.Unlock()
	if open != nil {
		return open
	}
	open = c.ask(scope)
	c.opened.mu.Lock()
	defer c.opened.mu.Unlock()
	if len(c.opened.of) >= mostOpenings {
		clear(c.opened.of)
	}
	c.opened.of[p] = open
	return open
}

func (c *Contents) ask(scope access.Scope) *opening {
	open := &opening{newBits(len(c.Models)), newBits(len(c.Media))}
	for i := range c.Models {
		if scope.AllowsModel(c.Models[i].ID) {
			open.models.set(i)
		}
	}
	for i := range c.Media {
		if scope.AllowsModel(c.Media[i].ID) && scope.AllowsProvider(c.Media[i].Provider) {
			open.media.set(i)
		}
	}
	return open
}

// bits are a set of small numbers.
type bits []uint64

func newBits(n int) bits      { return make(bits, (n+63)/64) }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }
