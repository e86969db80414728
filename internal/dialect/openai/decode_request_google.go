package openai

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// readGoogle reads what Google's own server of this dialect takes besides, in extra_body: how
// its models think, a prompt that is kept at Google, and what they must not say.
func readGoogle(r *requestReader, v jsonscan.Value, key string) error {
	if v.Kind() != object {
		return fault.WrongValue(r.nested+key, "an object")
	}
	for member, v := range v.Members() {
		if v.Absent() || v.Kind() == jsonscan.String && v.View() == "" {
			continue
		}
		switch toSnake(member.Name) {
		case "thinking_config":
			if v.Kind() != object {
				return fault.WrongValue(r.nested+key+"."+member.Name, "an object")
			}
			r.think[googleThinking] = v
			for inner := range v.Members() {
				if !slices.Contains([]string{"include_thoughts", "thinking_budget", "thinking_level"}, toSnake(inner.Name)) {
					r.note(r.nested+key+"."+member.Name+"."+inner.Name, chat.Dropped, "unknown")
				}
			}
		case "cached_content":
			r.c.Extra = append(r.c.Extra, chat.Extra{Name: googleCached, Value: v.Raw(), Effect: chat.Vital})
		case "safety_settings":
			r.c.Extra = append(r.c.Extra, chat.Extra{Name: googleSafety, Value: v.Raw(), Effect: chat.Shapes})
		default:
			r.note(r.nested+key+"."+member.Name, chat.Dropped, "unknown")
		}
	}
	return nil
}

// Google's fields under the names that its own dialect has for them.
const (
	googleCached = "gemini.cachedContent"
	googleSafety = "gemini.safetySettings"
)

// googleMember is a member of one of Google's objects, in either of the spellings that it takes.
func googleMember(v jsonscan.Value, name string) (found jsonscan.Value) {
	for key, v := range v.Members() {
		if toSnake(key.Name) == name {
			found = v
		}
	}
	return found
}

// toSnake turns a name in lowerCamelCase into one as this API writes names.
func toSnake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
