package console

import "stele/internal/access"

// navGroup is a part of the navigation under a headline of its own.
type navGroup struct {
	Name  string // "" for the first
	Items []navItem
}

// navItem leads to a page. Its name in templates is its icon's name, too.
type navItem struct {
	Name    string // what handlers call Active
	Label   string
	Path    string
	Current bool

	need access.Role
}

// allNav is the whole navigation.
var allNav = []navGroup{
	{"", []navItem{
		{Name: "start", Label: "Start", Path: "/console/", need: access.Viewer},
	}},
	{"Use", []navItem{
		{Name: "playground", Label: "Playground", Path: "/console/playground", need: access.Member},
		{Name: "studio", Label: "Studio", Path: "/console/studio", need: access.Viewer},
		{Name: "apps", Label: "Apps", Path: "/console/apps", need: access.Viewer},
		{Name: "reference", Label: "Reference", Path: "/reference"},
	}},
	{"Observe", []navItem{
		{Name: "usage", Label: "Usage", Path: "/console/usage", need: access.Viewer},
		{Name: "requests", Label: "Requests", Path: "/console/requests", need: access.Viewer},
	}},
	{"Manage", []navItem{
		{Name: "keys", Label: "API keys", Path: "/console/keys", need: access.Viewer},
		{Name: "models", Label: "Models", Path: "/console/models", need: access.Viewer},
		{Name: "providers", Label: "Providers", Path: "/console/providers", need: access.Viewer},
		{Name: "policy", Label: "Policy", Path: "/console/policy", need: access.Owner},
		{Name: "people", Label: "People", Path: "/console/people", need: access.Owner},
		{Name: "sessions", Label: "Sessions", Path: "/console/sessions", need: access.Viewer},
		{Name: "security", Label: "Security", Path: "/console/security", need: access.Viewer},
		{Name: "audit", Label: "Audit log", Path: "/console/audit", need: access.Owner},
	}},
}

// nav is what a visitor sees of the navigation; nil is somebody who is not signed in.
func (c *Console) nav(v *access.Visitor, active string) []navGroup {
	var role access.Role
	if v != nil {
		role = v.Role
	}
	var seen []navGroup
	for _, g := range allNav {
		var items []navItem
		for _, item := range g.Items {
			if item.Current = item.Name == active; role.Covers(item.need) && !c.absent[item.Name] {
				items = append(items, item)
			}
		}
		if len(items) > 0 {
			seen = append(seen, navGroup{g.Name, items})
		}
	}
	return seen
}
