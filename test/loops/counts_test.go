//go:build !torture

package loops

// The lengths of what is not tested at its full length in any case; make torture runs all of it so.
const (
	loopTurns = 6  // of a loop of tool calls
	talkTurns = 20 // of a conversation
)
