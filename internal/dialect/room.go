package dialect

import (
	"cmp"

	"stele/internal/pattern"
)

// How upstreams say that an answer was to be longer than their model's can be. Who does not know the model behind a server asks
// for as much as the client does, and Claude Code asks every model for 32,000 tokens.
var (
	// output names what a limit is about.
	output = pattern.New(`(?i)max[_ ]?(?:completion[_ ]?|output[_ ]?|new[_ ]?)?tokens|maximum tokens|completion tokens`)
	// most is the limit: OpenAI, Anthropic, Volcengine, Groq, Mistral and FastAPI's servers, Amazon, DeepSeek and Alibaba, and others.
	most = pattern.New(`(?i)(?:` +
		`supports at most|no more than|at most|less than or equal to(?: max_model_len)?|<=|max(?:imum)? is|maximum allowed(?: is| of| value)?|(?:model )?limit(?: is| of)?|max_total_tokens=|between \d+ and|from \d+ to|` +
		`(?:not|cannot|may not) exceed|exceeds|tokens is|can only afford|out of range \(\d+ ?-` +
		`)[ :(=` + "`'" + `]*(\d+)|max_tokens: \d+ > (\d+), which is the maximum|\[ *\d+ *, *(\d+) *\]`)
	// under is the first number that is too many.
	under = pattern.New(`(?i)(?:less|lower|smaller) than (\d+)`)
	// below is Google's: the first number that is too many.
	below = pattern.New(`(?i)max_?output_?tokens value of \d+ but the supported range is from 1 \(inclusive\) to (\d+) \(exclusive\)`)
	// bounded is vLLM's since it counts a conversation only as far as that would fit beside the answer: how long it is
	// is not known then, only for how long an answer there is no room.
	bounded = pattern.New(`(?i)you requested (\d+) output tokens and your prompt contains at least \d+ input tokens`)
	// left is vLLM's: what the conversation leaves of the window.
	left = pattern.New(`(?i)max_(?:completion_)?tokens'? is too large: \d+\. This model's maximum context length is (\d+) tokens and your request has (\d+) input tokens`)
)

// halfOf is half of the answer for which there is no room beside a conversation whose length its upstream does not tell; 0: it does.
func halfOf(words string) int64 {
	if found := bounded().FindStringSubmatch(words); found != nil {
		return readNumber(found[1]) / 2
	}
	return 0
}

// roomFor is how many tokens an upstream's answer may have, by its own words; 0: they do not say.
func roomFor(words string) int64 {
	if found := left().FindStringSubmatch(words); found != nil {
		return max(0, readNumber(found[1])-readNumber(found[2]))
	}
	if found := below().FindStringSubmatch(words); found != nil {
		return max(0, readNumber(found[1])-1)
	}
	if !output().MatchString(words) {
		return 0
	}
	var room int64
	for _, found := range most().FindAllStringSubmatch(words, -1) { // what was asked for may be told as well, and is more
		if n := readNumber(cmp.Or(found[1], found[2], found[3])); room == 0 || n < room {
			room = n
		}
	}
	if found := under().FindStringSubmatch(words); found != nil && room == 0 {
		room = max(0, readNumber(found[1])-1)
	}
	return room
}
