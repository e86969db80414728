package reference

import (
	"bytes"
	"compress/gzip"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
)

// Code is the example as the page shows it, with the reader's address in it.
func (e example) Code(root string) template.HTML { return page.Highlight(e.With(root)) }

func (c *Room) showReference(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	if len(c.document) == 0 {
		return page.NoPage()
	}
	v, err := c.visitor(r)
	if err != nil {
		return err
	}
	if v != nil { // the page is made for each, and there is much on it
		leave, err := c.visit(*v)
		if err != nil {
			return err
		}
		defer leave()
	}
	made, err := c.referencePage(r, v)
	if err != nil {
		return err
	}
	body := made.plain
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("Vary", "Accept-Encoding")
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
		body = made.small
	}
	page.WritePage(w, http.StatusOK, body)
	return nil
}

// shelf holds the reference as a stranger reads it, because it takes long to make
// and every stranger may ask for it.
type shelf struct {
	root         string // the address that is in it
	plain, small []byte
}

// referencePage takes the page from the shelf, or makes it anew: for a visitor who is
// signed in, whose name is on it, and when the public URL has changed.
func (c *Room) referencePage(r *http.Request, v *access.Visitor) (*shelf, error) {
	if kept := c.keptReference(v); kept != nil {
		return kept, nil
	}
	c.making.Lock() // one at a time: strangers may ask a thousand times at once
	defer c.making.Unlock()
	if kept := c.keptReference(v); kept != nil {
		return kept, nil
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	read, err := c.read()
	if err != nil {
		return nil, err
	}
	made := &shelf{root: c.Root()}
	made.plain, err = c.Execute(r, "reference", "layout", page.View{Title: "API reference", Active: "reference", Visitor: v, Data: read})
	if err != nil {
		return nil, err
	}
	made.small = compress(made.plain) // there is no secret on it whose length would tell
	if v == nil {
		c.shelf.Store(made)
	}
	return made, nil
}

// keptReference is the page on the shelf, or nil where that is not what v is shown.
func (c *Room) keptReference(v *access.Visitor) *shelf {
	if kept := c.shelf.Load(); v == nil && kept != nil && kept.root == c.Root() {
		return kept
	}
	return nil
}

func (c *Room) showDocument(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	if len(c.document) == 0 {
		return page.NoPage()
	}
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	http.ServeContent(w, r, "openapi.yaml", time.Time{}, bytes.NewReader(c.document))
	return nil
}

func compress(body []byte) []byte {
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	_, _ = z.Write(body) // into memory: neither fails
	_ = z.Close()
	return small.Bytes()
}

func acceptsGzip(header string) bool {
	return slices.ContainsFunc(strings.Split(header, ","), func(coding string) bool {
		name, q, weighted := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";q=")
		return strings.EqualFold(name, "gzip") && (!weighted || strings.Trim(q, "0.") != "")
	})
}
