package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"stele/internal/access"
	"stele/internal/scope"
)

//go:embed templates/*.html
var templateFiles embed.FS

// parts are what any page may use; every other file is a page.
var parts = []string{"templates/layout.html", "templates/parts.html", "templates/icons.html", "templates/supply_parts.html"}

// page gives the templates of a page, which are read when it is first wanted: all of
// them together are half of what an idle server holds.
type page func() (*template.Template, error)

// newPages finds the pages. Each is read with the layout and the parts around it.
func newPages() (map[string]page, error) {
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("find templates: %w", err)
	}
	pages := make(map[string]page)
	for _, file := range files {
		if slices.Contains(parts, file) {
			continue
		}
		pages[strings.TrimSuffix(path.Base(file), ".html")] = sync.OnceValues(func() (*template.Template, error) {
			set, err := template.New("").Option("missingkey=zero").ParseFS(templateFiles, append(slices.Clone(parts), file)...)
			if err != nil {
				return nil, fmt.Errorf("parse templates: %w", err)
			}
			return set, nil
		})
	}
	return pages, nil
}

// view is what a template sees. Handlers fill in Title, Active, Visitor and
// Data; render and fragment add the rest.
type view struct {
	Title   string
	Active  string          // the entry of the navigation that is shown as the current one
	Visitor *access.Visitor // nil: nobody is signed in
	Data    any

	Nav       []navGroup
	Places    []place // the workspaces the visitor may enter
	News      *news   // nil: there are none
	Base      string  // goes before every link
	Root      string  // the public URL, for examples
	Static    string  // folder of the static files
	Version   string
	RequestID string
}

// May reports whether the visitor's role covers another: what they may not do is
// not offered.
func (v view) May(need access.Role) bool { return v.Visitor != nil && v.Visitor.Role.Covers(need) }

// render executes the page before it writes anything, so that an error can
// still be answered as one.
func (c *Console) render(w http.ResponseWriter, r *http.Request, status int, page string, v view) error {
	body, err := c.execute(r, page, "layout", v)
	if err != nil {
		return err
	}
	writePage(w, status, body)
	return nil
}

// fragment renders one template of a page, for a script that puts it in its place.
func (c *Console) fragment(w http.ResponseWriter, r *http.Request, status int, page, name string, v view) error {
	body, err := c.execute(r, page, name, v)
	if err != nil {
		return err
	}
	writePage(w, status, body)
	return nil
}

func (c *Console) execute(r *http.Request, page, name string, v view) ([]byte, error) {
	v.Nav = c.nav(v.Visitor, v.Active)
	if v.Visitor != nil && name == "layout" {
		var err error
		if v.Places, err = c.places(r, *v.Visitor); err != nil {
			return nil, err
		}
		if v.News, err = c.news(r, *v.Visitor); err != nil {
			return nil, err
		}
	}
	v.Base, v.Root, v.Version = c.base(), c.root(), c.version
	v.Static = v.Base + "/console/static/" + c.assets.version
	v.RequestID = scope.From(r.Context()).ID
	var body bytes.Buffer
	set, err := c.pages[page]()
	if err != nil {
		return nil, err
	}
	if err := set.ExecuteTemplate(&body, name, v); err != nil {
		return nil, fmt.Errorf("render %s: %w", page, err)
	}
	return body.Bytes(), nil
}

func writePage(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
}
