package openai

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/dialect"
	"stele/internal/pattern"
)

// What a request says by other means where an upstream refuses it.
const (
	choiceField      = dialect.ToolChoice // in words
	descriptionField = "description"      // of a tool: the rest of it in the system text
	callIDField      = dialect.CallIDs    // as short as Mistral's models want them
	signatureField   = dialect.Signatures // Google's placeholder
	wholeField       = "stream: false"    // as a stream, of which the whole answer is made
	streamField      = "stream: true"     // as a whole answer, of which the stream is made
	restField        = "reasoning_effort: none"
)

// droppable are the parameters that a request can do without, or say otherwise.
var droppable = []string{
	"temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed", "stop", "logprobs", "reasoning_effort", "parallel_tool_calls",
	"max_tokens", "max_completion_tokens", "service_tier", "safety_identifier", choiceField, dialect.UsageWish,
}

// hints say nothing of the answer. Only a client's own bytes bring them to a server that is not the author's.
var hints = []string{"store", "metadata", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"}

// refusedCodes are those of an upstream that does not take a parameter, or none but its usual values.
var refusedCodes = []string{"unsupported_parameter", "unsupported_value", "unknown_parameter", "extra_forbidden", "invalid_value", "literal_error", "enum"}

// How upstreams name it in their words: Azure's older API, OpenAI's models that search, Groq, xAI.
var (
	refusedWords = pattern.New(`(?i)unsupported (?:parameter|value)(?:\(s\))?: ['\x60]?(\w+)|(?:unrecognized|incompatible) request arguments? supplied: (\w+)|property '(\w+)' is unsupported|does not support (?:the )?parameter ` + "`?" + `(\w+)|` +
		"temperature`? and `?(top_p)`? cannot both be specified") // the last is Claude's, behind other servers
	camels = map[string]string{
		"reasoningEffort": "reasoning_effort", "presencePenalty": "presence_penalty", "frequencyPenalty": "frequency_penalty",
		"think": "reasoning_effort", "thinking": "reasoning_effort", "reasoning": "reasoning_effort", // Ollama's words for it, and OpenRouter's
		"level": "reasoning_effort", // CLIProxyAPI's
	}
)

// refusedPlainly is a parameter that an upstream says not to know, or not to take for this model, whatever its value: servers in Rust,
// Go and Python, gateways before them. It may be left out of a client's own bytes as well.
var refusedPlainly = func() pattern.Pattern {
	const quote = "['\"`]?"
	names := quote + `\b(` + strings.Join(slices.Concat(droppable, hints), "|") + `)\b` + quote
	return pattern.New(`(?i)` + strings.Join([]string{
		`unknown (?:field|name|parameter):? ` + names, `unsupported parameter(?:\(s\))?:? ` + names, `unrecognized request arguments? supplied: ` + names,
		`unexpected keyword argument ` + names, `not supported on this model: ` + names, `does not support the ` + names, names + `: extra inputs are not permitted`,
		`not permitted, field: ` + names, `\(` + names + ` was unexpected`, `(?:parameter|field|property) ` + names + ` (?:is not supported|is not allowed|should not exist)`,
		`^` + names + ` is not supported`, names + ` is deprecated`, names + `\]?, ?['"]msg['"]: ?['"]extra inputs are not permitted`,
	}, "|"))
}()

// refusedNear is a parameter, and near it that it is not taken, or not with this value: servers in Rust, Go and Python, gateways
// before them, Fireworks, Moonshot, Alibaba, DeepSeek, Google, and of sampling, which a client may have chosen within its own
// API's range, Mistral, Anthropic, vLLM and Zhipu. A sentence that only sounds so costs one call more.
var refusedNear = func() pattern.Pattern {
	names := strings.Join(droppable, "|") + "|presencePenalty|frequencyPenalty|reasoningEffort|reasoning|thinking|think"
	const before = `unsupported|unknown|unrecognized|unexpected|invalid|n[o']t support|not permitted|not allowed`
	const after = `unsupported|unknown|unexpected|not support|not permitted|not allowed|not valid|not enabled|should not exist|is allowed|are allowed|must be one of|must be unset|incompatible|cannot be|cannot find`
	return pattern.New(`(?i)(?:` + before + `)[^.]{0,40}\b(` + names + `)\b|\b(` + names + `)\b[^.]{0,60}(?:` + after + `)|only 'auto' is supported for (tool_choice)|\b(tool_choice)\b[^.]{0,40}(?:is|are) supported|\b(tool_choice) forces|support the provided '(tool_choice)'|\b(tool[_ ]?choice)\b.{0,60}(?:must be|input should be|field\. remove)|only .?auto.? (tool choice) is supported|` +
		`\b(temperature|top_p|top_k|presence_penalty|frequency_penalty|seed|reasoning_effort)\b[^.]{0,60}(?:input should be|expected one of|range:|must be|参数非法)|\b(level) \\*"\w+\\*" not supported`)
}()

// chooses is how upstreams call the parameter by which tools are to be called, Amazon, behind other servers, among them.
var chooses = pattern.New(`(?i)\btool[_ ]?choice\b`)

// otherwise are refusals of what can be said otherwise.
var otherwise = []struct {
	name  string
	words pattern.Pattern
}{
	{descriptionField, pattern.New(`(?i)function\.description\b.{0,40}string too long|description.{0,40}(longer than|exceeds|at most|too long).{0,40}\b1024\b`)},                                                // OpenAI's older models, GitHub's
	{wholeField, pattern.New(`(?i)only supports? stream|must have stream ?= ?true|stream must be (set to )?true|must be set to false for non-streaming|streaming is required`)},                                 // Alibaba's, Fireworks'
	{streamField, pattern.New(`(?i)tool use in streaming mode|tool calling is not supported in stream|stream=true\W.{0,40}not supported|(does not|doesn't) support stream|streaming (mode )?is not supported`)}, // Amazon's, behind others, NVIDIA's, Cerebras's
	{callIDField, pattern.New(`(?i)tool call id .{0,80}length of 9|tool_calls\[\d+\]\.id': string too long|tool_call_id': string too long`)},                                                                    // Mistral's models at other servers; OpenAI's, which take forty
	{signatureField, pattern.New(`(?i)thought[_ ]?signature`)}, // Google's models at other servers
}

// refusedField is the parameter that a complaint is about, if the request can do without it.
func (c *complaint) refusedField() string {
	name := ""
	if slices.Contains(refusedCodes, c.code) {
		name = c.param
	}
	for _, found := range refusedWords().FindStringSubmatch(c.message) {
		if found != "" && !slices.Contains(droppable, name) {
			name = found
		}
	}
	if own, ok := camels[name]; ok {
		name = own
	}
	switch {
	case dialect.Says(c.message, "reasoning is mandatory"): // OpenRouter's
		return "reasoning_effort"
	case dialect.Says(c.message, "function tools with reasoning_effort are not supported"): // also where none was asked for
		return restField
	}
	if !slices.Contains(droppable, name) && !slices.Contains(hints, name) {
		return strings.ToLower(groupOf(refusedPlainly().FindStringSubmatch(c.message)))
	}
	return name
}

// groupOf is the first group of a match that found something.
func groupOf(found []string) string { return cmp.Or(found[min(len(found), 1):]...) }

// refusedInPassing is what a complaint seems to be about, where nothing in it says so plainly.
func (c *complaint) refusedInPassing() string {
	for _, o := range otherwise {
		if o.words().MatchString(c.message) {
			return o.name
		}
	}
	found := refusedNear().FindStringSubmatch(c.message)
	if found != nil && chooses().MatchString(c.message) { // DeepSeek's: thinking does not support it
		return choiceField
	}
	name := groupOf(found)
	return cmp.Or(camels[name], camels[strings.ToLower(name)], strings.ToLower(name))
}
