//go:build !torture

package stream

// Little of what make torture does.
const (
	longDeltas = 30_000  // of a stream, in each of nine pairs
	largeText  = 2 << 20 // of one answer
)
