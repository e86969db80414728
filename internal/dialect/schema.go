package dialect

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// ModernizeSchema makes a JSON Schema of an older draft, or one that a careless program wrote,
// mean the same in the draft of 2020, by which APIs check them. What is fine keeps its
// bytes. The loss says what was done; it has no note where nothing was.
func ModernizeSchema(raw []byte, l chat.Loss) ([]byte, chat.Loss) {
	if jsonscan.At(raw, 0).Kind() != jsonscan.Object {
		return raw, l
	}
	m := moderner{verb: chat.Ignored}
	out, moved := resolveRoot(raw)
	if moved {
		m.note("the root is what it refers to")
	}
	const most = 8 // schemas of one in one another
	for pass := 0; pass < most && (pass == 0 || m.joined); pass++ {
		m.edits, m.refs, m.naming, m.joined, m.root = jsonscan.Edits{}, nil, nil, false, jsonscan.At(out, 0)
		m.pointers = PointersIn(m.root)
		m.modernize(m.root, 0)
		next, err := m.edits.Apply(out)
		if err != nil {
			return raw, l
		}
		out = next
	}
	if len(m.notes) == 0 {
		return raw, l
	}
	l.Verb, l.Note = m.verb, "schema: "+strings.Join(m.notes, ", ")
	return out, l
}

// mostSchemas is how many bytes of schemas are translated: each is looked at from every
// level of what lies around it, and no API takes as many.
const mostSchemas = 4 << 20

// WithModernSchemas is a conversation whose schemas are all ModernizeSchema's, and what that changed. It
// is the same conversation where nothing had to be. What takes anything but an object is no
// tool to any API.
func WithModernSchemas(talk *chat.Conversation) (*chat.Conversation, []chat.Loss, error) {
	var losses []chat.Loss
	changed := talk
	change := func() *chat.Conversation {
		if changed == talk {
			copied := *talk
			copied.Tools = slices.Clone(talk.Tools)
			changed = &copied
		}
		return changed
	}
	size := 0
	for i := range talk.Tools {
		about := chat.LostTool(talk.Tools[i], chat.Ignored, "")
		if size += len(talk.Tools[i].Schema); size > mostSchemas {
			return nil, nil, Refuse(about, "tools", "the schemas of all tools may have 4 MB where they are translated.")
		}
		schema, loss := ModernizeSchema(talk.Tools[i].Schema, about)
		schema, kind := toArguments(schema)
		if kind != "" && talk.Tools[i].Kind == chat.Function {
			return nil, nil, Refuse(about, "tools", "a tool takes an object, not "+kind+".")
		}
		if loss.Note == "" && len(schema) != len(talk.Tools[i].Schema) {
			loss.Note = "schema: a tool takes an object"
		}
		if loss.Note != "" {
			change().Tools[i].Schema = schema
			losses = append(losses, loss)
		}
		if flat, chose := flattenTool(changed.Tools[i]); chose {
			change().Tools[i] = flat
			losses = append(losses, chat.LostTool(talk.Tools[i], chat.Approximated, "a choice at the root of its arguments: in words only"))
		}
	}
	if talk.Format != nil {
		if len(talk.Format.Schema) > mostSchemas {
			return nil, nil, Refuse(chat.Lost(chat.FieldFormat, chat.Ignored, ""), "format", "its schema may have 4 MB where it is translated.")
		}
		if schema, loss := ModernizeSchema(talk.Format.Schema, chat.Lost(chat.FieldFormat, chat.Ignored, "")); loss.Note != "" {
			format := *talk.Format
			format.Schema = schema
			change().Format = &format
			losses = append(losses, loss)
		}
	}
	return changed, losses, nil
}

