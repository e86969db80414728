// Package account is what a visitor has of their own: second factors, browsers, sessions, the
// password, and the page that asks them to prove again who they are.
package account

import (
	"embed"

	"stele/internal/access"
	"stele/internal/console/page"
)

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows and changes what a visitor has of their own.
type Room struct {
	*page.Frame

	Access  *access.Service
	SignOn  string       // what the identity provider is called; "" where there is none
	SignOut page.Handler // ends the visitor's own session
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/security", page.Guest, c.showSecurity),
		page.Get("/console/security/app", page.Guest, c.newAuthenticator).Asks(page.Always),
		page.Post("/console/security/app", page.Guest, c.addApp).Asks(page.Always),
		page.Post("/console/security/passkeys", page.Guest, c.addPasskey).Asks(page.Always),
		page.Post("/console/security/passkeys/ask", page.Guest, c.askNewPasskey).Asks(page.Always),
		page.Post("/console/security/codes", page.Guest, c.newCodes).Asks(page.Always),
		page.Post("/console/security/factors/{id}/remove", page.Guest, c.removeFactor).Asks(page.Always),
		page.Post("/console/security/heard", page.Guest, c.dismissNews),

		page.Get("/console/confirm", page.Guest, c.showConfirm),
		page.Post("/console/confirm", page.Guest, c.confirm),
		page.Post("/console/confirm/ask", page.Guest, c.askOwnPasskey),

		page.Get("/console/sessions", page.Viewer, c.showSessions),
		page.Post("/console/sessions/others", page.Viewer, c.endOthers),
		page.Post("/console/sessions/{id}/end", page.Viewer, c.endSession),

		page.Get("/console/password", page.Viewer, c.showPassword),
		page.Post("/console/password", page.Viewer, c.changePassword),
	}
}
