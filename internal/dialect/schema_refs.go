package dialect

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"stele/internal/jsonscan"
)

// Pointed is what a local reference refers to in a schema: #/properties/a/items.
func Pointed(root jsonscan.Value, ref string) (jsonscan.Value, bool) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return jsonscan.Value{}, false
	}
	at := root
	for segment := range strings.SplitSeq(pointer, "/") {
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

// mostSearched bounds the bytes that are looked through for references.
const mostSearched = 64 << 20

// leads reports whether a reference leads somewhere. One by a name that the schema itself
// gives, or one too many, is taken to do so.
func (m *moderner) leads(ref string) bool {
	if found, known := m.refs[ref]; known {
		return found
	}
	found := ref == "#" || (len(m.refs)+1)*len(m.root.Raw()) > mostSearched
	if !found && strings.HasPrefix(ref, "#/") {
		_, found = Pointed(m.root, ref)
	} else if !found {
		raw := m.root.Raw()
		found = bytes.Contains(raw, []byte(`"$id"`)) || bytes.Contains(raw, []byte(`"$anchor"`)) || bytes.Contains(raw, []byte(`"$dynamicAnchor"`))
	}
	if m.refs == nil {
		m.refs = make(map[string]bool)
	}
	m.refs[ref] = found
	return found
}

// remarks are what a schema says that no value is checked by.
var remarks = map[string]bool{
	"title": true, "description": true, "$comment": true, "$schema": true, "$id": true, "default": true, "examples": true, "$defs": true, "definitions": true,
}

// rooted makes a schema that is only a reference to one of its own parts that part: APIs want
// to see what it is.
func rooted(raw []byte) (out []byte, changed bool) {
	const most = 8
	for range most {
		root := jsonscan.At(raw, 0)
		target, ok := Pointed(root, root.Get("$ref").View())
		if !ok || target.Kind() != jsonscan.Object || clash(root, target) {
			break
		}
		w := jsonscan.NewWriter(make([]byte, 0, len(raw)+len(target.Raw()))).Open(jsonscan.Object)
		for key, v := range root.Members() {
			if key.Name != "$ref" {
				w.Key(key.Name).Raw(v.Raw())
			}
		}
		for key, v := range target.Members() {
			if !root.Get(key.Name).Exists() || key.Name == "$ref" {
				w.Key(key.Name).Raw(v.Raw())
			}
		}
		raw, changed = w.Close(jsonscan.Object).Bytes(), true
	}
	return raw, changed
}

// clash reports whether two schemas that both count say different things under one name.
func clash(outer, inner jsonscan.Value) bool {
	for key := range inner.Members() {
		if key.Name != "$ref" && !remarks[key.Name] && outer.Get(key.Name).Exists() {
			return true
		}
	}
	return false
}
