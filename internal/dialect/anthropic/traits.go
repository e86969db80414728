package anthropic

import (
	"slices"
	"strings"
)

// traits are what a model takes. Anthropic refuses whatever its models do not.
type traits struct {
	adaptive  bool     // thinking as much as it finds fit
	budget    bool     // thinking within a number of tokens
	disabled  bool     // not thinking at all
	between   bool     // thinking between tool calls only
	always    bool     // thinks whatever it is told
	omitted   bool     // its thoughts come without words unless asked for
	efforts   []string // levels of output_config.effort; nil: none
	prefill   bool     // the last turn may be the assistant's
	forced    bool     // tool_choice any and tool
	both      bool     // those while it thinks as much as it finds fit
	sampling  freedom
	format    bool // output_config.format and strict tools
	system    bool // system turns in the middle
	maxOutput int64
}

// mostWhole is the most tokens that an answer may have to be asked for whole: more may take ten
// minutes, for which Anthropic's own clients refuse to wait in silence.
func (t *traits) mostWhole() int64 {
	if t.maxOutput == opus4.maxOutput { // Opus 4 and 4.1, and no other
		return 8192
	}
	return 21333
}

// freedom is how much of sampling a model leaves to the client.
type freedom uint8

const (
	anySampling freedom = iota
	oneSampling         // temperature or top_p, not both
	noSampling          // temperature 1 and top_p from 0.99 only
	unsaid              // not even what is usual
)

const defaultMaxOutput = 8192 // where the model's own limit is not known

var (
	allEfforts = []string{"low", "medium", "high", "xhigh", "max"}
	oldEfforts = []string{"low", "medium", "high", "max"}
)

// The generations of Claude. A generation's rules hold for all of its models.
var (
	claude3  = traits{prefill: true, forced: true, maxOutput: 4096}
	claude35 = traits{prefill: true, forced: true, maxOutput: 8192}
	claude37 = traits{budget: true, disabled: true, prefill: true, forced: true, maxOutput: 64000}
	opus4    = traits{budget: true, disabled: true, prefill: true, forced: true, maxOutput: 32000}
	opus41   = traits{budget: true, disabled: true, prefill: true, forced: true, sampling: oneSampling, maxOutput: 32000}
	claude45 = traits{budget: true, disabled: true, prefill: true, forced: true, sampling: oneSampling, format: true, maxOutput: 64000}
	claude46 = traits{
		adaptive: true, budget: true, disabled: true, efforts: oldEfforts, forced: true, sampling: oneSampling, format: true, maxOutput: 128000,
	}
	claude47 = traits{
		adaptive: true, disabled: true, omitted: true, efforts: allEfforts, forced: true, sampling: noSampling, format: true, maxOutput: 128000,
	}
	claude48 = traits{
		adaptive: true, disabled: true, omitted: true, efforts: allEfforts, forced: true, both: true, sampling: noSampling, format: true,
		system: true, maxOutput: 128000,
	}
	small55 = traits{
		adaptive: true, between: true, omitted: true, efforts: allEfforts, sampling: unsaid, format: true, system: true, maxOutput: 128000,
	}
	large55 = traits{
		adaptive: true, always: true, omitted: true, efforts: allEfforts, sampling: unsaid, format: true, system: true, maxOutput: 128000,
	}
	// stranger is a model by a name that Anthropic does not give, at Anthropic's
	// own service; elsewhere it is another maker's model, which knows no formats.
	stranger  = traits{budget: true, disabled: true, prefill: true, forced: true, format: true}
	elsewhere = traits{budget: true, disabled: true, prefill: true, forced: true}
)

// models says by name which traits a model has; the first that fits counts. A
// Claude that is not known is newer than this table and gets the newest rules.
var models = []struct {
	traits   *traits
	patterns []string
}{
	{&large55, []string{"opus-5-5", "fable-5-1", "fable-5-2", "mythos-5-1", "mythos-5-2"}},
	{&small55, []string{"sonnet-5-5", "haiku-5-5"}},
	{&claude48, []string{"opus-5", "sonnet-5", "fable-5", "mythos-5", "opus-4-8"}},
	{&claude47, []string{"mythos-preview", "opus-4-7"}},
	{&claude46, []string{"opus-4-6", "sonnet-4-6"}},
	{&claude45, []string{"opus-4-5", "sonnet-4-5", "haiku-4-5"}},
	{&opus41, []string{"opus-4-1"}},
	{&opus4, []string{"opus-4-0", "opus-4"}},
	{&claude37, []string{"sonnet-4-0", "sonnet-4", "claude-3-7"}},
	{&claude35, []string{"claude-3-5"}},
	{&claude3, []string{"claude-3", "claude-2", "claude-instant"}},
	{&large55, []string{"claude"}},
}

var spelling = strings.NewReplacer(".", "-", "@", "-", "_", "-", ":", "-", "/", "-")

// traitsOf finds a model by its name, in whichever spelling a platform gives it.
func traitsOf(model string) *traits {
	model = spelling.Replace(strings.ToLower(model))
	for _, m := range models {
		if slices.ContainsFunc(m.patterns, func(pattern string) bool { return isNamed(model, pattern) }) {
			return m.traits
		}
	}
	return &stranger
}

// isNamed reports whether a model's name has the pattern in it, and not as the
// beginning of another version: opus-4 is not opus-4-9, but opus-4-20250514 is.
func isNamed(model, pattern string) bool {
	_, rest, ok := strings.Cut(model, pattern)
	if !ok || pattern == "claude" {
		return ok
	}
	rest = strings.TrimPrefix(rest, "-")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	return digits == 0 || digits >= 6
}
