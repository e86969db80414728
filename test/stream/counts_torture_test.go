//go:build torture

package stream

const (
	longDeltas = 1_000_000 // of a stream
	largeText  = 16 << 20  // of one answer
)
