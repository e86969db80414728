//go:build !torture

package test

// The lengths of a test; make torture runs the issue's own.
const (
	loopTurns  = 6       // of a loop of tool calls
	talkTurns  = 20      // of a conversation
	longDeltas = 100_000 // of a stream
	largeText  = 2 << 20 // of one answer
)
