package dialect

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"stele/internal/jsonscan"
)

// Pointers finds what local references of a schema refer to. A reference of many steps, and
// many references, lead over the same bytes again and again: it looks at as many as a
// schema of that size is worth, and finds nothing any more then.
type Pointers struct {
	root jsonscan.Value
	left int // bytes that may be looked at
}

const (
	mostSearched = 64 << 20 // bytes that are looked at in one schema
	oftenEnough  = 256      // each of its bytes is looked at so often
)

// PointersIn are those of a schema.
func PointersIn(root jsonscan.Value) Pointers {
	return Pointers{root, min(mostSearched, oftenEnough*len(root.Raw()))}
}

// Find finds what a local reference refers to: #/properties/a/items.
func (p *Pointers) Find(ref string) (jsonscan.Value, bool) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return jsonscan.Value{}, false
	}
	at := p.root
	for segment := range strings.SplitSeq(pointer, "/") {
		if p.left -= len(at.Raw()); p.left < 0 || !at.Exists() {
			return jsonscan.Value{}, false
		}
		if plain, err := url.PathUnescape(segment); err == nil {
			segment = plain
		}
		segment = strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
		if n, err := strconv.Atoi(segment); err == nil && at.Kind() == jsonscan.Array {
			at = at.Index(n)
		} else {
			at = at.Get(segment)
		}
	}
	return at, at.Exists()
}

// leadsSomewhere reports whether a reference leads somewhere. One by a name that the schema itself
// gives, or one too many, is taken to do so.
func (m *moderner) leadsSomewhere(ref string) bool {
	if found, known := m.refs[ref]; known {
		return found
	}
	found := ref == "#"
	if strings.HasPrefix(ref, "#/") {
		_, found = m.pointers.Find(ref)
		found = found || m.pointers.left < 0
	} else if !found {
		found = m.hasNames()
	}
	if m.refs == nil {
		m.refs = make(map[string]bool)
	}
	m.refs[ref] = found
	return found
}

// hasNames reports whether a schema gives names to its parts. It is looked at once, whatever number of references it has.
func (m *moderner) hasNames() bool {
	if m.naming == nil {
		raw := m.root.Raw()
		found := bytes.Contains(raw, []byte(`"$id"`)) || bytes.Contains(raw, []byte(`"$anchor"`)) || bytes.Contains(raw, []byte(`"$dynamicAnchor"`))
		m.naming = &found
	}
	return *m.naming
}

// remarks are what a schema says that no value is checked by.
var remarks = map[string]bool{
	"title": true, "description": true, "$comment": true, "$schema": true, "$id": true, "default": true, "examples": true, "$defs": true, "definitions": true,
}

// resolveRoot makes a schema that is only a reference to one of its own parts that part: APIs want
// to see what it is.
func resolveRoot(raw []byte) (out []byte, changed bool) {
	const most = 8
	for range most {
		root := jsonscan.At(raw, 0)
		pointers := PointersIn(root)
		target, ok := pointers.Find(root.Get("$ref").View())
		if !ok || target.Kind() != jsonscan.Object || isClash(root, target) {
			break
		}
		own := memberNames(root)
		w := jsonscan.NewWriter(make([]byte, 0, len(raw)+len(target.Raw()))).Open(jsonscan.Object)
		for key, v := range root.Members() {
			if key.Name != "$ref" {
				w.Key(key.Name).Raw(v.Raw())
			}
		}
		for key, v := range target.Members() {
			if !own[key.Name] || key.Name == "$ref" {
				w.Key(key.Name).Raw(v.Raw())
			}
		}
		raw, changed = w.Close(jsonscan.Object).Bytes(), true
	}
	return raw, changed
}

// isClash reports whether two schemas that both count say different things under one name.
func isClash(outer, inner jsonscan.Value) bool {
	own := memberNames(outer)
	for key := range inner.Members() {
		if key.Name != "$ref" && !remarks[key.Name] && own[key.Name] {
			return true
		}
	}
	return false
}

// memberNames are the names of an object's members: to look for each of many by itself is a walk over all for each.
func memberNames(v jsonscan.Value) map[string]bool {
	names := make(map[string]bool)
	for key := range v.Members() {
		names[key.Name] = true
	}
	return names
}
