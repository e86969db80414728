package gemini

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// nameResults gives results the names of the calls that they answer, where the upstream has refused some that have none: clients that
// know a call by its id leave the name out (router-for-me/CLIProxyAPI#2104).
func (p *passer) nameResults(contents jsonscan.Value) {
	type call struct{ id, name string }
	var waiting []call
	named := false
	for _, content := range items(contents) {
		for _, part := range items(fieldOf(content, "parts")) {
			if c := fieldOf(part, "functionCall"); c.Kind() == jsonscan.Object {
				waiting = append(waiting, call{c.Get("id").View(), c.Get("name").View()})
			}
			r := fieldOf(part, "functionResponse")
			if r.Kind() != jsonscan.Object {
				continue
			}
			id, name := r.Get("id").View(), r.Get("name")
			i := slices.IndexFunc(waiting, func(c call) bool {
				return id != "" && c.id == id || (id == "" || c.id == "") && (name.View() == "" || name.View() == c.name)
			})
			if i < 0 {
				continue
			}
			switch own := waiting[i].name; {
			case name.View() != "" || own == "":
			case name.Exists():
				p.edits.ReplaceText(name, own)
				named = true
			default:
				p.edits.Append(r, "name", jsonscan.AppendText(nil, own))
				named = true
			}
			waiting = slices.Delete(waiting, i, i+1)
		}
	}
	if named {
		p.losses = append(p.losses, chat.Lost(chat.FieldMessages, chat.Added, "the names of the calls that results answer"))
	}
}
