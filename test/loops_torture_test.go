//go:build torture

package test

// The lengths of the issue itself.
const (
	loopTurns  = 50        // of a loop of tool calls
	talkTurns  = 100       // of a conversation
	longDeltas = 1_000_000 // of a stream
	largeText  = 16 << 20  // of one answer
)
