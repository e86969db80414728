package page

import "stele/internal/access"

// View is what a template sees. Handlers fill in Title, Active, Visitor and
// Data; Render and Fragment add the rest.
type View struct {
	Title   string
	Active  string          // the entry of the navigation that is shown as the current one
	Visitor *access.Visitor // nil: nobody is signed in
	Data    any

	Nav       []NavGroup
	Places    []Place // the workspaces the visitor may enter
	News      *News   // nil: there are none
	Base      string  // goes before every link
	Root      string  // the public URL, for examples
	Static    string  // folder of the static files
	Version   string
	RequestID string
}

// May reports whether the visitor's role covers another: what they may not do is
// not offered.
func (v View) May(need access.Role) bool { return v.Visitor != nil && v.Visitor.Role.Covers(need) }

// For is the view with other data: for the parts of a page that need what is
// around them as well.
func (v View) For(data any) View {
	v.Data = data
	return v
}

// NavGroup is a part of the navigation under a headline of its own.
type NavGroup struct {
	Name  string // "" for the first
	Items []NavItem
}

// NavItem leads to a page. Its name in templates is its icon's name, too.
type NavItem struct {
	Name    string // what handlers call Active
	Label   string
	Path    string
	Current bool
	Need    access.Role
}

// Place is a workspace as the switcher shows it.
type Place struct {
	ID, Label string
	Current   bool
}

// News are the sign-ins from new browsers that the visitor was not told of, the
// last one first.
type News struct {
	Devices    []DeviceRow
	MayDismiss bool   // with a browser that is not new itself
	Next       string // where they are
}
