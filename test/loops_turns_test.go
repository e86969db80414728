//go:build !torture

package test

// The lengths of what is not tested at its full length in any case; make torture runs all of it so.
const (
	loopTurns  = 6       // of a loop of tool calls
	talkTurns  = 20      // of a conversation
	longDeltas = 100_000 // of a stream
	largeText  = 2 << 20 // of one answer
)
