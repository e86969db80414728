package gemini

import (
	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// nameResults gives results the names of the calls that they answer, where the upstream has refused some that have none: clients that
// know a call by its id leave the name out (router-for-me/CLIProxyAPI#2104).
func (p *passer) nameResults(contents jsonscan.Value) {
	type call struct{ id, name string }
	var calls []call // in their order
	next := 0        // the first of them that no result without an id has taken
	byID := make(map[string]string)
	answered := make(map[string]bool)
	named := false
	for _, content := range items(contents) {
		for _, part := range items(fieldOf(content, "parts")) {
			if c := fieldOf(part, "functionCall"); c.Kind() == jsonscan.Object {
				id, name := c.Get("id").View(), c.Get("name").View()
				calls, byID[id] = append(calls, call{id, name}), name
			}
			r := fieldOf(part, "functionResponse")
			if r.Kind() != jsonscan.Object {
				continue
			}
			id, name := r.Get("id").View(), r.Get("name")
			own := byID[id]
			for id == "" && next < len(calls) {
				taken := calls[next].id != "" && answered[calls[next].id]
				own = calls[next].name
				if next++; !taken {
					break
				}
			}
			answered[id] = true
			switch {
			case name.View() != "" || own == "":
			case name.Exists():
				p.edits.ReplaceText(name, own)
				named = true
			default:
				p.edits.Append(r, "name", jsonscan.AppendText(nil, own))
				named = true
			}
		}
	}
	if named {
		p.losses = append(p.losses, chat.Lost(chat.FieldMessages, chat.Added, "the names of the calls that results answer"))
	}
}
