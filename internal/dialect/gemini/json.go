package gemini

import (
	"iter"
	"strings"

	"stele/internal/jsonscan"
)

// field is a member's name in lowerCamelCase, and as it is spelled.
type field struct{ name, spelled string }

// fields are the members of a message, in either spelling. Those that are null mean
// nothing.
func fields(v jsonscan.Value) iter.Seq2[field, jsonscan.Value] {
	return func(yield func(field, jsonscan.Value) bool) { eachField(v, yield) }
}

func eachField(v jsonscan.Value, yield func(field, jsonscan.Value) bool) {
	for key, value := range v.Members() {
		if !value.Absent() && !yield(field{toCamel(key.Name), key.Name}, value) {
			return
		}
	}
}

// items are the elements of a list, or the one value that stands for a list of one.
func items(v jsonscan.Value) iter.Seq2[int, jsonscan.Value] {
	return func(yield func(int, jsonscan.Value) bool) { eachItem(v, yield) }
}

func eachItem(v jsonscan.Value, yield func(int, jsonscan.Value) bool) {
	if v.Exists() && v.Kind() != jsonscan.Array {
		yield(0, v)
	}
	for i, element := range v.Elements() {
		if !yield(i, element) {
			return
		}
	}
}

// toCamel turns snake_case into lowerCamelCase. A leading underscore is part of a name.
func toCamel(name string) string {
	const longest = 64 // of all names that are known
	if len(name) < 2 || len(name) > longest || strings.IndexByte(name[1:], '_') < 0 {
		return name
	}
	out := append(make([]byte, 0, longest), name[0])
	for i := 1; i < len(name); i++ {
		if name[i] == '_' && i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' {
			i++
			out = append(out, name[i]-'a'+'A')
			continue
		}
		out = append(out, name[i])
	}
	return string(out)
}

// fieldOf is a field of a message.
func fieldOf(v jsonscan.Value, name string) jsonscan.Value {
	for key, value := range fields(v) {
		if key.name == name {
			return value
		}
	}
	return jsonscan.Value{}
}

// textOf is a field that is a string, or "".
func textOf(v jsonscan.Value, name string) string {
	text, _ := fieldOf(v, name).Text()
	return text
}

// readInt reads a whole number, also in a string, as protobuf's JSON has it.
func readInt(v jsonscan.Value) (int64, bool) { return jsonscan.Int(readDigits(v)) }

// readNumber reads a number, also in a string.
func readNumber(v jsonscan.Value) (float64, bool) { return jsonscan.Float(readDigits(v)) }

func readDigits(v jsonscan.Value) string {
	if v.Kind() == jsonscan.String {
		return v.View()
	}
	return v.Number()
}

// compactText is JSON without the white space in it.
func compactText(raw []byte) string { return string(jsonscan.At(raw, 0).AppendCompact(nil)) }

// writeText writes a member that is a string, unless it is empty.
func writeText(w *jsonscan.Writer, name, text string) {
	if text != "" {
		w.Key(name).Text(text)
	}
}

// enum is the words of a protobuf enum by their numbers. What stands for nothing
// in particular is "".
type enum struct {
	prefix string
	words  []string
}

var (
	modes       = enum{"", []string{"", "AUTO", "ANY", "NONE", "VALIDATED"}}
	levels      = enum{"", []string{"", "LOW", "MEDIUM", "HIGH", "MINIMAL"}}
	modalities  = enum{"", []string{"", "TEXT", "IMAGE", "AUDIO", "VIDEO"}}
	resolutions = enum{"MEDIA_RESOLUTION_", []string{"", "LOW", "MEDIUM", "HIGH", "ULTRA_HIGH"}}
	kinds       = enum{"", []string{"", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}}
	tiers       = enum{"SERVICE_TIER_", []string{"", "STANDARD", "FLEX", "PRIORITY"}}
)

// readWord reads a word of e in any case, with or without its prefix, or by its number. A
// word that is not in e is passed on: the upstream knows better.
func (e enum) readWord(v jsonscan.Value) (string, bool) {
	if v.Kind() == jsonscan.Number {
		n, ok := readInt(v)
		if !ok || n < 0 || n >= int64(len(e.words)) {
			return "", false
		}
		return e.words[n], true
	}
	text, ok := v.Text()
	text = strings.TrimPrefix(strings.ToUpper(text), e.prefix)
	if strings.HasSuffix(text, "UNSPECIFIED") {
		text = ""
	}
	return text, ok
}
