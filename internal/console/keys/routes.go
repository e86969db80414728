// Package keys is the room of API keys, and of the policy that bounds them.
package keys

import (
	"embed"
	"errors"
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/limit"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows and changes keys and the policy of the workspace.
type Room struct {
	*page.Frame

	Access *access.Service
	Limits *limit.Manager // nil: they are not shown
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/keys", page.Viewer, c.showKeys),
		page.Post("/console/keys", page.Member, c.createKey).Asks(asProduction),
		page.Get("/console/keys/{id}", page.Member, c.showKey),
		page.Post("/console/keys/{id}", page.Member, c.updateKey).Asks(c.ofProduction),
		page.Post("/console/keys/{id}/rotate", page.Member, c.rotateKey).Asks(c.ofProduction),
		page.Post("/console/keys/{id}/revoke", page.Member, c.revokeKey),

		page.Get("/console/policy", page.Owner, c.showPolicy),
		page.Post("/console/policy", page.Owner, c.setPolicy).Asks(page.Always),
	}
}

// asProduction asks before a key of production is made.
func asProduction(r *http.Request, _ access.Visitor) (bool, error) {
	return r.PostForm.Get("environment") == string(access.Production), nil
}

// ofProduction asks before a key of production is changed.
func (c *Room) ofProduction(r *http.Request, v access.Visitor) (bool, error) {
	k, err := c.Access.Key(r.Context(), v.Principal(), r.PathValue("id"))
	if errors.Is(err, access.ErrNotFound) {
		return false, nil
	}
	return k.Environment == access.Production, err
}
