package console

import (
	"errors"
	"net/http"
	"strconv"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// allNav is the whole navigation.
var allNav = []page.NavGroup{
	{Items: []page.NavItem{
		{Name: "start", Label: "Start", Path: "/console/", Need: access.Viewer},
	}},
	{Name: "Use", Items: []page.NavItem{
		{Name: "playground", Label: "Playground", Path: "/console/playground", Need: access.Member},
		{Name: "studio", Label: "Studio", Path: "/console/studio", Need: access.Viewer},
		{Name: "apps", Label: "Apps", Path: "/console/apps", Need: access.Viewer},
		{Name: "reference", Label: "Reference", Path: "/reference"},
	}},
	{Name: "Observe", Items: []page.NavItem{
		{Name: "usage", Label: "Usage", Path: "/console/usage", Need: access.Viewer},
		{Name: "requests", Label: "Requests", Path: "/console/requests", Need: access.Viewer},
	}},
	{Name: "Manage", Items: []page.NavItem{
		{Name: "keys", Label: "API keys", Path: "/console/keys", Need: access.Viewer},
		{Name: "models", Label: "Models", Path: "/console/models", Need: access.Viewer},
		{Name: "names", Label: "Names", Path: "/console/names", Need: access.Viewer},
		{Name: "prices", Label: "Prices", Path: "/console/prices", Need: access.Viewer},
		{Name: "providers", Label: "Providers", Path: "/console/providers", Need: access.Viewer},
		{Name: "limits", Label: "Limits", Path: "/console/limits", Need: access.Viewer},
		{Name: "webhooks", Label: "Webhooks", Path: "/console/webhooks", Need: access.Member},
		{Name: "policy", Label: "Policy", Path: "/console/policy", Need: access.Owner},
		{Name: "people", Label: "People", Path: "/console/people", Need: access.Owner},
		{Name: "sessions", Label: "Sessions", Path: "/console/sessions", Need: access.Viewer},
		{Name: "security", Label: "Security", Path: "/console/security", Need: access.Viewer},
		{Name: "audit", Label: "Audit log", Path: "/console/audit", Need: access.Owner},
		{Name: "nodes", Label: "Servers", Path: "/console/nodes", Need: access.Administrator},
	}},
}

// nav is what a visitor sees of the navigation; nil is one who is not signed in.
func (c *Console) nav(v *access.Visitor, active string) []page.NavGroup {
	var role access.Role
	if v != nil {
		if role = v.Role; v.User.Admin {
			role = access.Administrator
		}
	}
	var seen []page.NavGroup
	for _, g := range allNav {
		var items []page.NavItem
		for _, item := range g.Items {
			if item.Current = item.Name == active; role.Covers(item.Need) && c.Has(item.Name) {
				items = append(items, item)
			}
		}
		if len(items) > 0 {
			seen = append(seen, page.NavGroup{Name: g.Name, Items: items})
		}
	}
	return seen
}

// surround adds what is around a page: all that leads elsewhere.
func (c *Console) surround(r *http.Request, v *page.View, name string) (err error) {
	v.Nav = c.nav(v.Visitor, v.Active)
	if v.Visitor == nil || name != "layout" {
		return nil
	}
	if v.Workspaces, err = c.workspaces(r, *v.Visitor); err != nil {
		return err
	}
	if err := c.countNotices(r, v); err != nil {
		return err
	}
	v.News, err = c.news(r, *v.Visitor)
	return err
}

const mostCounted = 9 // notices

// countNotices shows beside Start how many thresholds of limits were passed that the
// visitor has not dismissed.
func (c *Console) countNotices(r *http.Request, v *page.View) error {
	if c.limits.Limits == nil {
		return nil
	}
	list, err := c.limits.Limits.Notices(r.Context(), v.Visitor.Principal(), v.Visitor.Session.Workspace, mostCounted+1)
	if err != nil || len(list) == 0 {
		return err
	}
	count := strconv.Itoa(len(list))
	if len(list) > mostCounted {
		count = strconv.Itoa(mostCounted) + "+"
	}
	for _, g := range v.Nav {
		for i := range g.Items {
			if g.Items[i].Name == "start" {
				g.Items[i].Count = count
			}
		}
	}
	return nil
}

// workspaces are those that the visitor may enter.
func (c *Console) workspaces(r *http.Request, v access.Visitor) ([]page.Workspace, error) {
	list, err := c.access.Workspaces(r.Context(), v.Principal())
	if err != nil {
		return nil, err
	}
	entries := make([]page.Workspace, len(list))
	for i, w := range list {
		entries[i] = page.Workspace{ID: w.ID, Label: w.Label(), Current: w.ID == v.Session.Workspace}
	}
	return entries, nil
}

func (c *Console) switchWorkspace(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	err := c.access.SwitchWorkspace(r.Context(), v, r.PostForm.Get("workspace"))
	if errors.Is(err, access.ErrNotFound) {
		return fault.New(fault.NotFound, "There is no such workspace, or you do not belong to it.")
	}
	return c.Done(w, r, err, "/console/")
}

// nowhere is shown to a visitor who is signed in and has no role where they are:
// they were removed, or were never let in.
func (c *Console) nowhere(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	refusal := fault.New(fault.PermissionDenied, "You do not belong to this workspace.")
	if !page.WantsPage(r) || r.Method == http.MethodPost {
		return refusal
	}
	entries, err := c.workspaces(r, v)
	if err != nil {
		return err
	}
	page.Note(r, refusal)
	return c.Render(w, r, http.StatusForbidden, "nowhere", page.View{Title: "No workspace", Data: nowherePage{v.User.Email, entries}})
}

type nowherePage struct {
	Email      string
	Workspaces []page.Workspace
}
