package dialect

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"

	"stele/internal/chat"
	"stele/internal/wire"
)

// ReadDataURL reads a data: URL. The payload comes back as standard padded base64. Some senders escape
// base64 too, and some do not say that it is: its bytes do.
func ReadDataURL(text string) (*chat.Media, bool) {
	kind, payload, coded, ok := wire.DataURL(strings.TrimSpace(text))
	if !ok {
		return nil, false
	}
	m := &chat.Media{Type: kind}
	if strings.Contains(payload, "%") {
		plain, err := url.PathUnescape(payload)
		if err != nil {
			return m, false
		}
		payload = plain
	}
	data, is := StandardBase64(payload)
	if coded || is && Sniff(data) != "" {
		m.Base64 = data
		return m, is
	}
	m.Base64 = base64.StdEncoding.EncodeToString([]byte(payload))
	return m, true
}

// StandardBase64 brings base64 of any form into the standard padded one, if it is base64.
func StandardBase64(text string) (string, bool) {
	text = wire.Base64(text)
	if len(text) == 0 {
		return "", false
	}
	body := strings.TrimRight(text, "=")
	if len(text)-len(body) > 2 {
		return "", false
	}
	for i := range len(body) { // pictures are megabytes: byte by byte, by table
		if !inAlphabet[body[i]] {
			return "", false
		}
	}
	return text, true
}

// inAlphabet are the bytes of standard base64.
var inAlphabet = func() (in [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		in[c] = true
	}
	return in
}()

// magic is how the bytes of each type begin; # stands for any byte. What words begin with
// too is told by what no word has: text about a BMW is no picture.
var magic = []struct{ begins, kind string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"RIFF####WEBP", "image/webp"},
	{"RIFF####WAVE", "audio/wav"},
	{"%PDF-", "application/pdf"},
	{"ID3\x02", "audio/mpeg"},
	{"ID3\x03", "audio/mpeg"},
	{"ID3\x04", "audio/mpeg"},
	{"\xff\xfb", "audio/mpeg"},
	{"\xff\xf3", "audio/mpeg"},
	{"\xff\xf1", "audio/aac"},
	{"\xff\xf9", "audio/aac"},
	{"OggS", "audio/ogg"},
	{"fLaC", "audio/flac"},
	{"BM####\x00\x00\x00\x00", "image/bmp"},
	{"####ftypheic", "image/heic"},
	{"####ftypheix", "image/heic"},
	{"####ftyphevc", "image/heic"},
	{"####ftypmif1", "image/heif"},
	{"####ftypmsf1", "image/heif"},
	{"####ftypavif", "image/avif"},
	{"####ftypM4A", "audio/mp4"},
	{"####ftypqt", "video/quicktime"},
	{"####ftyp", "video/mp4"},
	{"\x1aE\xdf\xa3", "video/webm"},
	{"II*\x00", "image/tiff"},
	{"MM\x00*", "image/tiff"},
	{"<svg", "image/svg+xml"},
}

// Sniff is the type that the first bytes of a base64 payload show, or "".
func Sniff(payload string) string {
	head, err := base64.StdEncoding.DecodeString(payload[:min(len(payload), 32)/4*4])
	if err != nil {
		return ""
	}
	for _, m := range magic {
		if len(head) < len(m.begins) {
			continue
		}
		fits := true
		for i := range len(m.begins) {
			fits = fits && (m.begins[i] == '#' || m.begins[i] == head[i])
		}
		if fits {
			return m.kind
		}
	}
	return ""
}

// IsText reports whether what a type names is words, also where its registry files it under applications.
func IsText(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	name, app := strings.CutPrefix(kind, "application/")
	if !app {
		return strings.HasPrefix(kind, "text/")
	}
	switch strings.TrimPrefix(name, "x-") {
	case "json", "jsonl", "ndjson", "xml", "yaml", "toml", "javascript", "typescript", "python", "sh", "sql", "graphql":
		return true
	}
	return strings.HasSuffix(name, "+json") || strings.HasSuffix(name, "+xml") || strings.HasSuffix(name, "+yaml")
}

// TypeOf is what a payload really is: its bytes are believed before its label.
func TypeOf(m *chat.Media) string {
	if m.Base64 != "" {
		kind := Sniff(m.Base64)
		if (kind == "video/mp4" || kind == "video/webm") && strings.HasPrefix(m.Type, "audio/") {
			return m.Type // which holds sound as well as pictures
		}
		if kind != "" {
			return kind
		}
	}
	switch {
	case m.Type == "image/jpg":
		return "image/jpeg"
	case m.Type == "application/octet-stream" && isWords(m.Base64): // as browsers call what they have no type for
		return "text/plain"
	}
	return m.Type
}

// isWords reports whether a base64 payload is text.
func isWords(payload string) bool {
	b, err := base64.StdEncoding.DecodeString(payload)
	return err == nil && len(b) > 0 && utf8.Valid(b) && !bytes.ContainsRune(b, 0)
}
