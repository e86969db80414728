//go:build torture

package loops

const (
	loopTurns = 50  // of a loop of tool calls
	talkTurns = 100 // of a conversation
)
