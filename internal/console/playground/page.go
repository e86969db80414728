package playground

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
)

// sandboxModel is the model that needs no provider.
const sandboxModel = "stele/sandbox"

// playgroundPage is what the room's page shows before its script takes over.
type playgroundPage struct {
	Owners []modelOwner
	Chosen string // the model that the address asks for
	Files  bool   // something can be attached
	Built  bool   // the model that is built in is there
	Links  bool   // requests have a page
	Whose  string // keeps one person's conversation apart from the next one's
}

// modelOwner is whoever stands behind some models.
type modelOwner struct {
	Name   string
	Models []modelChoice
}

type modelChoice struct{ ID, Label string }

func (c *Room) showPlayground(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	models := c.Models.Models(trying(v).Scope)
	p := playgroundPage{
		Owners: owners(models), Chosen: r.URL.Query().Get("model"), Files: c.Files != nil, Links: c.Has("requests"),
		Built: slices.ContainsFunc(models, func(m catalog.Model) bool { return m.ID == sandboxModel }),
		Whose: v.User.ID + "." + v.Session.Workspace,
	}
	return c.Render(w, r, http.StatusOK, "playground", page.View{Title: "Playground", Active: "playground", Visitor: &v, Data: p})
}

// owners groups models by who stands behind them, in the order of the catalog.
func owners(models []catalog.Model) []modelOwner {
	var list []modelOwner
	at := make(map[string]int)
	for _, m := range models {
		before, _, _ := strings.Cut(m.ID, "/")
		name := cmp.Or(m.Owner, before)
		i, ok := at[name]
		if !ok {
			i = len(list)
			at[name] = i
			list = append(list, modelOwner{Name: name})
		}
		list[i].Models = append(list[i].Models, modelChoice{ID: m.ID, Label: labelOf(&m)})
	}
	return list
}

// labelOf is a model's id, and its name where that says more.
func labelOf(m *catalog.Model) string {
	if m.Name == "" || strings.EqualFold(m.Name, m.ID) {
		return m.ID
	}
	return m.ID + " — " + m.Name
}
