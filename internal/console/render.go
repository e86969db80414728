package console

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"stele/internal/access"
	"stele/internal/scope"
)

//go:embed templates/*.html
var templateFiles embed.FS

// pages are the templates that stand for themselves; the other files are parts
// that any of them may use.
var pages = [...]string{"keys", "key_secret", "signin", "setup", "reference", "notice"}

// parseTemplates reads each page with the layout and the parts around it.
func parseTemplates() (map[string]*template.Template, error) {
	parts, err := template.New("").Option("missingkey=zero").
		ParseFS(templateFiles, "templates/layout.html", "templates/parts.html")
	if err != nil {
		return nil, fmt.Errorf("parse templates: %w", err)
	}
	sets := make(map[string]*template.Template)
	for _, page := range pages {
		set, err := template.Must(parts.Clone()).ParseFS(templateFiles, "templates/"+page+".html")
		if err != nil {
			return nil, fmt.Errorf("parse templates: %w", err)
		}
		sets[page] = set
	}
	return sets, nil
}

// view is what a template sees. Handlers fill in Title, Active, Visitor and
// Data; render adds the rest.
type view struct {
	Title   string
	Active  string          // the entry of the navigation that is shown as the current one
	Visitor *access.Visitor // nil: nobody is signed in
	Data    any

	Base      string // goes before every link
	Root      string // the public URL, for examples
	Static    string // folder of the static files
	Version   string
	RequestID string
}

// render executes the page before it writes anything, so that an error can
// still be answered as one.
func (c *Console) render(w http.ResponseWriter, r *http.Request, status int, page string, v view) error {
	body, err := c.execute(r, page, v)
	if err != nil {
		return err
	}
	writePage(w, status, body)
	return nil
}

func (c *Console) execute(r *http.Request, page string, v view) ([]byte, error) {
	v.Base, v.Root, v.Version = c.base(), c.root(), c.version
	v.Static = v.Base + "/console/static/" + c.assets.version
	v.RequestID = scope.From(r.Context()).ID
	var body bytes.Buffer
	if err := c.templates[page].ExecuteTemplate(&body, "layout", v); err != nil {
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
