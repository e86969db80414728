package dialect

import (
	"strings"

	"stele/internal/jsonscan"
)

// Unwrap takes an answer, or a frame of one, out of what a gateway has put around it: {"response": {…}} of Google's Code Assist
// and who imitates it, {"data": {…}} and {"result": {…}} beside a code of others, {"provider": {…}} of OpenRouter, a list of one. It is false for what is an answer
// itself, and for what holds none.
func Unwrap(body []byte) (inner []byte, wrapped bool) {
	if !jsonscan.Valid(body, jsonscan.Lenient) {
		return nil, false
	}
	root := jsonscan.At(body, 0)
	if root.Kind() == jsonscan.Array && root.Len() == 1 {
		root, wrapped = root.Index(0), true
	}
	if holdsAnswer(root) {
		return root.Raw(), wrapped
	}
	for _, name := range wrappers {
		if v := root.Get(name); holdsAnswer(v) {
			return v.Raw(), true
		}
	}
	return nil, false
}

// wrappers are what gateways call what they pass on.
var wrappers = []string{"response", "data", "result", "body", "provider"}

// holdsAnswer reports whether a value is an answer or a frame of one, in any dialect.
func holdsAnswer(v jsonscan.Value) bool {
	if v.Kind() != jsonscan.Object {
		return false
	}
	kind := v.Get("type").View() // Anthropic's
	return isOfAnswer(v) || strings.HasPrefix(kind, "message") || strings.HasPrefix(kind, "content_block")
}
