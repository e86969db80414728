package anthropic

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// Tools and people give pictures with a wrong type (a screenshot that is a JPEG, a WebP of Figma's), and agents send it along. Anthropic
// refuses the picture with every turn that follows (anthropics/claude-code#11975, google-gemini/gemini-cli#27731).

// pictureTypes is what an upstream has refused that looks whether a picture is of the type that it is said to be.
const pictureTypes = "media_type"

// refusesTypes reports whether a refusal is about that.
func refusesTypes(words string) bool {
	return dialect.Says(words, "media type, but the image appears to be", "does not match the provided media type")
}

// retype gives pictures the types that their bytes show, in a request whose upstream has refused another.
func retype(call *dialect.Outgoing, refused []string) (err error) {
	if !slices.Contains(refused, pictureTypes) {
		return nil
	}
	var r retyper
	for i, m := range jsonscan.Root(call.Body).Get("messages").Elements() {
		told := r.edits.Len()
		if r.retypeAll(m.Get("content")); r.edits.Len() > told {
			call.Losses = append(call.Losses, chat.Loss{Field: chat.FieldPart, Message: i, Part: -1, Verb: chat.Approximated, Note: "a picture has the type of its bytes"})
		}
	}
	call.Body, err = r.edits.Apply(call.Body)
	return err
}

type retyper struct{ edits jsonscan.Edits }

func (r *retyper) retypeAll(content jsonscan.Value) {
	if content.Kind() != jsonscan.Array {
		return
	}
	for _, b := range content.Elements() {
		switch source := b.Get("source"); b.Get("type").View() {
		case "image":
			said := source.Get("media_type")
			if kind := dialect.Sniff(source.Get("data").View()); strings.HasPrefix(kind, "image/") && said.Exists() && kind != said.View() {
				r.edits.ReplaceText(said, kind)
			}
		case "tool_result":
			r.retypeAll(b.Get("content"))
		}
	}
}
