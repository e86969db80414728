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
}}
