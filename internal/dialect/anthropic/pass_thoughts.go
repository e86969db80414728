package anthropic

import (
	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// forget leaves every thought out of a body whose signatures the upstream does
// not take.
func forget(call *dialect.Call) {
	if retell(call, thoughtless) {
		call.Losses = append(call.Losses, chat.Lost(chat.FieldThinking, chat.Dropped, "thoughts of earlier turns, whose signatures were refused"))
		mend(call)
	}
}

// thoughtless is the content of one turn without its thoughts.
func thoughtless(content gjson.Result, _ int) (text []byte, changed bool) {
	text = []byte{'['}
	content.ForEach(func(_, b gjson.Result) bool {
		switch b.Get("type").Str {
		case "thinking", "redacted_thinking":
			changed = true
			return true
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(text, b.Raw...)
		return true
	})
	return append(text, ']'), changed
}
