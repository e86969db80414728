package dialect

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// valueKind is what JSON Schema has as the value of a keyword, in words.
type valueKind string

const (
	textValue   valueKind = "a text"
	countValue  valueKind = "a whole number"
	numberValue valueKind = "a number"
	flagValue   valueKind = "true or false"
	schemaValue valueKind = "a schema"
	listValue   valueKind = "a list of schemas"
	enumValue   valueKind = "a list of values"
	shownValue  valueKind = "a list of examples"
)

// valueOf is what a keyword's value must be, where APIs refuse any other.
func valueOf(keyword string) valueKind {
	switch keyword {
	case "title", "description", "pattern", "format", "$ref", "$id", "$anchor", "$comment":
		return textValue
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return countValue
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return numberValue
	case "uniqueItems", "readOnly", "writeOnly", "deprecated", "nullable":
		return flagValue
	case "items", "additionalItems", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else":
		return schemaValue
	case "anyOf", "oneOf", "allOf", "prefixItems":
		return listValue
	case "enum":
		return enumValue
	case "examples":
		return shownValue
	}
	return ""
}

// filled are lists of a schema that have something in them, or are not there.
var filled = []string{"enum", "anyOf", "oneOf", "allOf", "prefixItems", "type"}

// mendMember leaves out what says nothing, puts right what is of another kind than it should be, and reports
// whether it did.
func (m *moderner) mendMember(key jsonscan.Key, v jsonscan.Value) bool {
	switch {
	case v.Absent():
		m.remove(key, v, key.Name+": null is left out")
	case v.Kind() == jsonscan.Array && v.Len() == 0 && slices.Contains(filled, key.Name):
		m.remove(key, v, key.Name+": an empty list is left out")
	default:
		return m.mendValue(key, v)
	}
	return true
}

// mendValue puts right what stands for a keyword's value: tools that were written by hand, or by a model, have
// {"minimum": "1"} and {"items": "string"}, and one of them makes an API refuse every request. It reports whether it did.
func (m *moderner) mendValue(key jsonscan.Key, v jsonscan.Value) bool {
	want := valueOf(key.Name)
	if want == "" {
		return false
	}
	mended, fine := toValue(want, key.Name, v)
	if fine {
		return false
	}
	note := key.Name + " is " + string(want)
	if mended == "" {
		m.verb = chat.Approximated
		m.remove(key, v, note+": left out")
		return true
	}
	m.edits.Replace(v, []byte(mended))
	m.note(note)
	m.joined = m.joined || want == listValue
	return true
}

// mendSchema puts a schema in the place of what is none: that of the type that it names, or one that allows everything.
func (m *moderner) mendSchema(v jsonscan.Value) {
	if mended := schemaIn(v); v.Kind() == jsonscan.String && mended != "" {
		m.edits.Replace(v, []byte(mended))
		m.note("a type by its name is a schema of that type")
		return
	}
	m.edits.Replace(v, []byte("{}"))
	m.note("what is no schema allows everything")
}

// toValue makes a value one of the kind that is wanted, "" where it cannot, and reports whether it is one.
func toValue(want valueKind, keyword string, v jsonscan.Value) (mended string, fine bool) {
	kind := v.Kind()
	flag := kind == jsonscan.True || kind == jsonscan.False
	switch want {
	case textValue:
		return joinTexts(v), kind == jsonscan.String
	case countValue, numberValue:
		switch text := strings.TrimSpace(v.View()); {
		case flag:
			return "", strings.HasPrefix(keyword, "exclusive") // as drafts before 6 have it
		case kind == jsonscan.Number:
			return "", isBound(string(v.Raw()), want, keyword)
		case kind == jsonscan.String && isBound(text, want, keyword) && jsonscan.Valid([]byte(text), jsonscan.Strict):
			return text, false
		}
	case flagValue:
		return flagIn(v), flag
	case schemaValue:
		return schemaIn(v), flag || kind == jsonscan.Object || kind == jsonscan.Array && (keyword == "items" || v.Len() > 0)
	case listValue:
		if kind == jsonscan.Object {
			return "[" + string(v.Raw()) + "]", false
		}
		return "", kind == jsonscan.Array
	case enumValue:
		return "", kind != jsonscan.Object
	case shownValue:
		return "[" + string(v.Raw()) + "]", kind == jsonscan.Array
	}
	return "", false
}

// isBound reports whether a number can be a keyword's value.
func isBound(number string, want valueKind, keyword string) bool {
	f, err := strconv.ParseFloat(number, 64)
	return err == nil && (want != countValue || f >= 0 && f == math.Trunc(f)) && (keyword != "multipleOf" || f > 0)
}

// flagIn is the flag that a text names, or "".
func flagIn(v jsonscan.Value) string {
	switch word := strings.ToLower(v.View()); word {
	case "true", "false":
		return word
	}
	return ""
}

// schemaIn is the schema that a text names, a type or a flag, or "". Some languages write one without members as [].
func schemaIn(v jsonscan.Value) string {
	if v.Kind() == jsonscan.Array {
		return "{}"
	}
	name := strings.ToLower(v.View())
	if known, ok := kindNames[name]; ok {
		name = known
	}
	if isKind(name) {
		return `{"type":"` + name + `"}`
	}
	return flagIn(v)
}

// joinTexts is a list of texts as one, or "".
func joinTexts(v jsonscan.Value) string {
	var all []string
	for _, one := range v.Elements() {
		if one.Kind() != jsonscan.String {
			return ""
		}
		all = append(all, one.View())
	}
	if len(all) == 0 {
		return ""
	}
	return string(jsonscan.AppendText(nil, strings.Join(all, "\n")))
}
