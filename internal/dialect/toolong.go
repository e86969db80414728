package dialect

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

// tooLong is the reason in the details of a refusal of a conversation that is longer
// than the model's window. Clients shorten theirs, but only if they are told so in the
// words that they look for.
const tooLong = "context_length_exceeded"

// tooLongWords are what upstreams say of it, in small letters.
var tooLongWords = []string{
	"context_length_exceeded", "maximum context length", "context length", "context window", "context limit", "prompt is too long", "input is too long",
	"exceed_context_size", "available context size", "context size has been exceeded", "maximum model length", "maximum prompt length",
	"exceeds the maximum number of tokens", "input token count", "token limit exceeded", "reduce the length of the messages", "too many input tokens",
	"prompt too long", "prompt token count", "prompt exceeds max length", "model token limit", "range of input length", "input tokens exceed",
	"input length exceeds", "maximum allowed length", "maximum input tokens", "too many tokens: size limit", "`inputs` tokens", "tokens, which exceeds the maximum",
	"`inputs` must have less than", "tokens in the prompt cannot exceed", "number of input tokens", "supported sequence length", "maximum sequence length", "max_seq_len",
	"prompt length", "prompt tokens too long", "input length too long", "prompt超长", "message too long", "max message tokens", "max input characters", "maximum input length",
	"tokens in request more than max", "input_tokens (", "input token length", "input exceeds maximum token limit",
	"contextwindowexceeded", "tokens_limit_reached", "inputs must have less than", "tokens limit exceeded",
	"exceed model maximum", "exceeds model maximum", "customer model maximum", "max input token limit", "total tokens exceeds the model's max",
	"exceeds context size", "configured context size", "maximum allowed input length", "max context of", "prompt 超长", "total message size", "content length exceeds threshold", "content_length_exceeds_threshold", "tokens must be at least 1, got -",
}

// otherWords are what upstreams say where the answer was to be longer than there is room for, or the machine is short of
// memory. A shorter conversation is not what they want, whatever else they speak of.
var otherWords = []string{"'max_completion_tokens' is too large", "max_tokens is too large", "max_completion_tokens is too large", "prefill would require", "memory guard"}

// SaysTooLong reports whether an upstream's words are about the length of the conversation, with a status that servers have
// for one that is too long: llama.cpp's 500 is 502 or 503 behind some proxies.
func SaysTooLong(status int, words string) bool {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable:
	default:
		return false
	}
	words = strings.ToLower(words)
	in := func(w string) bool { return strings.Contains(words, w) }
	return slices.ContainsFunc(tooLongWords, in) && !slices.ContainsFunc(otherWords, in)
}

// TooLong is the refusal of a conversation that is longer than the model's window, with
// what the upstream says of it, fit for the client.
func TooLong(message string) *fault.Error {
	e := fault.New(fault.InvalidParameter, "%s", message).With("reason", tooLong)
	e.TooLong = new(fault.TooLong)
	tokens, window, ok := readFigures(message)
	input, output, both := readSum(message)
	if most := cmp.Or(both, window); input < most && input+output > most {
		*e.TooLong = fault.TooLong{Tokens: input + output, Window: most, Input: input, Output: output}
		return e.With("tokens", input+output).With("window", most).With("input", input).With("output", output)
	}
	if ok {
		e.TooLong.Tokens, e.TooLong.Window = tokens, window
		e = e.With("tokens", tokens).With("window", window)
	}
	return e
}

// WithFigures is such a refusal with the figures that llama.cpp has beside its words, where those have none.
func WithFigures(e *fault.Error, said jsonscan.Value) *fault.Error {
	tokens, _ := said.Get("n_prompt_tokens").Int()
	window, _ := said.Get("n_ctx").Int()
	if l := e.TooLong; l == nil || l.Tokens > 0 || window <= 0 || tokens <= window {
		return e
	}
	e.TooLong.Tokens, e.TooLong.Window = tokens, window
	return e.With("tokens", tokens).With("window", window)
}

// sums are how upstreams say that conversation and answer are too long together, although
// the conversation is not. The last ones are vLLM's and Hugging Face's.
var sums = []pattern.Pattern{
	pattern.New(`(?P<in>\d[\d,]*) \+ (?P<out>\d[\d,]*) > (?P<both>\d[\d,]*)`),
	pattern.New(`(?P<in>\d[\d,]*) (?:in the (?:messages|prompt|input)|of text input|tokens from the input messages)\D+(?P<out>\d[\d,]*) (?:tokens )?(?:in|for) the (?:completion|output)(?P<both>)`),
	pattern.New(`passed (?P<in>\d+) input tokens and requested (?P<out>\d+) output tokens\D+(?P<both>\d+) tokens`),
	pattern.New("must be <= (?P<both>\\d+)\\. Given: (?P<in>\\d+) `inputs` tokens and (?P<out>\\d+) `max_new_tokens`"),
}

