package gemini

import "regexp"

// What refusals of models may be about that a request can do without.
const (
	penalties        = "penalties"
	thinkingConfig   = "thinkingConfig" // how much is to be thought
	includeThoughts  = "includeThoughts"
	mediaResolution  = "mediaResolution"
	responseLogprobs = "responseLogprobs"
)

// refusals are how Google says that a model does not take something.
var refusals = []struct {
	name  string
	words *regexp.Regexp
}{
	{penalties, regexp.MustCompile(`(?i)penalty is not enabled`)},
	{includeThoughts, regexp.MustCompile(`(?i)include_?thoughts is only enabled`)},
	{thinkingConfig, regexp.MustCompile(`(?i)thinking[ _]?level.{0,40} not supported|budget -?\d+ is invalid|not support setting thinking_?budget|thinking is not (enabled|supported)`)},
	{responseLogprobs, regexp.MustCompile(`(?i)logprobs is not (enabled|supported)`)},
	{mediaResolution, regexp.MustCompile(`(?i)media[ _]?resolution is not (enabled|supported)`)},
}

// refusedField is what a refusal is about, if the request can do without it.
func refusedField(words string) string {
	for _, r := range refusals {
		if r.words.MatchString(words) {
			return r.name
		}
	}
	return ""
}
