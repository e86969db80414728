//go:build !torture

package stream

// A tenth of what make torture does.
const (
	longDeltas = 100_000 // of a stream
	largeText  = 2 << 20 // of one answer
)
