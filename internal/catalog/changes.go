package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"stele/internal/access"
)

// changesOf says which fields of a record a change is about, with what they were
// and are. Of secrets it says only that they changed.
func changesOf(before, next UnsealedRecord, d Draft) (list []access.Change) {
	old, now := flatten(before.Fields), flatten(next.Fields)
	names := maps.Clone(old)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if old[name] != now[name] {
			list = append(list, access.Change{Field: name, Old: old[name], New: now[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Secrets)) {
		list = append(list, access.Change{Field: name, New: "changed"})
	}
	for _, name := range d.Forget {
		list = append(list, access.Change{Field: name, New: "removed"})
	}
	return list
}

// flatten gives every value of a JSON object by its path: targets[0].model.
func flatten(fields []byte) map[string]string {
	out := make(map[string]string)
	var root map[string]any
	if len(fields) == 0 || json.Unmarshal(fields, &root) != nil {
		return out
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				walk(path+"."+name, inner)
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), inner)
			}
		case nil:
		default:
			out[path[1:]] = withoutPassword(fmt.Sprint(v))
		}
	}
	walk("", root)
	return out
}

// withoutPassword hides what an address has before its @.
func withoutPassword(value string) string {
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}
