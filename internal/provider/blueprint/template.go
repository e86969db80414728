package blueprint

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var hole = regexp.MustCompile(`\{([a-z_]+(?:\.[a-z_]+)?)\}`)

// address fills the holes of an address in a file. Before the question mark a
// value keeps its slashes, for ids and models have them; behind it nothing is
// kept. A template that is one hole is an address of the provider's own.
func address(template string, fill func(name string) string) (string, error) {
	var missing error
	value := func(name string) string {
		v := fill(name)
		if v == "" {
			missing = fmt.Errorf("%s is not known", name)
		}
		return v
	}
	if whole := hole.FindStringSubmatch(template); whole != nil && whole[0] == template {
		return value(whole[1]), missing
	}
	where, query, asks := strings.Cut(template, "?")
	where = hole.ReplaceAllStringFunc(where, func(found string) string {
		parts := strings.Split(value(found[1:len(found)-1]), "/")
		for i, part := range parts {
			if part == ".." || part == "." {
				missing = fmt.Errorf("%s climbs out of its place", found)
			}
			parts[i] = url.PathEscape(part)
		}
		return strings.Join(parts, "/")
	})
	if !asks {
		return where, missing
	}
	query = hole.ReplaceAllStringFunc(query, func(found string) string {
		return url.QueryEscape(fill(found[1 : len(found)-1])) // an empty value is one
	})
	return where + "?" + query, missing
}

// checkAddress reports a hole that nothing fills.
func checkAddress(template string, known ...string) error {
	for _, found := range hole.FindAllStringSubmatch(template, -1) {
		group, _, _ := strings.Cut(found[1], ".")
		if !slices.Contains(known, found[1]) && !slices.Contains(known, group+".*") {
			return fmt.Errorf("%s is not known here", found[0])
		}
	}
	if rest := hole.ReplaceAllString(template, ""); strings.ContainsAny(rest, "{} \t\n#") {
		return fmt.Errorf("%q is no address", template)
	}
	if whole := hole.FindString(template); whole != template && !strings.HasPrefix(template, "/") {
		return fmt.Errorf("%q must begin with a slash", template)
	}
	return nil
}

// fillIn puts the id into the texts of a small body.
func fillIn(v any, id string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "{id}", id)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = fillIn(v[i], id)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key := range v {
			object[key] = fillIn(v[key], id)
		}
		return object
	}
	return v
}
