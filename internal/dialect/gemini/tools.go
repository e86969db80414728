package gemini

import (
	"strings"

	"stele/internal/jsonscan"
)

const (
	longestName = 128
	mostTools   = 512
)

// isLegalName reports whether the API takes a function's name.
func isLegalName(name string) bool {
	if name == "" || len(name) > longestName {
		return false
	}
	for i := range len(name) {
		b := name[i]
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_'
		if !letter && (i == 0 || !(b >= '0' && b <= '9' || b == '.' || b == ':' || b == '-')) {
			return false
		}
	}
	return true
}

// isPartial reports whether arguments were cut off: they began and are not JSON.
func isPartial(arguments string) bool {
	return strings.TrimSpace(arguments) != "" && !jsonscan.Valid([]byte(arguments), jsonscan.Duplicates)
}

// writeCall writes a functionCall.
func writeCall(w *jsonscan.Writer, id, name string, args []byte) {
	w.Key("functionCall").Open(jsonscan.Object)
	writeText(w, "id", id)
	w.Key("name").Text(name).Key("args").Raw(args).Close(jsonscan.Object)
}
