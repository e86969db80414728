package dialect

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// kindNames are what programs call the types.
var kindNames = map[string]string{
	"int": "integer", "long": "integer", "short": "integer", "bigint": "integer", "int32": "integer", "int64": "integer", "uint": "integer",
	"float": "number", "double": "number", "decimal": "number", "float32": "number", "float64": "number", "bool": "boolean",
	"str": "string", "text": "string", "char": "string", "date": "string", "datetime": "string", "date-time": "string", "time": "string", "timestamp": "string",
	"uuid": "string", "email": "string", "uri": "string", "url": "string", "file": "string", "enum": "string", "base64": "string",
	"dict": "object", "map": "object", "struct": "object", "record": "object", "json": "object", "list": "array", "tuple": "array", "set": "array", "none": "null", "nil": "null",
	"any": "", "mixed": "", "unknown": "", "undefined": "", "": "",
}

// isKind reports whether JSON Schema has a type of that name.
func isKind(word string) bool {
	switch word {
	case "string", "number", "integer", "boolean", "object", "array", "null":
		return true
	}
	return false
}

// kindOf is the type that a program calls so; "": any.
func (m *moderner) kindOf(word string) string {
	name := strings.ToLower(word)
	if known, ok := kindNames[name]; ok {
		return known
	}
	if !isKind(name) {
		m.verb = chat.Approximated
		return ""
	}
	return name
}

// modernizeType looks at a type, or at a list of them.
func (m *moderner) modernizeType(key jsonscan.Key, v jsonscan.Value) {
	if v.Kind() == jsonscan.String {
		word := v.View()
		switch name := m.kindOf(word); {
		case name == "":
			m.remove(key, v, "any type is no type")
		case name != word:
			m.edits.ReplaceText(v, name)
			m.note("types are called by their names")
		}
		return
	}
	out, known, same := jsonscan.NewWriter(nil).Open(jsonscan.Array), make(map[string]bool), true
	for _, one := range v.Elements() {
		word := one.View()
		switch one.Kind() {
		case jsonscan.String:
		case jsonscan.Null: // as YAML reads [string, null]
			word = "none"
		default:
			return // a choice of schemas, which one of the dialects may know
		}
		name := m.kindOf(word)
		if name == "" {
			m.remove(key, v, "any type is no type")
			return
		}
		if same = same && name == word && !known[name]; !known[name] {
			known[name] = true
			out.Text(name)
		}
	}
	if !same {
		m.edits.Replace(v, out.Close(jsonscan.Array).Bytes())
		m.note("types are called by their names")
	}
}

// values looks at an enum: APIs want each of its values once.
func (m *moderner) values(v jsonscan.Value) {
	out, known, same := jsonscan.NewWriter(nil).Open(jsonscan.Array), make(map[string]bool), v.Kind() == jsonscan.Array
	for _, one := range v.Elements() {
		raw := string(one.Raw())
		if known[raw] {
			same = false
			continue
		}
		known[raw] = true
		out.Raw(one.Raw())
	}
	if v.Kind() == jsonscan.String || v.Kind() == jsonscan.Number { // the only one
		out.Raw(v.Raw())
	}
	if !same {
		m.edits.Replace(v, out.Close(jsonscan.Array).Bytes())
		m.note("enum is a list of values, each once")
	}
}
