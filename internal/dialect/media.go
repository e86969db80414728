package dialect

import (
	"encoding/base64"
	"net/url"
	"strings"

	"stele/internal/chat"
)

// DataURL reads data:image/png;charset=x;base64,… with all the liberties people
// take with it. The payload comes back as standard padded base64.
func DataURL(text string) (*chat.Media, bool) {
	rest, ok := strings.CutPrefix(text, "data:")
	if !ok {
		return nil, false
	}
	head, payload, ok := strings.Cut(rest, ",")
	if !ok {
		return nil, false
	}
	kind, parameters, _ := strings.Cut(head, ";")
	m := &chat.Media{Type: strings.ToLower(strings.TrimSpace(kind))}
	if strings.Contains(";"+strings.ToLower(parameters)+";", ";base64;") {
		m.Base64, ok = Base64(payload)
	} else {
		plain, err := url.PathUnescape(payload)
		m.Base64, ok = base64.StdEncoding.EncodeToString([]byte(plain)), err == nil
	}
	return m, ok
}

// Base64 brings base64 of any alphabet, with line breaks or without padding,
// into the standard padded form. A payload that is standard already is not copied.
func Base64(text string) (string, bool) {
	if strings.ContainsAny(text, "\r\n\t -_") || len(text)%4 != 0 {
		text = strings.NewReplacer("\r", "", "\n", "", "\t", "", " ", "", "-", "+", "_", "/").Replace(text)
		text = strings.TrimRight(text, "=")
		if n := len(text) % 4; n > 0 {
			text += strings.Repeat("=", 4-n)
		}
	}
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

// magic is how the bytes of each type begin; # stands for any byte.
var magic = []struct{ begins, kind string }{
	{"\x89PNG\r\n\x1a\n", "image/png"},
	{"\xff\xd8\xff", "image/jpeg"},
	{"GIF87a", "image/gif"},
	{"GIF89a", "image/gif"},
	{"RIFF####WEBP", "image/webp"},
	{"RIFF####WAVE", "audio/wav"},
	{"%PDF-", "application/pdf"},
	{"ID3", "audio/mpeg"},
	{"\xff\xfb", "audio/mpeg"},
	{"\xff\xf3", "audio/mpeg"},
	{"OggS", "audio/ogg"},
	{"fLaC", "audio/flac"},
	{"BM", "image/bmp"},
	{"####ftypheic", "image/heic"},
	{"####ftypavif", "image/avif"},
	{"####ftyp", "video/mp4"},
	{"\x1aE\xdf\xa3", "video/webm"},
	{"II*\x00", "image/tiff"},
	{"MM\x00*", "image/tiff"},
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

// TypeOf is what a payload really is: its bytes are believed before its label.
func TypeOf(m *chat.Media) string {
	if m.Base64 != "" {
		if kind := Sniff(m.Base64); kind != "" {
			return kind
		}
	}
	if m.Type == "image/jpg" {
		return "image/jpeg"
	}
	return m.Type
}
