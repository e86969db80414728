package anthropic

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// changeTools makes the list of tools what it is at the end of the conversation: turns may define tools, withdraw
// them, and offer them again.
func (r *requestReader) changeTools() {
	for _, m := range r.talk.Messages {
		for _, p := range m.Parts {
			if p.Kind != chat.Opaque {
				continue
			}
			tool := jsonscan.At(p.Raw, 0).Get("tool")
			switch p.Name {
			case prefix + "tool_addition":
				r.message, r.part = m.At, p.At
				r.addTool(tool)
				r.message, r.part = -1, -1
			case prefix + "tool_removal":
				r.removeTool(tool.Get("name").View())
			}
		}
	}
}

// addTool takes a tool over that a turn defines, or one back that was withdrawn. Anthropic reads it where it stands.
func (r *requestReader) addTool(tool jsonscan.Value) {
	if definition := tool.Get("definition"); definition.Kind() == jsonscan.Object {
		t := r.readTool(definition)
		r.removeTool(t.Name)
		t.At, t.Offer = -1, chat.Abroad
		r.talk.Tools = append(r.talk.Tools, t)
		return
	}
	for i := range r.talk.Tools {
		if t := &r.talk.Tools[i]; t.Name == tool.Get("name").View() && t.Kind != chat.Server {
			t.Offer = chat.Anywhere
		}
	}
}

// removeTool withdraws a tool. Anthropic still has it in the list, and the block that withdraws it behind.
func (r *requestReader) removeTool(name string) {
	r.talk.Tools = slices.DeleteFunc(r.talk.Tools, func(t chat.Tool) bool { return t.Name == name && t.Offer == chat.Abroad })
	for i := range r.talk.Tools {
		if t := &r.talk.Tools[i]; t.Name == name {
			t.Offer = chat.AtHome
		}
	}
}
