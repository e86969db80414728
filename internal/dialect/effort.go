package dialect

import (
	"slices"
	"strings"

	"stele/internal/fault"
)

// Efforts are the levels of thinking, least first.
var Efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// ReadEffort reads a level in any case; field names it in the error.
func ReadEffort(text, field string) (string, error) {
	level := strings.ToLower(text)
	if !slices.Contains(Efforts, level) {
		return "", fault.New(fault.InvalidParameter, "%s: %q is none of %s.", field, text, strings.Join(Efforts, ", ")).
			Field(field).With("got", text).With("allowed", Efforts)
	}
	return level, nil
}

// EffortOf is the level nearest to a budget of tokens; "" for a dynamic one.
func EffortOf(budget int64) string {
	switch {
	case budget < 0:
		return ""
	case budget == 0:
		return "none"
	case budget < 1024:
		return "minimal"
	case budget < 4096:
		return "low"
	case budget < 16384:
		return "medium"
	case budget < 32768:
		return "high"
	}
	return "xhigh"
}

// BudgetOf is the tokens that stand for a level where a model takes tokens.
func BudgetOf(effort string) int64 {
	switch effort {
	case "none":
		return 0
	case "minimal":
		return 512
	case "low":
		return 1024
	case "medium":
		return 8192
	case "high":
		return 24576
	}
	return 32768
}

// NearestEffort is the one of some levels, least first, that stands best for the one
// that is wanted: the next lower one; for the two lowest the next higher, which is the
// least there is.
func NearestEffort(wanted string, levels []string) string {
	rank := slices.Index(Efforts, wanted)
	below, above := "", ""
	for _, level := range levels {
		switch at := slices.Index(Efforts, level); {
		case at == rank:
			return level
		case at < rank:
			below = level
		case above == "":
			above = level
		}
	}
	if below == "" || wanted == "minimal" {
		return above
	}
	return below
}
