package sandbox

import (
	"encoding/base64"
	"strings"

	"stele/internal/chat"
	"stele/internal/picture"
)

// pixels is the size of a picture, from its first bytes.
func pixels(m *chat.Media) (w, h int, ok bool) {
	head, err := picture.Look(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m.Base64)))
	return head.Width, head.Height, err == nil
}
