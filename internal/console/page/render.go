package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"stele/internal/access"
	"stele/internal/scope"
)

// Files are the templates and static files of a room, in folders of these names. A
// template called parts.html is for all pages of the room, every other one is a page.
type Files = fs.FS

//go:embed templates static
var shared embed.FS

const partsFile = "templates/parts.html"

// around are what is around every page.
var around = []string{"templates/layout.html", partsFile, "templates/icons.html"}

// templates gives those of a page, which are read when it is first wanted: all of
// them together are half of what an idle server holds.
type templates func() (*template.Template, error)

// findPages finds the pages of all rooms. Each is read with the layout and the parts
// around it.
func findPages(rooms []Files) (map[string]templates, error) {
	pages := make(map[string]templates)
	for _, room := range rooms[1:] {
		files, err := fs.Glob(room, "templates/*.html")
		if err != nil {
			return nil, fmt.Errorf("find templates: %w", err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(path.Base(file), ".html")
			if pages[name] != nil {
				return nil, fmt.Errorf("two pages are called %s", name)
			}
			if file != partsFile {
				pages[name] = sync.OnceValues(func() (*template.Template, error) { return readPage(room, file) })
			}
		}
	}
	return pages, nil
}

func readPage(room Files, file string) (*template.Template, error) {
	set, err := template.New("").Option("missingkey=zero").Funcs(fieldWords).ParseFS(shared, around...)
	if err != nil {
		return nil, fmt.Errorf("parse templates: %w", err)
	}
	names := []string{file}
	if _, err := fs.Stat(room, partsFile); err == nil {
		names = []string{partsFile, file}
	}
	if set, err = set.ParseFS(room, names...); err != nil {
		return nil, fmt.Errorf("parse templates: %w", err)
	}
	return set, nil
}

// ReadAll reads every page, so that a test finds what is wrong with a template, and
// lists their names.
func (f *Frame) ReadAll() ([]string, error) {
	var names []string
	for name, read := range f.pages {
		set, err := read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if set.Lookup("layout") == nil || set.Lookup("main") == nil {
			return nil, fmt.Errorf("%s has no layout or no main part", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// Render executes the page before it writes anything, so that an error can
// still be answered as one.
func (f *Frame) Render(w http.ResponseWriter, r *http.Request, status int, page string, v View) error {
	return f.Fragment(w, r, status, page, "layout", v)
}

// Fragment renders one template of a page, for a script that puts it in its place.
func (f *Frame) Fragment(w http.ResponseWriter, r *http.Request, status int, page, name string, v View) error {
	body, err := f.Execute(r, page, name, v)
	if err != nil {
		return err
	}
	WritePage(w, status, body)
	return nil
}

// Execute renders one template of a page. However many pages people ask for at once, half
// of the processor is left to those who call the API.
func (f *Frame) Execute(r *http.Request, page, name string, v View) ([]byte, error) {
	if err := f.Surround(r, &v, name); err != nil {
		return nil, err
	}
	v.Base, v.Root, v.Version = f.Base(), f.Root(), f.Version
	v.Static = v.Base + "/console/static/" + f.assets.version
	v.RequestID = scope.From(r.Context()).ID
	var body bytes.Buffer
	set, err := f.pages[page]()
	if err != nil {
		return nil, err
	}
	if v.Visitor != nil {
		person := v.Visitor.Session.User
		if err := f.turns.Acquire(r.Context(), person, 1); err != nil {
			return nil, err
		}
		defer f.turns.Release(person, 1)
	}
	if err := set.ExecuteTemplate(&body, name, v); err != nil {
		return nil, fmt.Errorf("render %s: %w", page, err)
	}
	return body.Bytes(), nil
}

// WritePage answers with a page.
func WritePage(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone: nothing is left to tell
}

// View is what a template sees. Handlers fill in Title, Active, Visitor and
// Data; Render and Fragment add the rest.
type View struct {
	Title   string
	Active  string          // the entry of the navigation that is shown as the current one
	Visitor *access.Visitor // nil: the visitor is not signed in
	Data    any

	Nav        []NavGroup
	Workspaces []Workspace // the workspaces the visitor may enter
	News       *News       // nil: there are none
	Base       string      // goes before every link
	Root       string      // the public URL, for examples
	Static     string      // folder of the static files
	Version    string
	RequestID  string
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
	Count   string // of what is new there; "" for nothing
	Need    access.Role
}

// Workspace is one as the switcher shows it.
type Workspace struct {
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
