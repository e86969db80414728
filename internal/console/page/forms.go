package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/media"
)

// Lines are the entries of a text with one a line.
func Lines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// FormText is a single value as a form has it.
func FormText(v any) string {
	switch v := v.(type) {
	case string, bool, float64:
		return media.Plain(v)
	case jsontext.Value:
		return string(v)
	case []any, map[string]any:
		body, _ := json.Marshal(v, json.Deterministic(true))
		return string(body)
	}
	return fmt.Sprint(v)
}

// FormTexts is a value, or the elements of a list, as a form has them.
func FormTexts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return []string{FormText(v)}
	}
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = FormText(item)
	}
	return out
}

// ParseValue reads a text of a form as a value of a declared type. What is none stays a text,
// and is refused where everything is.
func ParseValue(kind, value string) any {
	switch kind {
	case "boolean":
		if value == "true" || value == "false" {
			return value == "true"
		}
	case "integer", "number":
		if v := jsontext.Value(strings.TrimSpace(value)); v.Kind() == '0' && v.IsValid() {
			return v
		}
	}
	return value
}

// ParseValues reads several texts of a form as a list of a declared type.
func ParseValues(kind string, values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = ParseValue(kind, v)
	}
	return list
}

// FormatBound is an end of a range as a form has it, "" for none.
func FormatBound(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

// Mentions reports whether a text has each word of what was searched for.
func Mentions(text, query string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Shorten cuts a text down to one of so many characters at most.
func Shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// Newlines undoes what forms do to line breaks.
func Newlines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// InWords is a name of a program as people write it.
func InWords(name string) string {
	name = strings.TrimSpace(strings.ReplaceAll(name, "_", " "))
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
