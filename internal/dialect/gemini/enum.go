package gemini

import "strings"

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

// enum reads a word of e in any case, with or without its prefix, or by its
// number. A word that is not in e is passed on: whoever knows better decides.
func (c *cursor) enum(e enum) (string, bool) {
	if b := c.peek(); b >= '0' && b <= '9' {
		n, ok := c.integer()
		if !ok || n >= int64(len(e.words)) {
			return "", false
		}
		return e.words[n], true
	}
	word, ok := c.text()
	word = strings.TrimPrefix(strings.ToUpper(word), e.prefix)
	if strings.HasSuffix(word, "UNSPECIFIED") {
		word = ""
	}
	return word, ok
}
