package label

import "strings"

// Cell is a text that spreadsheets do not take for a formula: names of models and
// ids of requests are whatever a client sent.
func Cell(text string) string {
	if text != "" && strings.ContainsAny(text[:1], "=+-@\t\r") {
		return "'" + text
	}
	return text
}
