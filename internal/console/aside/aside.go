// Package aside is what was set aside: tasks that ended a process, for an owner to send
// again or to forget.
package aside

import (
	"context"
	"embed"
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/inflight"
)

// Asides are the tasks that were set aside. A task that is not on the list of the
// caller's workspace is a *fault.Error.
type Asides interface {
	// List lists those of a workspace, the newest first.
	List(ctx context.Context, workspace string) ([]inflight.Aside, error)
	// Resend sends one again and takes it off the list.
	Resend(ctx context.Context, who access.Principal, id string) error
	// Forget takes one off the list.
	Forget(ctx context.Context, who access.Principal, id string) error
}

type asidePage struct {
	Told  string
	Tasks []asideRow
}

type asideRow struct {
	ID, Kind, About, Reason string
	Subject                 string // what it belongs to
	Link                    string // where it is shown; "" for nowhere
	At                      *page.Moment
}

func (c *Room) showAsides(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	tasks, err := c.Tasks.List(r.Context(), v.Session.Workspace)
	if err != nil {
		return err
	}
	p := asidePage{Told: map[string]string{
		"resent":    "It was sent again.",
		"forgotten": "It is off the list.",
	}[r.URL.Query().Get("done")]}
	for _, t := range tasks {
		p.Tasks = append(p.Tasks, c.asideRow(t))
	}
	return c.Render(w, r, http.StatusOK, "aside", page.View{Title: "Set aside", Active: "start", Visitor: &v, Data: p})
}

func (c *Room) asideRow(t inflight.Aside) asideRow {
	row := asideRow{ID: t.ID, About: t.About, Reason: t.Reason, Subject: t.Subject, At: c.At(t.At)}
	switch t.Kind {
	case inflight.Run:
		row.Kind, row.Link = "Run of an app", "/console/apps/"+t.About+"/runs/"+t.ID
		if !c.Has("apps") {
			row.Link = ""
		}
	case inflight.Webhook:
		row.Kind = "Webhook"
	default:
		row.Kind, row.Link = "Generation", "/console/studio/"+t.ID
		if !c.Has("studio") {
			row.Link = ""
		}
	}
	return row
}

func (c *Room) resendAside(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.Done(w, r, c.Tasks.Resend(r.Context(), v.Principal(), r.PathValue("id")), "/console/aside?done=resent")
}

func (c *Room) forgetAside(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.Done(w, r, c.Tasks.Forget(r.Context(), v.Principal(), r.PathValue("id")), "/console/aside?done=forgotten")
}

// Files are the templates of the room.
//
//go:embed templates
var Files embed.FS

// Room shows what was set aside.
type Room struct {
	*page.Frame

	Tasks Asides
}

// Routes lists every route of the room.
func (c *Room) Routes() []page.Route {
	return []page.Route{
		page.Get("/console/aside", page.Owner, c.showAsides),
		page.Post("/console/aside/{id}/resend", page.Owner, c.resendAside),
		page.Post("/console/aside/{id}/forget", page.Owner, c.forgetAside),
	}
}
