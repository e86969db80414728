//go:build !torture

package files

// A little of what make torture does.
const (
	savedFilms = 4
	savedBytes = 1 << 20 // of each
	savedRows  = 2000
)
