package playground

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/console/page"
	"stele/internal/dialect/openai"
	"stele/internal/file"
)

// playgroundPage is what the room's page shows before its script takes over.
type playgroundPage struct {
	Owners []modelOwner
	Chosen string // the model that the address asks for
	Files  bool   // something can be attached
	Built  bool   // the model that is built in is there
	Links  bool   // requests have a page
	Whose  string // keeps one person's conversation apart from the next one's
}

// modelOwner is the company behind some models.
type modelOwner struct {
	Name   string
	Models []modelChoice
}

type modelChoice struct{ ID, Label string }

func (c *Room) showPlayground(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	models := c.Models.Models(principalOf(v).Scope)
	p := playgroundPage{
		Owners: owners(models), Chosen: r.URL.Query().Get("model"), Files: c.Files != nil, Links: c.Has("requests"),
		Built: slices.ContainsFunc(models, func(m catalog.Model) bool { return m.ID == catalog.Sandbox }),
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

// attachment is a file as the page knows it.
type attachment struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
	Type string `json:"type"`
	Size int64  `json:"size"`
	URL  string `json:"url"` // a path of this host: what people reach it by need not be the public name
}

// attachFile keeps a file that a person wants to show to a model.
func (c *Room) attachFile(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if c.Files == nil {
		return page.NoPage()
	}
	f, err := c.KeepUpload(r, v, page.Uploads{Files: c.Files, Audit: c.Audit}, file.Upload{Documents: true})
	if err != nil {
		return err
	}
	address := page.LocalAddress(c.Files.Address(f))
	return page.WriteJSON(w, http.StatusCreated, attachment{f.ID, f.Name, f.Kind, f.Type, f.Size, address})
}

// shortfall is something of the request that a dialect or an upstream could not carry
// as it was meant.
type shortfall struct {
	What string `json:"what"` // as the page calls it
	Verb string `json:"verb"`
	Note string `json:"note,omitempty"`
}

// settingNames are the page's names of what a request can say.
var settingNames = map[string]string{
	chat.FieldSystem: "System prompt", chat.FieldTools: "Tools", chat.FieldMaxTokens: "Max tokens", chat.FieldTemperature: "Temperature",
	chat.FieldStop: "Stop sequences", chat.FieldThinking: "Reasoning effort", chat.FieldFormat: "Output format",
}

// shortfalls are what was lost, in the page's own words.
func shortfalls(all []chat.Loss) []shortfall {
	var list []shortfall
	for _, l := range all {
		what, ok := settingNames[l.Field]
		switch {
		case ok:
		case l.Field == chat.FieldTool && l.Part >= 0:
			what = "Tool " + strconv.Itoa(l.Part+1)
		case l.Field == chat.FieldPart && l.Message >= 0:
			what = "Message " + strconv.Itoa(l.Message+1)
		default:
			what = openai.Codec{}.Path(l)
		}
		list = append(list, shortfall{what, string(l.Verb), l.Note})
	}
	return list
}

// Class is how much a loss matters, as badges show it.
func (l shortfall) Class() string { return page.LossTone(chat.Verb(l.Verb)) }