// readSum finds in an upstream's words how long conversation and answer are, and how long both may be; 0: they do not say.
func readSum(message string) (input, output, both int64) {
	for _, sum := range sums {
		if found := sum().FindStringSubmatch(message); found != nil {
			part := func(name string) int64 { return readNumber(found[sum().SubexpIndex(name)]) }
			return part("in"), part("out"), part("both")
		}
	}
	return 0, 0, 0
}

var (
	numbers = pattern.New(`\d[\d,]*`)
	ranges  = pattern.New(`<\d+>|\[\d+, *\d+\]|at least 1\b|-\d+`) // Alibaba's: a status, and from where to where a length may go; vLLM's: what is left for the answer
	limits  = pattern.New(`(?i)(?:maximum context length(?: is| of)?|context (?:length|size|window)(?: is| of)?|maximum (?:model|prompt) length(?: is| of)?|model maximum|` +
		`(?:maximum|supported) (?:sequence|input) length(?: is| of)?(?: just)?|context length of only|max_seq_len|maximum of|n_ctx|(?:allowed|max) length|limit(?: is| of)?|tokens allowed|at most|up to)\s*[:(]?\s*(\d[\d,]*)|> *(\d[\d,]*)`)
)

// readFigures finds in an upstream's words how long the conversation is and how long it may be. Moonshot's are bytes.
func readFigures(message string) (tokens, window int64, ok bool) {
	if strings.Contains(message, "total message size") {
		return 0, 0, false
	}
	var all []int64
	for _, text := range numbers().FindAllString(ranges().ReplaceAllString(message, ""), -1) {
		all = append(all, readNumber(text))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if len(all) < 2 {
		return 0, 0, false
	}
	tokens, window = all[len(all)-1], all[len(all)-2]
	if found := limits().FindStringSubmatch(message); found != nil {
		window = max(readNumber(found[1]), readNumber(found[2]))
	}
	return tokens, window, window > 0 && tokens > window
}

func readNumber(text string) int64 {
	n, _ := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	return n
}

// ClientSentence is an error's message as a client of a dialect has to read it. Where the
// conversation is too long it has the vendor's own words, with the figures where they
// are known: Claude Code, gemini-cli and others shorten it on these words only.
func ClientSentence(name string, e *fault.Error) string {
	l := e.TooLong
	if l == nil {
		return e.Message
	}
	form := vendorWords[name]
	if said := strings.ToLower(e.Message); strings.HasPrefix(said, form.known) || !form.first && strings.Contains(said, form.known) {
		return e.Message
	}
	if l.Input+l.Output > 0 && form.both != "" {
		return fmt.Sprintf(form.both, l.Input, l.Output, l.Tokens, l.Window)
	}
	if l.Tokens > 0 {
		return fmt.Sprintf(form.exact, l.Tokens, l.Window)
	}
	return form.vague + e.Message
}

// vendorWords are what each dialect's own API says, and what of it its clients look for.
var vendorWords = map[string]struct {
	known, exact, vague string
	first               bool   // clients look for it at the beginning only
	both                string // where only conversation and answer together are too long; "": as exact
}{
	"openai": {
		"maximum context length", "This model's maximum context length is %[2]d tokens. However, your messages resulted in %[1]d tokens. Please reduce the length of the messages.",
		"This model's maximum context length is exceeded. ", false,
		"This model's maximum context length is %[4]d tokens. However, you requested %[3]d tokens (%[1]d in the messages, %[2]d in the completion). Please reduce the length of the messages or completion.",
	},
	"anthropic": {
		"prompt is too long", "prompt is too long: %d tokens > %d maximum", "prompt is too long: ", true,
		"input length and `max_tokens` exceed context limit: %[1]d + %[2]d > %[4]d, decrease input length or `max_tokens` and try again",
	},
	"gemini": {
		"exceeds the maximum number of tokens", "The input token count (%d) exceeds the maximum number of tokens allowed (%d).",
		"The input token count exceeds the maximum number of tokens allowed. ", false, "",
	},
}
