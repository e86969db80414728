//go:build torture

package files

// Ten gigabytes. At most twice as much is on the disk at once.
const (
	savedFilms = 160
	savedBytes = 64 << 20
	savedRows  = 300_000
)
