package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// said are what each upstream's error says.
func said(to, words string) string {
	if to == O {
		return `{"error":{"message":` + quoted(words) + `,"type":"invalid_request_error","code":null}}`
	}
	return strings.Replace(refusals[to], `"%"`, quoted(words), 1)
}

var hardLong = section{"U", "the same in other words", []hard{
	{number: 920, name: "a conversation that is too long, as other servers say it", run: func(t *testing.T) {
		for _, row := range []struct {
			to, words, figures string
			status             int
		}{
			{O, "prompt token count of 70000 exceeds the limit of 64000", "70000 tokens > 64000", 400},
			{O, "This model's maximum prompt length is 131072 but the request contains 150000 tokens.", "150000 tokens > 131072", 400},
			{O, "Invalid request: Your request exceeded model token limit: 131072", "", 400},
			{O, "Prompt exceeds max length", "", 400},
			{O, "invalid params, context window exceeds limit (2013)", "", 400},
			{O, "Range of input length should be [1, 129024]", "", 400},
			{O, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`", "", 422},
			{O, "The input (5000 tokens) is longer than the model's context length (4096 tokens).", "5000 tokens > 4096", 400},
			{O, "too many tokens: size limit exceeded by 1200 tokens. Try using shorter or fewer inputs.", "", 400},
			{O, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "40000 tokens > 32768", 400},
			{O, "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 30000>= n_ctx: 4096).", "30000 tokens > 4096", 400},
			{O, "Input length 5000 exceeds the maximum allowed length 4096", "5000 tokens > 4096", 400},
			{O, "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280000 tokens.", "280000 tokens > 272000", 400},
			{O, "the prompt is too long: 200000, model maximum context length: 131072", "200000 tokens > 131072", 400},
			{O, "max_tokens must be at least 1, got -853. (parameter=max_tokens, value=-853)", "at least 1", 400}, // Alishahryar1/free-claude-code#1198
			{O, "Prompt tokens (5000) exceeds context size (4096)", "5000 tokens > 4096", 400},                    // antirez/ds4#150
			{A, "Input content length exceeds threshold.", "", 400},                                               // TsinHzl/kiro2cc-proxy#25
			{A, "Input is too long for requested model.", "", 400},
			{A, "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length", "", 400},
			{G, "Unable to submit request because the input token count is 1100000 but model only supports up to 1048576. Reduce the input token count and try again.", "1100000 tokens > 1048576", 400},
			{G, "Request contains 1200000 tokens, which exceeds the maximum of 1048576", "1200000 tokens > 1048576", 400},
		} {
			for from, words := range map[string]string{A: "prompt is too long", O: "maximum context length", G: "exceeds the maximum number of tokens"} {
				l := try(t, trip{from: from, to: row.to, ask: plain[from], status: row.status, answers: []string{said(row.to, row.words)}})
				told := gjson.Get(l.body, "error.message").Str
				if l.status != 400 || !strings.Contains(strings.ToLower(told), words) || from == A && (!strings.HasPrefix(told, words) || !strings.Contains(told, row.figures)) {
					t.Errorf("%s from %s: %s\nbecame %d %s", from, row.to, row.words, l.status, told)
				}
			}
		}
	}},
	{number: 921, name: "an answer that would be too long is no long conversation", run: func(t *testing.T) {
		for _, words := range []string{
			"'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 100 input tokens (8000 > 4096 - 100).",
			"max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.",
			"Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64.",
		} {
			l := try(t, trip{from: A, to: O, kind: "vllm", ask: plain[A], status: 400, answers: []string{said(O, words)}})
			if told := gjson.Get(l.body, "error.message").Str; l.status != 400 || strings.HasPrefix(told, "prompt is too long") || !strings.Contains(told, "too l") {
				t.Errorf("%d %s", l.status, told)
			}
		}
	}},
	// earendil-works/pi#6262 and #4943, NousResearch/hermes-agent#48038, MoonshotAI/kimi-code#1862; vLLM's and Hugging Face's own code, Zhipu's list of errors.
	{number: 1749, name: "a conversation that is too long, in yet other words, with the figures that count", answer: "400 in the words that clients look for; bytes are no figures", run: func(t *testing.T) {
		for words, row := range map[string]struct {
			status int
			want   string
		}{
			"Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens": {400, "prompt is too long: 5958968 tokens > 256000 maximum"},
			"Input length 131393 exceeds the maximum allowed input length of 131040 tokens.": {400, "prompt is too long: 131393 tokens > 131040 maximum"},
			"The prompt (9000 tokens) exceeds the max context of 8192":                       {400, "prompt is too long: 9000 tokens > 8192 maximum"},
			"Prompt 超长": {400, "prompt is too long: Prompt 超长"},
			"Invalid request: total message size 2100954 exceeds limit 2097152": {400, "prompt is too long: Invalid request: total message size 2100954 exceeds limit 2097152"},
			"Context size has been exceeded.":                                   {503, "prompt is too long: Context size has been exceeded."},
			"You passed 130001 input tokens and requested 1072 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 130000 tokens. Please reduce the length of the input prompt.": {
				400, "input length and `max_tokens` exceed context limit: 130001 + 1072 > 131072, decrease input length or `max_tokens` and try again",
			},
			"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`": {
				422, "input length and `max_tokens` exceed context limit: 4000 + 200 > 4096, decrease input length or `max_tokens` and try again",
			},
		} {
			for _, streamed := range []bool{false, true} {
				l := try(t, trip{from: A, to: O, kind: "vllm", stream: streamed, ask: plainly(A, streamed), status: row.status, answers: []string{said(O, words)}})
				is(t, words, gjson.Get(l.body, "error.message").Str, row.want)
				is(t, words+", its status", l.status, 400)
			}
			is(t, words+", to OpenAI's clients", gjson.Get(try(t, trip{from: O, to: O, own: true, kind: "vllm", ask: plain[O], status: row.status, answers: []string{said(O, words)}}).body, "error.code").Str, "context_length_exceeded")
		}
	}},
	// NousResearch/hermes-agent#52261: agents shortened a short conversation until nothing was left of it.
	{number: 1750, name: "a machine that is short of memory is no long conversation", answer: "an error of the upstream's, so that the next target is asked", run: func(t *testing.T) {
		words := "Prefill would require ~15.27 GB peak (current 13.46 GB + KV+SDPA 1.80 GB) but dynamic ceiling is 13.50 GB. Free memory or reduce context length."
		for _, from := range []string{O, A, G} {
			l := try(t, trip{from: from, to: O, kind: "vllm", ask: plain[from], status: 400, answers: []string{said(O, words)}})
			if l.status < 500 || strings.Contains(l.body, "too long") || strings.Contains(l.body, "context") {
				t.Errorf("%d %s", l.status, l.body)
			}
		}
	}},
}}