// toArguments makes a schema of an object or null one of an object: a tool is always called
// with one. Of anything else it returns what that is.
func toArguments(schema []byte) (out []byte, other string) {
	kind := jsonscan.At(schema, 0).Get("type")
	switch word := kind.View(); {
	case word != "" && word != "object":
		return schema, word
	case kind.Kind() != jsonscan.Array:
		return schema, ""
	}
	for _, one := range kind.Elements() {
		if one.View() == "object" {
			var e jsonscan.Edits
			e.ReplaceText(kind, "object")
			out, _ = e.Apply(schema)
			return out, ""
		}
	}
	return schema, string(kind.Raw())
}

type moderner struct {
	pointers Pointers
	edits    jsonscan.Edits
	root     jsonscan.Value
	refs     map[string]bool // whether each leads somewhere
	naming   *bool           // whether parts have names, once that was looked for
	notes    []string
	verb     chat.Verb
	joined   bool // a schema was put in another place: it has not been looked at yet
}

func (m *moderner) note(what string) {
	const most = 20 // some have a client's own names in them
	if len(m.notes) < most && !slices.Contains(m.notes, what) {
		m.notes = append(m.notes, what)
	}
}

const deepestSchema = 100

// modernize looks at one schema and those in it.
func (m *moderner) modernize(v jsonscan.Value, depth int) {
	switch kind := v.Kind(); {
	case kind == jsonscan.String || kind == jsonscan.Number || kind == jsonscan.Null:
		m.mendSchema(v)
		return
	case kind != jsonscan.Object || depth > deepestSchema:
		return
	}
	tuple := v.Get("items").Kind() == jsonscan.Array
	for key, inner := range v.Members() {
		switch key.Name {
		case "const", "default", "example":
			continue
		}
		if m.mendMember(key, inner) {
			continue
		}
		switch key.Name {
		case "$ref":
			if ref, text := inner.Text(); text && !m.leadsSomewhere(ref) {
				m.verb = chat.Approximated
				m.remove(key, inner, "a reference that leads nowhere allows everything")
			}
		case "$schema":
			if strings.Contains(inner.View(), "draft-0") && !strings.Contains(inner.View(), "draft-07") && !strings.Contains(inner.View(), "draft-06") {
				m.remove(key, inner, "$schema is left out")
			}
		case "properties", "patternProperties", "$defs", "definitions":
			if key.Name == "properties" {
				m.leaveOutForbidden(v, inner)
			}
			m.lookAtNamed(key.Name, inner, depth)
		case "items", "additionalItems":
			m.modernizeList(key, inner, tuple, depth)
		case "allOf":
			if m.join(v, key, inner) {
				continue
			}
			m.modernizeAll(inner, depth)
		case "anyOf", "oneOf":
			m.leaveOutNever(inner)
			m.modernizeAll(inner, depth)
		case "additionalProperties", "prefixItems", "not":
			m.modernize(inner, depth+1)
			m.modernizeAll(inner, depth)
		case "exclusiveMinimum", "exclusiveMaximum":
			m.makeExclusive(v, key, inner)
		case "type":
			m.modernizeType(key, inner)
		case "enum":
			m.values(inner)
		case "required":
			if inner.Kind() != jsonscan.Array {
				m.remove(key, inner, "required is a list")
			}
		}
	}
	m.gatherRequired(v)
}

// modernizeAll looks at a list of schemas.
func (m *moderner) modernizeAll(list jsonscan.Value, depth int) {
	for _, one := range list.Elements() {
		if !isNever(one) {
			m.modernize(one, depth+1)
		}
	}
}

// join takes the only schema of allOf into the one that has it, unless they disagree.
func (m *moderner) join(v jsonscan.Value, key jsonscan.Key, all jsonscan.Value) bool {
	only := all.Index(0)
	if all.Len() != 1 || only.Kind() != jsonscan.Object || isClash(v, only) || v.Get("$ref").Exists() {
		return false
	}
	w, own := new(jsonscan.Writer), memberNames(v)
	for key, inner := range only.Members() {
		if !own[key.Name] {
			w.Key(key.Name).Raw(inner.Raw())
		}
	}
	if len(w.Bytes()) == 0 {
		m.edits.Remove(key, all)
	} else {
		m.edits.Splice(key.From, all.To(), w.Bytes())
	}
	m.joined = true
	m.note("allOf of one schema is that schema")
	return true
}

