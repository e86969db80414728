package anthropic

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// Claude's own answers have texts of nothing beside calls and searches, which Anthropic refuses when they come back; Claude Code has put
// marks of its cache on empty ones. Every turn that follows is refused then, whatever is said in it (BerriAI/litellm#22979,
// LibreChat-AI/agents#124, anomalyco/opencode#31259, anthropics/claude-code#54013).

// blankTexts is what an upstream has refused that takes no texts of nothing.
const blankTexts = "text.blank"

// refusesBlanks reports whether a refusal is about them.
func refusesBlanks(words string) bool {
	return dialect.Says(words, "text content blocks must be non-empty", "text content blocks must contain non-whitespace text", "cannot be set for empty text blocks", "must have non-empty content")
}

// emptyTurn stands for a turn in which the user says nothing: there must be one.
const emptyTurn = `"(empty)"`

// leaveBlanks takes texts of nothing out of a request whose upstream has refused them.
func leaveBlanks(call *dialect.Outgoing, refused []string) (err error) {
	if !slices.Contains(refused, blankTexts) {
		return nil
	}
	var edits jsonscan.Edits
	root := jsonscan.Root(call.Body)
	for key, v := range root.Members() {
		if key.Name != "system" {
			continue
		}
		if blank, all := blanksIn(v); all {
			edits.Remove(key, v)
		} else {
			removeAll(&edits, blank)
		}
	}
	for i, m := range root.Get("messages").Elements() {
		content := m.Get("content")
		blank, all := blanksIn(content)
		loss := chat.Loss{Field: chat.FieldPart, Message: i, Part: -1, Verb: chat.Ignored, Note: "a text of nothing"}
		switch {
		case all && m.Get("role").View() == "assistant":
			edits.RemoveElement(m)
		case all:
			edits.Replace(content, []byte(emptyTurn))
			loss.Verb, loss.Note = chat.Approximated, "a word stands for nothing"
		case len(blank) == 0:
			continue
		default:
			removeAll(&edits, blank)
		}
		call.Losses = append(call.Losses, loss)
	}
	call.Body, err = edits.Apply(call.Body)
	return err
}

func removeAll(edits *jsonscan.Edits, blocks []jsonscan.Value) {
	for _, b := range blocks {
		edits.RemoveElement(b)
	}
}

// blanksIn finds the texts of nothing among blocks, and whether there is nothing else.
func blanksIn(content jsonscan.Value) (blank []jsonscan.Value, all bool) {
	if content.Kind() != jsonscan.Array {
		return nil, content.Kind() == jsonscan.String && strings.TrimSpace(content.View()) == ""
	}
	n := 0
	for _, b := range content.Elements() {
		n++
		if b.Get("type").View() == "text" && strings.TrimSpace(b.Get("text").View()) == "" {
			blank = append(blank, b)
		}
	}
	return blank, len(blank) == n
}
