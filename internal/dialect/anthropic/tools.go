package anthropic

import (
	"encoding/json"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

const (
	longestName = 128 // of a tool
	longestID   = 64  // of a tool call
)

// isLegalName reports whether a tool may have the name.
func isLegalName(name string) bool { return dialect.CallID(name, longestName) == name }

// arguments are a call's as an object, and whether they were none. Words that are a
// call's only input become its member input.
func arguments(p *chat.Part) (object json.RawMessage, odd bool) {
	if p.Custom {
		return append(jsonscan.AppendText([]byte(`{"input":`), p.Text), '}'), false
	}
	return dialect.Arguments(p.Text)
}
