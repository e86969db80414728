//go:build torture

package bounds

const (
	halves       = 200
	zeros        = 15 << 20
	names        = 1 << 20
	guesses      = 10_000
	unpacked     = 8
	deepPhotos   = 4
	editedPhotos = 4
)

var sheets = []string{"grid", "row"}
