package wire

import "strings"

// DataURL takes data:image/png;charset=x;base64,… apart, with all the liberties that
// senders take with it. Its type is in lower case. The payload is base64 of any form
// where coded says so, and otherwise escaped as a path is.
func DataURL(text string) (kind, payload string, coded, ok bool) {
	const scheme = "data:"
	if len(text) < len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return "", "", false, false
	}
	head, payload, ok := strings.Cut(text[len(scheme):], ",")
	kind, parameters, _ := strings.Cut(strings.ToLower(head), ";")
	return strings.TrimSpace(kind), payload, strings.Contains(";"+parameters+";", ";base64;"), ok
}

// Base64 brings base64 of any alphabet, with line breaks or without padding, into the
// standard padded form. What is standard already is not copied.
func Base64(text string) string {
	if !strings.ContainsAny(text, "\r\n\t -_") && len(text)%4 == 0 {
		return text
	}
	text = strings.NewReplacer("\r", "", "\n", "", "\t", "", " ", "", "-", "+", "_", "/").Replace(text)
	text = strings.TrimRight(text, "=")
	return text + strings.Repeat("=", (4-len(text)%4)%4)
}
