package bridge

import (
	"slices"

	"stele/internal/jsonscan"
)

// moderation is what a request asks for and an answer has under the same name.
const moderation = "moderation"

// takeModeration takes over what a moderation found, which the chat route has in a frame of its own.
func (a *answer) takeModeration(v jsonscan.Value) {
	if v.Kind() == object {
		a.moderated = slices.Clone(v.Raw())
	}
}

// writeModeration writes the same as this API has it: of each side one result and not a list of them.
func (a *answer) writeModeration(w *jsonscan.Writer) {
	if a.moderated == nil {
		return
	}
	w.Key(moderation).Open(object)
	for key, v := range jsonscan.Root(a.moderated).Members() {
		if one := v.Get("results").Index(0); one.Exists() {
			v = one
		}
		w.Key(key.Name).Raw(v.AppendCompact(nil))
	}
	w.Close(object)
}
