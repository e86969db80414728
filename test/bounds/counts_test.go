//go:build !torture

package bounds

// What is sent here would take more than mostOverIdle if it were kept; make torture sends more of it.
const (
	halves       = 60 // bodies of which 16 MB come
	zeros        = 8 << 20
	names        = 1 << 19
	guesses      = 2500
	unpacked     = 5 // addresses at once, of a gigabyte each
	deepPhotos   = 2 // of 320 MB each
	editedPhotos = 2 // in each of two orders, of 64 MB each, and as much when they are turned
)

// sheets are how eight pictures are put together.
var sheets = []string{"grid"}
