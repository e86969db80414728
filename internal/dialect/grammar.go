package dialect

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// InWords is the description of a tool that takes free text, with the grammar of it, for
// APIs that have no other place for that.
func InWords(t *chat.Tool) string {
	g := jsonscan.At(t.Grammar, 0)
	if inner := g.Get("grammar"); inner.Kind() == jsonscan.Object {
		g = inner
	}
	definition := g.Get("definition").View()
	if definition == "" {
		return t.Description
	}
	return strings.TrimPrefix(t.Description+"\n", "\n") + "The input must match this " + g.Get("syntax").View() + " grammar:\n" + definition
}
