package gemini

import (
	"slices"
	"strings"

	"stele/internal/jsonscan"
)

// loosen lets go of what makes a schema need itself. The API unrolls a definition that
// refers to itself only so far, and takes such a reference only within a property that may
// be missing: one that must be there need not any more, and where no property is on the way
// the reference allows everything.
func loosen(raw []byte, notes *changes) []byte {
	raw = nameRoot(raw)
	g := circles{definitions: make(map[string]*definition)}
	root := jsonscan.Root(raw)
	for key, v := range root.Members() {
		if key.Name != "$defs" && key.Name != "definitions" {
			continue
		}
		for key, v := range v.Members() {
			d := &definition{}
			g.definitions[key.Name], g.order = d, append(g.order, d)
			g.collect(d, v, nil, 0)
		}
	}
	for _, d := range g.order {
		g.visit(d)
	}
	if len(g.cut) == 0 {
		return raw
	}
	var edits jsonscan.Edits
	for _, l := range g.cut {
		l.undo(&edits, notes)
	}
	out, err := edits.Apply(raw)
	if err != nil { // one edit within another: the outer reference is gone with it
		return raw
	}
	return out
}

// rootName is what a schema is called that refers to itself as a whole.
const rootName = "root_"

// nameRoot makes a definition of a schema that refers to itself as a whole: references to
// anything else than a definition are written out, which has no end here.
func nameRoot(raw []byte) []byte {
	root := jsonscan.Root(raw)
	var edits jsonscan.Edits
	root.EachText(func([]byte) bool { return true }, func(path []jsonscan.Step, text jsonscan.Value) bool {
		if string(path[len(path)-1].Name) == "$ref" && text.View() == "#" {
			edits.ReplaceText(text, "#/$defs/"+rootName)
		}
		return true
	})
	if edits.Len() == 0 {
		return raw
	}
	doc, err := edits.Apply(raw)
	if err != nil {
		return raw
	}
	root = jsonscan.Root(doc)
	alone, edits := jsonscan.Edits{}, jsonscan.Edits{}
	var home jsonscan.Value
	for key, v := range root.Members() {
		switch key.Name {
		case "$defs", "definitions":
			home = v
			alone.Remove(key, v)
		case "$schema", "$id":
			alone.Remove(key, v)
		}
	}
	itself, err := alone.Apply(doc)
	if err != nil {
		return raw
	}
	if home.Exists() {
		edits.Append(home, rootName, itself)
	} else {
		edits.Append(root, "$defs", slices.Concat([]byte(`{"`+rootName+`":`), itself, []byte{'}'}))
	}
	if doc, err = edits.Apply(doc); err != nil {
		return raw
	}
	return doc
}

// circles is the definitions of a schema and which of them need which.
type circles struct {
	definitions map[string]*definition
	order       []*definition
	cut         []link
}

// definition is one of $defs.
type definition struct {
	links []link
	state uint8
}

// The states of a definition that is visited.
const (
	unseen = iota
	onTheWay
	seen
)

// link is a reference that a definition always has.
type link struct {
	to  string
	ref jsonscan.Value // the schema that is the reference
	by  *demand        // what makes it be there; nil: it is no property's
}

// demand is a property that must be there, and all places that say so.
type demand struct {
	name  string
	said  []jsonscan.Value
	taken bool
}

// collect notes what a schema refers to on ways without a property that may be missing.
func (g *circles) collect(d *definition, v jsonscan.Value, by *demand, depth int) {
	if v.Kind() != jsonscan.Object || depth > deepest {
		return
	}
	required := collectDemands(v, nil, 0)
	for key, inner := range v.Members() {
		switch key.Name {
		case "$ref":
			if to, ok := definitionOf(inner.View()); ok {
				d.links = append(d.links, link{to, v, by})
			}
		case "properties":
			for key, property := range inner.Members() {
				if need := required[key.Name]; need != nil {
					g.collect(d, property, need, depth+1)
				}
			}
		case "items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf":
			for _, one := range items(inner) {
				g.collect(d, one, by, depth+1)
			}
		}
	}
}

// collectDemands finds the properties that an object must have, by its own word or by that of what
// it is joined with.
func collectDemands(v jsonscan.Value, all map[string]*demand, depth int) map[string]*demand {
	if all == nil {
		all = make(map[string]*demand)
	}
	for _, name := range v.Get("required").Elements() {
		d := all[name.View()]
		if d == nil {
			d = &demand{name: strings.Clone(name.View())}
			all[d.name] = d
		}
		d.said = append(d.said, name)
	}
	if depth < deepest {
		for _, one := range v.Get("allOf").Elements() {
			collectDemands(one, all, depth+1)
		}
	}
	return all
}

// definitionOf is the definition that a reference names.
func definitionOf(ref string) (string, bool) {
	for _, home := range []string{"#/$defs/", "#/definitions/"} {
		if name, ok := strings.CutPrefix(ref, home); ok && !strings.Contains(name, "/") {
			return strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~"), true
		}
	}
	return "", false
}

// visit follows what a definition needs, and cuts where that leads back.
func (g *circles) visit(d *definition) {
	if d.state != unseen {
		return
	}
	d.state = onTheWay
	for _, l := range d.links {
		to := g.definitions[l.to]
		if to == nil || l.by != nil && l.by.taken {
			continue
		}
		if to.state == onTheWay {
			if l.by != nil {
				l.by.taken = true
			}
			g.cut = append(g.cut, l)
			continue
		}
		g.visit(to)
	}
	d.state = seen
}

// undo takes a link back.
func (l *link) undo(edits *jsonscan.Edits, notes *changes) {
	if l.by == nil {
		notes.note(true, "a reference in a circle that no property is on allows everything")
		edits.Replace(l.ref, []byte("{}"))
		return
	}
	notes.note(true, l.by.name+" is required and leads back to where it is: it is not required any more")
	said := slices.CompactFunc(l.by.said, func(a, b jsonscan.Value) bool { return a.From() == b.From() })
	for _, name := range said {
		edits.RemoveElement(name)
	}
}
