package start

import (
	"cmp"
	"net/http"

	"stele/internal/access"
	"stele/internal/clients"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// yourKey stands in settings in the place of a key, which is shown nowhere but when it is made.
const yourKey = "YOUR-KEY"

type connectPage struct {
	Clients  []clients.Client
	Client   *clients.Client
	Settings []clients.Setting
	Model    string
	Missing  []clients.Ask // names that it asks for and nothing answers to
	Command  string
	Bridge   string
}

// showConnect tells how a client is pointed at this server.
func (c *Room) showConnect(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := cmp.Or(r.URL.Query().Get("client"), "claude-code")
	client, ok := clients.ByID(id)
	if !ok || c.Start == nil {
		return fault.New(fault.NotFound, "No client of this name is known here.")
	}
	scope := v.Principal().Scope
	values := clients.Values{URL: c.Root(), Key: yourKey, Model: pickChat(c.Start.Models.Models(scope))}
	if m, err := c.Start.Models.Model(values.Model, scope); err == nil {
		if f := c.Start.Models.Traits(m, c.Now()); f.Output > 0 {
			values.Window, values.Output = f.Window, f.Output
		}
	}
	p := connectPage{
		Clients: clients.All(), Client: client, Model: values.Model,
		Command: "stele connect " + id + " --url " + values.URL + " --key " + yourKey,
		Bridge:  "stele bridge --url " + values.URL + " --key " + yourKey,
	}
	if client.Writes() {
		p.Command += " --write"
	}
	for _, ask := range client.Asks {
		if _, err := c.Start.Models.Model(ask.Name, scope); err != nil {
			p.Missing = append(p.Missing, ask)
		}
	}
	values.Chosen = len(p.Missing) > 0 // as stele connect chooses
	var err error
	if p.Settings, err = client.Fill(values); err != nil {
		return err
	}
	return c.Render(w, r, http.StatusOK, "connect", page.View{Title: "Connect " + client.Name, Active: "start", Visitor: &v, Data: p})
}
