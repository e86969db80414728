package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// withO is a plain OpenAI request with something more.
func withO(more string) string {
	return `{"model":"m","messages":[{"role":"user","content":"go"}],` + more + `}`
}

var hardSampling = section{"G", "sampling, limits, n, log-probabilities", []hard{
	{number: 147, name: "no limit given", run: func(t *testing.T) {
		for model, want := range map[string]string{"claude-sonnet-4-5": "64000", "claude-opus-4-7": "128000"} {
			take(t, trip{from: O, to: A, model: model, ask: withO(`"temperature":1`)}).sends("max_tokens", want)
		}
	}},
	{number: 148, name: "more than the model's limit", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: A, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"maxOutputTokens":9999999}}`})
		l.sends("max_tokens", "64000")
		l.warns("generationConfig.maxOutputTokens", chat.Approximated)
	}},
	{number: 149, name: "a limit of 0", run: func(t *testing.T) {
		for _, to := range []string{O, G} {
			refuses(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":0,"messages":[{"role":"user","content":"go"}]}`}, "max_tokens")
		}
	}},
	{number: 150, name: "two limits", run: func(t *testing.T) {
		take(t, trip{from: O, to: G, ask: withO(`"max_tokens":10,"max_completion_tokens":20`)}).sends("generationConfig.maxOutputTokens", "20")
	}},
	{number: 151, name: "a temperature above 1", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: withO(`"temperature":1.7`)})
		l.sends("temperature", "1")
		l.warns("temperature", chat.Approximated)
	}},
	{number: 153, name: "a temperature that the model refuses", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, model: "claude-opus-4-7", ask: withO(`"temperature":0.2`)})
		l.sends("temperature", "")
		l.warns("temperature", chat.Dropped)
	}},
	{number: 155, name: "null is absent", run: func(t *testing.T) {
		plain := talkO(says("user", "go"))
		nulls := withO(`"temperature":null,"stop":null,"tools":null,"response_format":null,"stream_options":null`)
		for _, to := range []string{A, G} {
			l := take(t, trip{from: O, to: to, ask: nulls})
			is(t, "the request", l.got().Raw, take(t, trip{from: O, to: to, ask: plain}).got().Raw)
			l.quiet()
		}
	}},
	{number: 156, name: "one stop, and none", run: func(t *testing.T) {
		take(t, trip{from: O, to: A, ask: withO(`"stop":"END"`)}).sends("stop_sequences", `["END"]`)
		take(t, trip{from: O, to: A, ask: withO(`"stop":[]`)}).sends("stop_sequences", "")
	}},
	{number: 157, name: "a stop of white space", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: withO(`"stop":["\n\n"]`), answers: []string{wholeA("end_turn", `{"type":"text","text":"one\n\ntwo"}`)}})
		l.sends("stop_sequences", "")
		l.gets("choices.0.message.content", `"one"`)
		l.gets("choices.0.finish_reason", `"stop"`)
		s := take(t, trip{from: O, to: A, stream: true, ask: withO(`"stream":true,"stop":["\n\n"]`), answers: []string{messageA(textA(0, "one\n", "\ntwo", "three"), "end_turn")}})
		is(t, "the text", s.joined("choices.0.delta.content"), "one")
		is(t, "finish_reason", s.joined("choices.0.finish_reason"), "stop")
	}},
	{number: 159, name: "who stopped it", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":99,"stop_sequences":["a1","a2","a3","a4","END"],"messages":[{"role":"user","content":"go"}]}`
		local := take(t, trip{from: A, to: O, ask: ask, answers: []string{strings.Replace(hi[O], `"hi"`, `"hi END there"`, 1)}})
		local.gets("content.0.text", `"hi "`)
		local.gets("stop_reason", `"stop_sequence"`)
		local.gets("stop_sequence", `"END"`)
		native := take(t, trip{from: A, to: O, ask: ask})
		native.gets("stop_reason", `"end_turn"`)
		native.gets("stop_sequence", "null")
	}},
	{number: 160, name: "three answers", answer: "three calls for a whole answer, at most 8; a stream is refused with 400", run: func(t *testing.T) {
		answers := make([]string, 3)
		for i := range answers {
			answers[i] = strings.Replace(hi[A], `"hi"`, fmt.Sprintf(`"hi %d"`, i), 1)
		}
		for _, to := range []string{A, G} {
			way := trip{from: O, to: to, ask: withO(`"n":3`)}
			l := take(t, way)
			is(t, "the calls", len(l.sent), 3)
			l.gets("choices.#.index", "[0,1,2]")
			l.gets("usage.prompt_tokens", "9")
			l.gets("usage.completion_tokens", "3")
			refuses(t, trip{from: O, to: to, stream: true, ask: withO(`"n":3,"stream":true`)}, "n")
			refuses(t, trip{from: O, to: to, ask: withO(`"n":9`)}, "n")
		}
		l := take(t, trip{from: O, to: A, ask: withO(`"n":3`), answers: answers})
		texts := map[string]bool{}
		for _, c := range gjson.Get(l.body, "choices.#.message.content").Array() {
			texts[c.Str] = true
		}
		is(t, "the different answers", len(texts), 3)
		take(t, trip{from: O, to: A, ask: withO(`"n":1`)}).quiet()
	}},
	{number: 162, name: "log-probabilities", answer: "400 naming the field", run: func(t *testing.T) {
		refuses(t, trip{from: O, to: A, ask: withO(`"logprobs":true`)}, "logprobs")
	}},
	{number: 164, name: "a seed of more than 32 bits", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: withO(`"seed":1099511627776`)})
		l.sends("generationConfig.seed", "")
		l.warns("seed", chat.Dropped)
	}},
	{number: 165, name: "tiers", answer: "auto stays auto, default is standard_only, others are dropped with a warning", run: func(t *testing.T) {
		for _, tier := range []string{"priority", "flex"} {
			l := take(t, trip{from: O, to: A, ask: withO(`"service_tier":"` + tier + `"`)})
			l.sends("service_tier", "")
			l.warns("service_tier", chat.Dropped)
		}
		take(t, trip{from: O, to: A, ask: withO(`"service_tier":"auto"`)}).sends("service_tier", `"auto"`)
	}},
	{number: 166, name: "a long user id", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9,"metadata":{"user_id":"` + strings.Repeat("u", 300) + `"},"messages":[{"role":"user","content":"go"}]}`
		l := take(t, trip{from: A, to: O, ask: ask})
		id := l.got().Get("safety_identifier").Str
		if id == "" || len(id) > 128 || id != take(t, trip{from: A, to: O, ask: ask}).got().Get("safety_identifier").Str {
			t.Errorf("safety_identifier %q", id)
		}
	}},
	{number: 167, name: "top_k and six stops", run: func(t *testing.T) {
		l := take(t, trip{
			from: A, to: G, ask: `{"model":"m","max_tokens":9,"top_k":40,"stop_sequences":["a1","a2","a3","a4","a5","END"],"messages":[{"role":"user","content":"go"}]}`,
			answers: []string{wholeG(`{"text":"one END two"}`)},
		})
		l.sends("generationConfig.topK", "40")
		l.sends("generationConfig.stopSequences", `["a1","a2","a3","a4","a5"]`)
		l.gets("content.0.text", `"one "`)
		l.gets("stop_sequence", `"END"`)
	}},
}}
