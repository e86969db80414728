package upstream

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
)

var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// magics are the first bytes of what can be told from them.
var magics = []struct {
	prefix string
	at     int
	kind   string
}{
	{"\x89PNG\r\n\x1a\n", 0, "image/png"},
	{"\xff\xd8\xff", 0, "image/jpeg"},
	{"GIF8", 0, "image/gif"},
	{"WEBP", 8, "image/webp"},
	{"ftypheic", 4, "image/heic"},
	{"ftypmif1", 4, "image/heif"},
	{"%PDF-", 0, "application/pdf"},
	{"WAVE", 8, "audio/wav"},
	{"ID3", 0, "audio/mpeg"},
	{"\xff\xfb", 0, "audio/mpeg"},
}

// sniff is the type that bytes have; "" is unknown.
func sniff(b []byte) string {
	for _, m := range magics {
		if len(b) > m.at && bytes.HasPrefix(b[m.at:], []byte(m.prefix)) {
			return m.kind
		}
	}
	return ""
}

// dataURL takes data:TYPE;base64,DATA apart. It is as strict as the strictest: no
// parameters, no white space.
func dataURL(url string) (kind, data string, ok bool) {
	rest, found := strings.CutPrefix(url, "data:")
	if !found {
		return "", "", false
	}
	kind, data, ok = strings.Cut(rest, ";base64,")
	return kind, data, ok
}

func oneOf(word string, words []string) bool { return slices.Contains(words, word) }

// unbase64 reads standard, padded base64 in one line, and nothing else.
func unbase64(data string) ([]byte, bool) {
	if strings.ContainsAny(data, "\r\n") {
		return nil, false // which the library overlooks
	}
	b, err := base64.StdEncoding.DecodeString(data)
	return b, err == nil
}
