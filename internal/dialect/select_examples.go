package dialect

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// Examples is Anthropic's member of a tool with arguments as they may be. The model reads them; no other API has a place for them.
const Examples = "input_examples"

// tellExamples puts examples of arguments into the descriptions of their tools, for an upstream that takes them nowhere else.
func tellExamples(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	has := func(t chat.Tool) bool {
		list := jsonscan.At(t.Raw, 0).Get(Examples)
		return t.Kind == chat.Function && list.Kind() == jsonscan.Array && list.Len() > 0
	}
	if !slices.ContainsFunc(talk.Tools, has) {
		return talk, nil
	}
	told := *talk
	told.Tools = slices.Clone(talk.Tools)
	var losses []chat.Loss
	for i := range told.Tools {
		t := &told.Tools[i]
		if !has(*t) {
			continue
		}
		var edits jsonscan.Edits
		lines := []string{"Examples of its arguments:"}
		for key, v := range jsonscan.At(t.Raw, 0).Members() {
			if key.Name != Examples {
				continue
			}
			edits.Remove(key, v)
			for _, one := range v.Elements() {
				lines = append(lines, string(one.AppendCompact(nil)))
			}
		}
		if rest, err := edits.Apply(t.Raw); err == nil {
			t.Raw = rest
			t.Description = strings.TrimSpace(t.Description + "\n\n" + strings.Join(lines, "\n"))
			losses = append(losses, chat.LostTool(*t, chat.Approximated, "examples of its arguments in its description"))
		}
	}
	return &told, losses
}
