package gemini

import (
	"stele/internal/dialect"
	"stele/internal/pattern"
)

// What refusals of models may be about that a request can do without.
const (
	penalties        = "penalties"
	thinkingConfig   = "thinkingConfig" // how much is to be thought
	includeThoughts  = "includeThoughts"
	mediaResolution  = "mediaResolution"
	responseLogprobs = "responseLogprobs"
	serviceTier      = "serviceTier"
	imageConfig      = "imageConfig"
	validated        = "VALIDATED" // the mode in which calls are held to their schemas, and its names
)

// refusals are how Google says that a model does not take something.
var refusals = []struct {
	name  string
	words pattern.Pattern
}{
	{penalties, pattern.New(`(?i)penalty is not enabled`)},
	{includeThoughts, pattern.New(`(?i)include_?thoughts is only enabled`)},
	{thinkingConfig, pattern.New(`(?i)thinking[ _]?level.{0,40} not supported|budget -?\d+ is invalid|thinking_?budget is out of range|not support setting thinking_?budget|thinking(_?config|[ _]?budget)? is not (enabled|supported)`)},
	{responseLogprobs, pattern.New(`(?i)logprobs is not (enabled|supported)`)},
	{serviceTier, pattern.New(`(?i)service[ _]?tier\b.{0,40} not (enabled|supported|available)|invalid value at \W*service_tier`)},
	{imageConfig, pattern.New(`(?i)(aspect[ _]?ratio|image[ _]?size|image[ _]?config) is not (enabled|supported)`)},
	{validated, pattern.New(`(?i)allowed_?function_?names (only when|should only|can only|must only|is only)|invalid value at \W*tool_?config\S*mode\b.{0,160}VALIDATED|VALIDATED.{0,40}not (enabled|supported)`)},
	{mediaResolution, pattern.New(`(?i)media[ _]?resolution is not (enabled|supported)`)},
}

// outOfRange is how Google says that a model takes a number only within narrower bounds than the API.
var outOfRange = pattern.New(`(?i)an? (\w+) value of \S+ but the supported range is`)

// unknownName is how Google, and servers that are a version behind, say that they do not know a member.
var unknownName = pattern.New(`(?i)unknown name \\*"?(\w+)\\*"?( at \S*function_?(call|response)\b)?`)

// unknown are members that such a refusal may name, beside those that can be left out of a client's own bytes.
var unknown = map[string]string{"thinkingLevel": thinkingConfig, "thinkingBudget": thinkingConfig, includeThoughts: includeThoughts, serviceTier: serviceTier}

// refusedField is what a refusal is about, if the request can do without it.
func refusedField(words string) string {
	for _, r := range refusals {
		if r.words().MatchString(words) {
			return r.name
		}
	}
	if found := outOfRange().FindStringSubmatch(words); found != nil && leavable[toCamel(found[1])][0] != "" {
		return leavable[toCamel(found[1])][0]
	}
	for _, found := range unknownName().FindAllStringSubmatch(words, -1) {
		member := toCamel(found[1])
		switch {
		case member == "id" && found[2] != "":
			return dialect.CallIDs
		case unknown[member] != "":
			return unknown[member]
		case leavable[member][0] != "":
			return leavable[member][0]
		}
	}
	return ""
}
