// Package pattern is regular expressions that are compiled when they are first asked for. Some sixty of them look at nothing
// but what upstreams refuse: to compile them all took a third of the processor time, and half of the memory, of a short run.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern gives a regular expression, to many at once.
type Pattern func() *regexp.Regexp

// all are the patterns of the program, which are made before it begins.
var all []Pattern

// New is a pattern of a package's own. Whether its text is one shows when it is asked for: see All.
func New(text string) Pattern {
	p := Pattern(sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) }))
	all = append(all, p)
	return p
}

// All are the patterns of the program, for a test that each can be compiled.
func All() []Pattern { return all }
