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
	{"Use", []navItem{
		{Name: "reference", Label: "Reference", Path: "/reference"},
	}},
	{"Manage", []navItem{
		{Name: "keys", Label: "API keys", Path: "/console/keys", need: access.Viewer},
	}},
}

// nav is what a visitor sees of the navigation; nil is somebody who is not signed in.
func nav(v *access.Visitor, active string) []navGroup {
	var role access.Role
	if v != nil {
		role = v.Role
	}
	var seen []navGroup
	for _, g := range allNav {
		var items []navItem
		for _, item := range g.Items {
			if item.Current = item.Name == active; role.Covers(item.need) {
				items = append(items, item)
			}
		}
		if len(items) > 0 {
			seen = append(seen, navGroup{g.Name, items})
		}
	}
	return seen
}
