package gemini

import (
	"net/url"
	"strconv"
	"strings"
)

// schemaField is one field of a schema; schemaFields are all, in their order.
type schemaField struct {
	name  string
	value []byte
}

type schemaFields []schemaField

// fieldsOf reads an object's fields; there are none in anything else.
func fieldsOf(raw []byte) schemaFields {
	c := cursor{b: raw}
	if !c.enter('{') {
		return nil
	}
	var all schemaFields
	for {
		name, more := c.name()
		if !more {
			return all
		}
		all = append(all, schemaField{string(name), c.raw()})
	}
}

// memberOf is the value of a member of an object, or nil.
func memberOf(raw []byte, name string) []byte { return fieldsOf(raw).get(name) }

func (fs schemaFields) get(name string) []byte {
	for _, f := range fs {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

func (fs schemaFields) without(name string) schemaFields {
	rest := make(schemaFields, 0, len(fs))
	for _, f := range fs {
		if f.name != name {
			rest = append(rest, f)
		}
	}
	return rest
}

// kinds are the types that a schema allows, in lower case.
func (fs schemaFields) kinds() []string {
	c := cursor{b: fs.get("type")}
	if !c.enter('[') {
		if s, ok := c.text(); ok {
			return []string{strings.ToLower(s)}
		}
		return nil
	}
	var all []string
	for c.item() {
		if s, ok := c.text(); ok {
			all = append(all, strings.ToLower(s))
		}
	}
	return all
}

func rawText(raw []byte) string {
	c := cursor{b: raw}
	s, _ := c.text()
	return s
}

func truthOf(raw []byte) bool { return string(raw) == "true" }

// flatten takes what allOf holds into the schema itself, as far as it can.
func (r *rewriter) flatten(fields schemaFields, depth int) schemaFields {
	for i := range fields {
		if fields[i].name == "definitions" {
			r.note(false, "definitions are called $defs")
			fields[i].name = "$defs"
		}
	}
	if fields.get("allOf") == nil {
		return fields.unique()
	}
	var all schemaFields
	for _, f := range fields {
		if f.name != "allOf" {
			all = append(all, f)
			continue
		}
		r.note(true, "allOf is joined")
		c := cursor{b: f.value}
		for c.enter('['); c.item(); {
			inner := fieldsOf(c.raw())
			if ref := inner.get("$ref"); ref != nil {
				target, ok := r.resolve(rawText(ref))
				if !ok || depth > deepest {
					continue
				}
				inner = append(inner.without("$ref"), fieldsOf(target)...)
			}
			all = append(all, r.flatten(inner, depth+1)...)
		}
	}
	return all.unique()
}

// unique joins fields that are there twice: properties and required are put
// together, of anything else the first counts.
func (fs schemaFields) unique() schemaFields {
	var names set
	twice := false
	for _, f := range fs {
		twice = !names.add(f.name) || twice
	}
	if !twice {
		return fs
	}
	at, more := make(map[string]int), make(map[int][][]byte)
	var all schemaFields
	for _, f := range fs {
		i, there := at[f.name]
		if !there {
			at[f.name] = len(all)
			all = append(all, f)
			continue
		}
		switch f.name {
		case "properties", "$defs", "required":
			if more[i] == nil {
				more[i] = [][]byte{all[i].value}
			}
			more[i] = append(more[i], f.value)
		}
	}
	for i, values := range more {
		if all[i].name == "required" {
			all[i].value = chained(values)
		} else {
			all[i].value = joined(values)
		}
	}
	return all
}

// joined is the members of objects; of the same name the first counts.
func joined(objects [][]byte) []byte {
	var w writer
	var names set
	w.open('{')
	for _, object := range objects {
		for _, f := range fieldsOf(object) {
			if names.add(f.name) {
				w.named(f.name)
				w.raw(f.value)
			}
		}
	}
	w.close('}')
	return w.b
}

// chained is the elements of lists, each once.
func chained(lists [][]byte) []byte {
	var w writer
	var values set
	w.open('[')
	for _, list := range lists {
		c := cursor{b: list}
		for c.enter('['); c.item(); {
			if value := c.raw(); values.add(string(value)) {
				w.raw(value)
			}
		}
	}
	w.close(']')
	return w.b
}

// resolve finds what a local reference refers to: #/properties/a/items.
func (r *rewriter) resolve(ref string) ([]byte, bool) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok || r.resolved >= mostResolved || r.copied > mostCopied || r.resolved*len(r.root) > mostSearched {
		return nil, false
	}
	r.resolved++
	at := r.root
	for segment := range strings.SplitSeq(pointer, "/") {
		if plain, err := url.PathUnescape(segment); err == nil {
			segment = plain
		}
		segment = strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
		if at = step(at, segment); at == nil {
			return nil, false
		}
	}
	if r.copied += len(at); r.copied > mostCopied {
		return nil, false
	}
	return at, true
}

func step(raw []byte, segment string) []byte {
	c := cursor{b: raw}
	if !c.enter('[') {
		return memberOf(raw, segment)
	}
	n, err := strconv.Atoi(segment)
	for i := 0; err == nil && c.item(); i++ {
		value := c.raw()
		if i == n {
			return value
		}
	}
	return nil
}
