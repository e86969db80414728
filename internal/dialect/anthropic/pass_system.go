package anthropic

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// speakAsUser makes the user's what the system says between turns, with a mark around it, where the upstream has refused
// such turns. Claude Code sends them to every model that it does not know for an older one. What they direct besides is
// left out with them.
func (e *editor) speakAsUser() {
	if !e.target.SystemFirst {
		return
	}
	turns, lastUser := e.root.Get("messages"), 0
	for i, turn := range turns.Elements() {
		if turn.Get("role").View() == "user" {
			lastUser = i
		}
	}
	for i, turn := range turns.Elements() {
		if turn.Get("role").View() != "system" {
			continue
		}
		loss := chat.Loss{Field: chat.FieldPart, Message: i, Part: -1, Verb: chat.Approximated, Note: "system text as marked text of the user"}
		switch {
		case turn.Get(clearAt).View() == "next_user_message" && i < lastUser:
			loss.Verb, loss.Note = chat.Ignored, "no longer shown to the model"
			e.edits.RemoveElement(turn)
		case !hasWords(turn.Get("content")):
			loss.Verb, loss.Note = chat.Dropped, "the model takes no directions between turns"
			e.edits.RemoveElement(turn)
		default:
			e.markTexts(turn)
		}
		e.lose(loss)
	}
}

// hasWords reports whether a turn's content says something.
func hasWords(content jsonscan.Value) bool {
	for _, block := range content.Elements() {
		if hasWords(block.Get("text")) {
			return true
		}
	}
	return strings.TrimSpace(content.View()) != ""
}

// markTexts makes a turn of the system's the user's, and puts a mark around its texts.
func (e *editor) markTexts(turn jsonscan.Value) {
	for key, v := range turn.Members() {
		switch key.Name {
		case "role":
			e.edits.ReplaceText(v, "user")
		case outputConfig, clearAt:
			e.edits.Remove(key, v)
		case "content":
			if v.Kind() == jsonscan.String {
				e.edits.ReplaceText(v, dialect.TagSystemText(v.View()))
			}
			for _, block := range v.Elements() {
				if text := block.Get("text"); hasWords(text) {
					e.edits.ReplaceText(text, dialect.TagSystemText(text.View()))
				} else {
					e.edits.RemoveElement(block)
				}
			}
		}
	}
}
