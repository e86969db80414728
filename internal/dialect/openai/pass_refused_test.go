package openai

import (
	"slices"
	"testing"

	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// TestWhatIsRefusedIsEditedOnce tries all that can be left out, alone and in pairs, of a request that has
// all of it: two edits of the same bytes would be an error.
func TestWhatIsRefusedIsEditedOnce(t *testing.T) {
	t.Parallel()
	const most = `"temperature":0,"top_p":1,"top_k":2,"presence_penalty":1,"frequency_penalty":1,"seed":1,"logprobs":true,"top_logprobs":2,"parallel_tool_calls":true`
	for _, more := range []string{
		`,"max_tokens":9`, `,"max_completion_tokens":9`, `,"max_tokens":9,"max_completion_tokens":9`, `,"reasoning_effort":"high"`,
		`,"stream":true`, `,"stream":true,"stream_options":{"include_usage":false}`,
		`,"reasoning":{"effort":"low"},"enable_thinking":true,"thinking":{"type":"enabled"}`, `,"reasoning_effort":true`, `,"stream":true,"stream_options":{"include_usage":true}`, `,"stream":true,"extra_body":{"reasoning_effort":"low","max_tokens":9}`,
	} {
		body := `{` + most + more + `,"model":"m","messages":[{"role":"user","content":"go"}]}`
		req, err := Codec{}.DecodeRequest(dialect.Incoming{Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		for one := range leavable {
			for two := range leavable {
				call, err := Codec{}.PassRequest(req, dialect.Upstream{Model: "gpt-5", Stream: req.Stream, Refused: []string{one, two}})
				if err != nil || !jsonscan.Valid(call.Body, 0) {
					t.Fatalf("%s, without %s and %s: %v\n%s", body, one, two, err, call.Body)
				}
				if !slices.Contains([]string{"max_tokens", "max_completion_tokens"}, one) && jsonscan.Root(call.Body).Get(one).Exists() {
					t.Errorf("%s, without %s: it is there still\n%s", body, one, call.Body)
				}
			}
		}
	}
}
