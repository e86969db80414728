package upstream

import (
	"strconv"
	"strings"
)

// claude is what a model of theirs takes, as its name tells: dialects.md 0 and 1.9.
type claude struct {
	family  string
	version int // 406 for 4.6
}

func claudeOf(model string) claude {
	c := claude{version: 405} // a name that tells nothing is a middling model
	var numbers []int
	for word := range strings.FieldsFuncSeq(model, func(r rune) bool { return r == '-' || r == '.' || r == '@' }) {
		switch n, err := strconv.Atoi(word); {
		case oneOf(word, []string{"opus", "sonnet", "haiku", "fable", "mythos"}):
			c.family = word
		case err == nil && len(word) <= 2 && len(numbers) < 2:
			numbers = append(numbers, n)
		}
	}
	if c.family != "" && len(numbers) > 0 {
		c.version = numbers[0] * 100
		if len(numbers) > 1 {
			c.version += numbers[1]
		}
	}
	return c
}

// latest are the 5.5 family: no sampling, no budgets, no forced tools, and thinking
// that is bound to what came before it.
func (c claude) latest() bool {
	return c.version >= 505 || c.family == "fable" && c.version >= 501
}

// sampling is whether a model takes other values than the defaults.
func (c claude) sampling() bool { return c.version <= 406 }

// oneSampler is whether temperature and top_p exclude each other.
func (c claude) oneSampler() bool { return c.version >= 401 }

// prefill is whether the last turn may be the assistant's.
func (c claude) prefill() bool { return c.version < 406 }

// midSystem is whether system turns are allowed among the messages.
func (c claude) midSystem() bool { return c.version >= 500 || c.family == "opus" && c.version >= 408 }

func (c claude) budgets() bool  { return c.version <= 406 }
func (c claude) adaptive() bool { return c.version >= 406 }

// alwaysThinks is whether thinking cannot be turned off.
func (c claude) alwaysThinks() bool {
	return c.latest() && !c.betweenTools()
}

func (c claude) betweenTools() bool {
	return c.version >= 505 && (c.family == "sonnet" || c.family == "haiku")
}

// disabled is whether thinking may be called disabled at that effort.
func (c claude) disabled(effort string) bool {
	if c.family == "opus" && c.version == 500 {
		return !oneOf(effort, []string{"xhigh", "max"})
	}
	return !c.latest()
}

// effort is whether a model takes an effort.
func (c claude) effort(level string) bool {
	switch {
	case c.version >= 407:
		return true
	case c.version == 406:
		return level != "xhigh"
	case c.version == 405 && c.family == "opus":
		return !oneOf(level, []string{"xhigh", "max"})
	}
	return false
}

// showsThinking is whether thinking has a text unless asked otherwise.
func (c claude) showsThinking() bool { return c.version <= 406 }
