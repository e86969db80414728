package reference

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"stele/internal/console/page"
)

// reference is the OpenAPI document arranged for reading.
type reference struct {
	Title, Summary string
	Version        string
	About          template.HTML
	Tags           []tag
	Failures       []reply // the named ones, which many operations share
	Headers        []field // of answers, likewise
	Schemas        []schema
}

type tag struct {
	Name, Anchor string
	About        template.HTML
	Operations   []operation
}

type operation struct {
	Anchor, Summary string
	Method, Path    string
	Scope           string // what a key needs for it
	Planned         bool   // in the document, but not built yet
	About           template.HTML
	Params          []field
	Bodies          []payload
	Answers         []reply
}

// payload is a body in one content type.
type payload struct {
	Type     string
	Shape    []word
	Fields   []field
	Examples []example
}

// reply is what one status means. A failure that the document gives a name is
// shown once, at its anchor.
type reply struct {
	Status, Name string
	Anchor       string
	Good         bool
	Brief        template.HTML // without block elements
	Headers      []word
	Bodies       []payload
}

var methods = []string{"get", "post", "put", "patch", "delete", "head", "options", "trace"}

// readReference arranges a document; nil for an empty one.
func readReference(body []byte) (*reference, error) {
	if len(body) == 0 {
		return nil, nil
	}
	d, err := parseDocument(body)
	if err != nil {
		return nil, err
	}
	ref := &reference{
		Title: text(d.root, "info", "title"), Summary: text(d.root, "info", "summary"),
		Version: text(d.root, "info", "version"), About: prose(text(d.root, "info", "description")),
		Headers: d.headers(), Schemas: d.schemas(),
	}
	for _, t := range list(child(d.root, "tags")) {
		name := text(t, "name")
		ref.Tags = append(ref.Tags, tag{Name: name, Anchor: anchor("tag", name), About: prose(text(t, "description"))})
	}
	for _, p := range mapping(child(d.root, "paths")) {
		item, _ := d.follow(p.Value)
		for _, m := range mapping(item) {
			if slices.Contains(methods, key(m)) {
				ref.add(d.operation(key(m), key(p), item, m.Value), texts(child(m.Value, "tags")))
			}
		}
	}
	ref.Tags = slices.DeleteFunc(ref.Tags, func(t tag) bool { return len(t.Operations) == 0 })
	return ref, nil
}

// add files an operation under the first of its tags, and its named failures.
func (ref *reference) add(o operation, tags []string) {
	name := "Other"
	if len(tags) > 0 {
		name = tags[0]
	}
	for _, r := range o.Answers {
		if r.Anchor != "" && !slices.ContainsFunc(ref.Failures, func(f reply) bool { return f.Anchor == r.Anchor }) {
			ref.Failures = append(ref.Failures, r)
		}
	}
	i := slices.IndexFunc(ref.Tags, func(t tag) bool { return t.Name == name })
	if i < 0 {
		i = len(ref.Tags)
		ref.Tags = append(ref.Tags, tag{Name: name, Anchor: anchor("tag", name)})
	}
	ref.Tags[i].Operations = append(ref.Tags[i].Operations, o)
}

func (d *document) operation(method, path string, item, v any) operation {
	id := cmp.Or(text(v, "operationId"), method+path)
	o := operation{
		Anchor: anchor("", id), Summary: text(v, "summary"), Method: strings.ToUpper(method), Path: path,
		Scope: text(v, "x-stele-scope"), Planned: text(v, "x-stele-status") == "planned",
		About: prose(text(v, "description")),
	}
	o.Summary = cmp.Or(o.Summary, o.Method+" "+path)
	for _, p := range append(slices.Clone(list(child(item, "parameters"))), list(child(v, "parameters"))...) {
		p, _ = d.follow(p)
		o.Params = append(o.Params, d.param(p))
	}
	body, _ := d.follow(child(v, "requestBody"))
	o.Bodies = d.payloads(body)
	for _, r := range mapping(child(v, "responses")) {
		o.Answers = append(o.Answers, d.reply(key(r), r.Value))
	}
	return o
}

func (d *document) reply(status string, v any) reply {
	v, name := d.follow(v)
	r := reply{
		Status: status, Name: name, Good: strings.HasPrefix(status, "2") || strings.HasPrefix(status, "3"),
		Brief: phrase(text(v, "description")), Bodies: d.payloads(v),
	}
	if name != "" && !r.Good {
		r.Anchor = anchor("answer", name)
	}
	for _, h := range mapping(child(v, "headers")) {
		w := word{Text: key(h)}
		if _, name := d.follow(h.Value); name != "" {
			w.Anchor = anchor("header", name)
		}
		r.Headers = append(r.Headers, w)
	}
	return r
}

func (d *document) param(p any) field {
	f := d.field(text(p, "name"), child(p, "schema"), p)
	f.In = text(p, "in")
	f.Required = truth(p, "required")
	if all := d.examples(p); len(all) > 0 {
		f.Sample = all[0].Text
	}
	return f
}

func (d *document) payloads(v any) []payload {
	var all []payload
	for _, c := range mapping(child(v, "content")) {
		s := child(c.Value, "schema")
		all = append(all, payload{Type: key(c), Shape: d.shape(s), Fields: d.fields(s, 0), Examples: d.examples(c.Value)})
	}
	return all
}

// anchor makes a fragment of letters, digits and dashes.
func anchor(kind, name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, name)
	if kind == "" {
		return name
	}
	return kind + "-" + name
}

// Calls are ready commands for the operation, one per example of its body, or
// one where it takes none.
func (o operation) Calls(root string) []example {
	head := "curl " + page.QuoteShell(root+o.samplePath()) + " \\\n  -H \"Authorization: Bearer $STELE_API_KEY\""
	for _, p := range o.Params {
		if p.In == "header" && p.Required && p.Sample != "" {
			head += " \\\n  -H " + page.QuoteShell(p.Name+": "+p.Sample)
		}
	}
	if len(o.Bodies) == 0 {
		if o.Method != http.MethodGet {
			head = strings.Replace(head, "curl ", "curl -X "+o.Method+" ", 1)
		}
		return []example{{Text: head}}
	}
	body := o.Bodies[0]
	var calls []example
	for _, e := range body.Examples {
		command := head
		if strings.HasPrefix(body.Type, "multipart/") {
			command += formArguments(e.value)
		} else {
			command += " \\\n  -H " + page.QuoteShell("Content-Type: "+body.Type) + " \\\n  -d " + page.QuoteShell(e.With(root))
		}
		calls = append(calls, example{Title: e.Title, Text: command})
	}
	if len(calls) == 0 {
		calls = append(calls, example{Text: head})
	}
	return calls
}

// samplePath is the path with sample values in it and the query parameters
// that must be there.
func (o operation) samplePath() string {
	path, query := o.Path, ""
	for _, p := range o.Params {
		switch {
		case p.Sample == "":
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", p.Sample)
		case p.In == "query" && p.Required:
			query += "&" + p.Name + "=" + url.QueryEscape(p.Sample)
		}
	}
	if query != "" {
		path += "?" + query[1:]
	}
	return path
}

var bytesOf = regexp.MustCompile(`^\(the bytes of (.+)\)$`)

func formArguments(v any) string {
	var b strings.Builder
	for _, item := range mapping(v) {
		value, ok := item.Value.(string)
		if !ok {
			value = compact(item.Value)
		}
		if m := bytesOf.FindStringSubmatch(value); m != nil {
			value = "@" + m[1]
		}
		b.WriteString(" \\\n  -F " + page.QuoteShell(key(item)+"="+value))
	}
	return b.String()
}