func (m *moderner) remove(key jsonscan.Key, v jsonscan.Value, note string) {
	m.edits.Remove(key, v)
	m.note(note)
}

// lookAtNamed looks at schemas by their names. Some languages write no members as [].
func (m *moderner) lookAtNamed(name string, v jsonscan.Value, depth int) {
	if v.Kind() == jsonscan.Array {
		m.edits.Replace(v, []byte("{}"))
		m.note(name + " is an object")
		return
	}
	for _, inner := range v.Members() {
		switch kind := inner.Kind(); {
		case isNever(inner): // nothing in it is looked at
		case kind == jsonscan.Object || kind == jsonscan.True:
			m.modernize(inner, depth+1)
		default:
			m.mendSchema(inner)
		}
	}
}

// modernizeList looks at what a list holds: several schemas were once a tuple.
func (m *moderner) modernizeList(key jsonscan.Key, v jsonscan.Value, tuple bool, depth int) {
	switch {
	case key.Name == "additionalItems" && tuple:
		m.edits.Rename(key, "items")
	case key.Name == "additionalItems":
		m.remove(key, v, "additionalItems without a tuple is left out")
		return
	case tuple && v.Len() == 0:
		m.remove(key, v, "items: an empty list is left out")
		return
	case tuple:
		m.edits.Rename(key, "prefixItems")
		m.note("a list of items is called prefixItems")
	}
	m.modernize(v, depth+1)
	m.modernizeAll(v, depth)
}

// makeExclusive makes a bound of a switch beside one.
func (m *moderner) makeExclusive(v jsonscan.Value, key jsonscan.Key, inner jsonscan.Value) {
	yes, old := inner.Bool()
	if !old {
		return
	}
	bound := strings.ToLower(strings.TrimPrefix(key.Name, "exclusive"))
	for beside, value := range v.Members() {
		if yes && beside.Name == bound && value.Kind() == jsonscan.Number {
			m.edits.Replace(inner, value.Raw())
			m.remove(beside, value, key.Name+" is a number")
			return
		}
	}
	m.remove(key, inner, key.Name+" is a number")
}

// gatherRequired gathers what an object must have, each once: properties may say it of themselves.
func (m *moderner) gatherRequired(v jsonscan.Value) {
	list := v.Get("required")
	var names []string
	known := make(map[string]bool)
	same := true
	for _, name := range list.Elements() {
		if name.Kind() != jsonscan.String || known[name.View()] {
			same = false
			continue
		}
		known[name.View()] = true
		names = append(names, name.View())
	}
	for key, property := range v.Get("properties").Members() {
		if yes, _ := property.Get("required").Bool(); yes && !known[key.Name] {
			names, same = append(names, key.Name), false
		}
	}
	if same {
		return
	}
	out := jsonscan.NewWriter(nil).Open(jsonscan.Array)
	for _, name := range names {
		out.Text(name)
	}
	written := bytes.Clone(out.Close(jsonscan.Array).Bytes())
	if list.Kind() == jsonscan.Array {
		m.edits.Replace(list, written)
	} else {
		m.edits.Append(v, "required", written)
	}
	m.note("required names each property once")
}

// Describe puts words before those that describe a schema.
func Describe(schema []byte, words string) []byte {
	root := jsonscan.At(schema, 0)
	if words == "" || root.Kind() != jsonscan.Object {
		return schema
	}
	var e jsonscan.Edits
	switch own := root.Get("description"); own.View() {
	case "":
		if own.Exists() {
			e.ReplaceText(own, words)
		} else {
			e.Append(root, "description", jsonscan.AppendText(nil, words))
		}
	case words:
	default:
		e.ReplaceText(own, words+"\n"+own.View())
	}
	described, err := e.Apply(schema)
	if err != nil {
		return schema
	}
	return described
}
