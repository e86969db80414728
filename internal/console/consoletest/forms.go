package consoletest

import (
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// checkForms looks at every page that a test is given: each input has a label, and what is
// said about it, a hint or a problem, is linked to it for those who do not see it.
func (h *House) checkForms(path string, header http.Header, body string) {
	h.T.Helper()
	if !strings.HasPrefix(header.Get("Content-Type"), "text/html") || body == "" {
		return
	}
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		h.T.Errorf("%s: %v", path, err)
		return
	}
	f := form{labels: make(map[string]bool), ids: make(map[string]bool)}
	for n := range root.Descendants() {
		f.ids[attr(n, "id")] = true
		if n.Data == "label" {
			f.labels[attr(n, "for")] = true
		}
	}
	for n := range root.Descendants() {
		if fault := f.look(n); fault != "" {
			var text strings.Builder
			_ = html.Render(&text, &html.Node{Type: n.Type, Data: n.Data, Attr: n.Attr})
			h.T.Errorf("%s: %s: %s", path, text.String(), fault)
		}
	}
}

// form is what the elements of a page refer to.
type form struct{ labels, ids map[string]bool }

// look says what is wrong with an element; "" where nothing is.
func (f *form) look(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	for id := range strings.FieldsSeq(attr(n, "aria-describedby") + " " + attr(n, "aria-labelledby")) {
		if !f.ids[id] {
			return "there is no " + id
		}
	}
	switch {
	case isInput(n) && !f.labelled(n):
		return "it has no label"
	case isRemark(n):
		return f.checkRemark(n)
	}
	return ""
}

func isInput(n *html.Node) bool {
	return n.Data == "select" || n.Data == "textarea" || n.Data == "input" && attr(n, "type") != "hidden"
}

func (f *form) labelled(n *html.Node) bool {
	if attr(n, "aria-label") != "" || attr(n, "aria-labelledby") != "" || f.labels[attr(n, "id")] && attr(n, "id") != "" {
		return true
	}
	for up := range n.Ancestors() {
		if up.Data == "label" {
			return true
		}
	}
	return false
}

// isRemark reports whether an element says something about the input or the set of inputs that it
// stands with: no other element of the group has the hint or the problem for itself.
func isRemark(n *html.Node) bool {
	class := strings.Fields(attr(n, "class"))
	return n.Data == "p" && (slices.Contains(class, "hint") || slices.Contains(class, "wrong")) && isGroup(n.Parent)
}

func isGroup(n *html.Node) bool {
	return n.Data == "fieldset" || n.Data == "div" && slices.Contains(strings.Fields(attr(n, "class")), "input")
}

// checkRemark finds what a remark describes: the group that it is in, or an input there.
func (f *form) checkRemark(n *html.Node) string {
	id := attr(n, "id")
	if id != "" && describes(id, n.Parent) {
		return ""
	}
	inputs := 0
	for other := range n.Parent.Descendants() {
		if isInput(other) {
			if id != "" && describes(id, other) {
				return ""
			}
			inputs++
		}
	}
	if inputs == 0 {
		return ""
	}
	return "it is linked to no input"
}

func describes(id string, n *html.Node) bool {
	return slices.Contains(strings.Fields(attr(n, "aria-describedby")), id)
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
