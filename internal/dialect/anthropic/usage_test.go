package anthropic

import (
	"testing"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// TestCountersOfAStreamAreItsLastWord reads what the first and the last frame of a stream
// count: the last word holds, and a nothing there is no word.
func TestCountersOfAStreamAreItsLastWord(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		first, last string
		want        chat.Usage
	}{
		{`{"input_tokens":90,"output_tokens":1}`, `{"output_tokens":40}`, chat.Usage{Input: 90, Output: 40}},
		{`{"input_tokens":90,"output_tokens":1}`, `{"input_tokens":95,"output_tokens":40}`, chat.Usage{Input: 95, Output: 40}},
		{`{"input_tokens":90,"output_tokens":50}`, `{"input_tokens":80,"output_tokens":40}`, chat.Usage{Input: 80, Output: 40}},
		{`{"input_tokens":0,"output_tokens":0}`, `{"input_tokens":80,"output_tokens":40}`, chat.Usage{Input: 80, Output: 40}},
		{`{"input_tokens":90,"cache_read_input_tokens":7,"output_tokens":1}`, `{"input_tokens":0,"cache_read_input_tokens":0,"output_tokens":40}`, chat.Usage{Input: 90, CacheRead: 7, Output: 40}},
		{`{"input_tokens":90,"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":3,"ephemeral_1h_input_tokens":6}}`,
			`{"input_tokens":-1,"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":40}`,
			chat.Usage{Input: 90, CacheWrite: 9, CacheWrite1h: 6, Output: 40}},
	} {
		var c counts
		for _, text := range []string{test.first, test.last} {
			v, err := jsonscan.Parse([]byte(text), jsonscan.Lenient)
			if err != nil {
				t.Fatal(err)
			}
			c.add(v)
		}
		test.want.Known = true
		if got := c.usage(); got != test.want {
			t.Errorf("%s and %s: %+v, want %+v", test.first, test.last, got, test.want)
		}
	}
}
