package dialect

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"stele/internal/chat"
)

// DocumentName is what a document is called; "": nothing.
func DocumentName(p *chat.Part) string {
	if p.Name == "" && p.Media != nil {
		return p.Media.Name
	}
	return p.Name
}

// DocumentText is the words of a document that has only words.
func DocumentText(p *chat.Part) (string, bool) {
	var texts []string
	for _, inner := range p.Content {
		if inner.Kind == chat.Text {
			texts = append(texts, inner.Text)
		}
	}
	switch {
	case p.Media == nil:
		return strings.Join(texts, "\n"), len(p.Content) > 0
	case p.Media.Plain != "":
		return p.Media.Plain, true
	case len(texts) > 0:
		return strings.Join(texts, "\n"), true
	case p.Media.Base64 != "" && IsText(TypeOf(p.Media)):
		b, err := base64.StdEncoding.DecodeString(p.Media.Base64)
		return string(b), err == nil && utf8.Valid(b)
	case IsText(p.Media.Type) && p.Media.URL == "" && p.Media.FileID == "": // an empty file, which the model is to know of
		return "", true
	}
	return "", false
}

// FrameDocument sets a document's words off from what else is said.
func FrameDocument(p *chat.Part, text string) string {
	head := "<document>"
	if name := DocumentName(p); name != "" {
		head = "<document title=" + string(AppendText(nil, name)) + ">"
	}
	if p.Media != nil && p.Media.Note != "" {
		head += "\n" + p.Media.Note
	}
	return head + "\n" + text + "\n</document>"
}
