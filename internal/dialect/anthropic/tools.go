package anthropic

import (
	"stele/internal/dialect"
)

const (
	longestName = 128 // of a tool
	longestID   = 64  // of a tool call
)

// isLegalName reports whether a tool may have the name.
func isLegalName(name string) bool { return dialect.CallID(name, longestName) == name }
