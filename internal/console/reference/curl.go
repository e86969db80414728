package reference

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"stele/internal/console/page"
)

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
