package wire

import (
	"encoding/base64"
	"errors"
	"io"
	"net/url"
	"strings"
)

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

// NewDataURL is a data URL of what base64 holds, in its standard form.
func NewDataURL(kind, base64 string) string { return "data:" + kind + ";base64," + base64 }

// ErrNoComma says that a data URL has no content.
var ErrNoComma = errors.New("the data: URL has no comma in it")

// OpenDataURL gives the type and the content of a data URL. Reading fails where its
// base64 is wrong.
func OpenDataURL(text string) (kind string, content io.Reader, err error) {
	kind, payload, coded, ok := DataURL(text)
	if !ok {
		return "", nil, ErrNoComma
	}
	plain, err := url.PathUnescape(payload)
	switch {
	case err != nil && !coded:
		return "", nil, err
	case err == nil: // some escape base64 too
		payload = plain
	}
	if !coded {
		return kind, strings.NewReader(payload), nil
	}
	return kind, base64.NewDecoder(base64.StdEncoding, strings.NewReader(Base64(payload))), nil
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
