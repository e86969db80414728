package dialect_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/meter"
)

// asked is a request of a dialect's for an answer of up to so many tokens.
func askingFor(from string, tokens int) string {
	return map[string]string{
		O: withO(fmt.Sprintf(`"max_completion_tokens":%d`, tokens)), A: fmt.Sprintf(`{"model":"m","max_tokens":%d,"messages":[{"role":"user","content":"go"}]}`, tokens),
		G: fmt.Sprintf(`{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"maxOutputTokens":%d}}`, tokens),
	}[from]
}

// tokensOf are those of a record: in, out, and whether they are a guess.
func tokensOf(r *meter.Record) [3]int64 {
	guess := int64(0)
	if r.Estimated {
		guess = 1
	}
	return [3]int64{r.Input + r.CacheRead + r.CacheWrite, r.Output + r.Reasoning, guess}
}

// created is when an answer was made.
var created = regexp.MustCompile(`"created":\d+`)

// withoutIDs is a body without what is made anew for every answer.
func withoutIDs(body string) string {
	return created.ReplaceAllString(body, `"created":0`)
}

var hardPaid = section{"AG", "long answers, and answers that are of no use", []hard{
	{number: 1070, name: "a whole answer that may take long is asked for as a stream", run: func(t *testing.T) {
		blocks := []string{
			`{"type":"thinking","thinking":"so","signature":"` + claudes + `"}`, `{"type":"text","text":"Wörd","citations":[{"type":"char_location","cited_text":"c","document_index":0,"document_title":"T","start_char_index":0,"end_char_index":1}]}`,
			`{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1.0,"b":"é"}}`, `{"type":"redacted_thinking","data":"EmwK"}`,
		}
		stream := messageA(thoughtA(0, "so", claudes)+named(
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"c","document_index":0,"document_title":"T","start_char_index":0,"end_char_index":1}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Wö"}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"rd"}}`, `{"type":"content_block_stop","index":1}`)+
			toolA(2, "toolu_1", "f", `{"a":1.0,`, `"b":"é"}`)+named(`{"type":"content_block_start","index":3,"content_block":`+blocks[3]+`}`, `{"type":"content_block_stop","index":3}`), "tool_use")
		whole := wholeA("tool_use", blocks...)
		for _, from := range []string{O, G} {
			for tokens, streams := range map[int]string{21333: "", 21334: "true", 64000: "true"} {
				a := take(t, trip{from: from, to: A, ask: askingFor(from, tokens), answers: []string{whole}})
				b := take(t, trip{from: from, to: A, ask: askingFor(from, tokens), answers: []string{stream}})
				a.sends("stream", streams)
				is(t, from, withoutIDs(b.body), withoutIDs(a.body))
				is(t, from+", losses", b.told(), a.told())
				is(t, from+", booked", fmt.Sprint(tokensOf(&b.booked), b.booked.Stream), fmt.Sprint(tokensOf(&a.booked), false))
			}
			take(t, trip{from: from, to: A, ask: plain[from]}).sends("stream", "true") // as long as the model can
			take(t, trip{from: from, to: A, model: "claude-opus-4-1", ask: askingFor(from, 8193)}).sends("stream", "true")
			take(t, trip{from: from, to: A, model: "claude-opus-4-1", ask: askingFor(from, 8192)}).sends("stream", "")
		}
	}},
	{number: 1071, name: "a long answer of the client's own dialect is its own business", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: A, ask: askingFor(A, 64000), answers: []string{hi[A]}})
		l.sends("stream", "")
		is(t, "the answer", l.body, hi[A])
	}},
	{number: 1072, name: "a long answer on another's platform goes where streams go", run: func(t *testing.T) {
		for _, from := range []string{O, G} {
			l := take(t, trip{from: from, to: A, own: true, ask: askingFor(from, 64000)})
			l.sends("stream", "true")
			is(t, from, strings.HasSuffix(l.calls[0].URL.Path, "/messages"), true)
		}
	}},
	{number: 1073, name: "a long answer that breaks off is none, and is paid for", run: func(t *testing.T) {
		begun := cutA(messageA(textA(0, strings.Repeat("word ", 40)), "end_turn"), "event: message_delta")
		for _, from := range []string{O, G} {
			for what, row := range map[string]struct {
				answer string
				status int
			}{
				"cut off": {begun, 500}, "an error": {begun + named(`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`), 503},
			} {
				l := try(t, trip{from: from, to: A, ask: askingFor(from, 64000), answers: []string{row.answer}})
				if l.failure == nil || l.status < row.status || strings.Contains(l.body, "word") {
					t.Errorf("%s, %s: %d %s", from, what, l.status, l.body)
				}
				is(t, from+" "+what+", booked", tokensOf(&l.booked), [3]int64{5, 50, 1})
			}
			l := try(t, trip{from: from, to: A, ask: askingFor(from, 64000), answers: []string{named(`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`)}})
			is(t, from+", an error and nothing else", tokensOf(&l.booked), [3]int64{0, 0, 0})
			is(t, from+", its status", l.status, 503)
		}
	}},
	{number: 1074, name: "several long answers are counted together", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: withO(`"n":3,"max_completion_tokens":30000`), answers: []string{messageA(textA(0, "a"), "end_turn")}})
		is(t, "the answers", fmt.Sprint(gjson.Get(l.body, "choices.#").Int(), len(l.calls), tokensOf(&l.booked)), "3 3 [15 27 0]")
		for _, sent := range l.sent {
			same(t, sent, "stream", "true")
		}
	}},
	{number: 1075, name: "a long answer that is cut at a stop sequence of ours", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: withO(`"stop":["\n\n"],"max_completion_tokens":30000`), answers: []string{messageA(textA(0, "one\n", "\ntwo"), "end_turn")}})
		l.gets("choices.0.message.content", `"one"`)
		is(t, "its input is known", l.booked.Input, 5)
	}},
	{number: 1076, name: "a long answer that is called off", run: func(t *testing.T) {
		for _, from := range []string{O, G} { // thoughts and nothing else, up to the limit
			stream := messageA(thoughtA(0, "so", claudes), "max_tokens")
			l := take(t, trip{from: from, to: A, ask: askingFor(from, 64000), answers: []string{stream}})
			is(t, from, lastEnd(l), map[string]string{O: "length", G: "MAX_TOKENS"}[from])
		}
	}},
	{number: 1077, name: "an answer of no use is paid for, by what its upstream counts", run: func(t *testing.T) {
		counted := map[string]string{O: `"usage":{"prompt_tokens":70,"completion_tokens":30,"total_tokens":100}`, A: `"usage":{"input_tokens":70,"output_tokens":30}`, G: `"usageMetadata":{"promptTokenCount":70,"candidatesTokenCount":30,"totalTokenCount":100}`}
		with := func(to, body string) string { // in the place of what it counts, or beside
			if at := strings.Index(body, `"usage`); at >= 0 {
				end := at + strings.IndexByte(body[at:], '}') + 1
				return body[:at] + counted[to] + body[end:]
			}
			return strings.Replace(body, "{", "{"+counted[to]+",", 1)
		}
		pairs(func(from, to string) {
			for what, body := range map[string]string{"a call without a name": unnamed[to]["nothing"].whole, "a call that may not be": callingOf(to, "f", "").whole} {
				l := try(t, trip{from: from, to: to, ask: forbidding(from, false), answers: []string{with(to, body)}})
				if l.failure == nil || !l.failure.Owed {
					t.Errorf("%s from %s, %s: %v", from, to, what, l.failure)
				}
				is(t, from+" from "+to+", "+what, tokensOf(&l.booked), [3]int64{70, 30, 0})
			}
		})
		for _, from := range []string{O, A} {
			for what, parts := range map[string]string{"nothing": "", "thoughts": `{"text":"so","thought":true}`} {
				spoilt := with(G, partsG(parts, `,"finishReason":"MALFORMED_FUNCTION_CALL"`))
				for _, streamed := range []bool{false, true} {
					body := spoilt
					if streamed {
						body = sse(spoilt)
					}
					l := try(t, trip{from: from, to: G, stream: streamed, ask: plainly(from, streamed), answers: []string{body}})
					is(t, fmt.Sprintf("%s, %s, streamed %t", from, what, streamed), tokensOf(&l.booked), [3]int64{70, 30, 0})
				}
			}
			refused := try(t, trip{from: from, to: G, ask: plain[from], answers: []string{`{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`}})
			is(t, from+", a refusal is free", tokensOf(&refused.booked), [3]int64{0, 0, 0})
		}
	}},
	{number: 1078, name: "advice that another model gave", run: func(t *testing.T) {
		usage := `{"input_tokens":400,"output_tokens":500,"iterations":[{"type":"message","input_tokens":100,"output_tokens":80},` +
			`{"type":"advisor_message","model":"claude-opus-4-6","input_tokens":800,"output_tokens":1600,"cache_read_input_tokens":7},{"type":"message","input_tokens":300,"output_tokens":420}]}`
		whole := take(t, trip{from: A, to: A, known: true, ask: plain[A], answers: []string{usedA(usage)}})
		is(t, "what passes through", whole.body, usedA(usage))
		stream := strings.Replace(messageA(textA(0, "hi"), "end_turn"), `{"output_tokens":9}`, usage, 1)
		streamed := take(t, trip{from: A, to: A, known: true, stream: true, ask: streamA, answers: []string{stream}})
		own := take(t, trip{from: A, to: A, known: true, ask: plain[A], answers: []string{usedA(`{"input_tokens":400,"output_tokens":500}`)}})
		advice := take(t, trip{from: A, to: A, model: "claude-opus-4-6", known: true, ask: plain[A], answers: []string{usedA(`{"input_tokens":800,"output_tokens":1600,"cache_read_input_tokens":7}`)}})
		for _, l := range []*landed{whole, streamed} {
			is(t, "tokens", tokensOf(&l.booked), [3]int64{1207, 2100, 0})
			if l.booked.Nano != own.booked.Nano+advice.booked.Nano || advice.booked.Nano == 0 {
				t.Errorf("it cost %d: %d and %d", l.booked.Nano, own.booked.Nano, advice.booked.Nano)
			}
			if a := l.booked.Usage().Advised; a == nil || a.Model != "claude-opus-4-6" || a.Usage.Input != 800 || a.Usage.Output != 1600 || a.Usage.CacheRead != 7 {
				t.Errorf("the record keeps of advice: %+v", a) // it is rated again by that
			}
		}
		unknown := take(t, trip{from: A, to: A, known: true, ask: plain[A], answers: []string{usedA(strings.Replace(usage, "claude-opus-4-6", "zzz", 1))}})
		same := take(t, trip{from: A, to: A, known: true, ask: plain[A], answers: []string{usedA(`{"input_tokens":1200,"output_tokens":2100,"cache_read_input_tokens":7}`)}})
		is(t, "of one that has no price", unknown.booked.Nano, same.booked.Nano)
	}},
}}
