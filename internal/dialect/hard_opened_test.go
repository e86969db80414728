package dialect_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// packedBy are ways to pack a body, under the names that HTTP has for them.
var packedBy = map[string]func(io.Writer) io.WriteCloser{
	"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"Deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
}

func packed(coding, body string) string {
	var b bytes.Buffer
	w := packedBy[coding](&b)
	_, _ = io.WriteString(w, body)
	_ = w.Close()
	return b.String()
}

// unendedO is a stream that lacks nothing but its last word, and usage.
var unendedO = sse(`{"id":"c","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}`, `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)

// What servers say before an answer and behind it, and how they pack it.
var hardOpened = section{"BT", "what is said before an answer and behind it, and how it is packed", []hard{
	{number: 1740, name: "usage that tells the sum and one of its parts", run: func(t *testing.T) {
		for usage, want := range map[string][2]int64{
			`{"prompt_tokens":10,"total_tokens":15}`:                                                                   {10, 5},
			`{"prompt_tokens":10,"completion_tokens":null,"total_tokens":15}`:                                          {10, 5},
			`{"completion_tokens":5,"total_tokens":15}`:                                                                {10, 5},
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":0}`:                                              {10, 5},
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":20}`:                                             {10, 5},
			`{"prompt_tokens":10,"total_tokens":45,"reasoning_tokens":30}`:                                             {10, 35},
			`{"prompt_tokens":10,"total_tokens":40,"reasoning_tokens":30}`:                                             {10, 30},
			`{"prompt_tokens":10,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":4},"total_tokens":12}`: {10, 2},
		} {
			told := forms{usedO(usage), unendedO + sse(`{"id":"c","choices":[],"usage":`+usage+`}`, "[DONE]")}
			for _, from := range []string{A, G} {
				told.each(t, trip{from: from, to: O, kind: "vllm"}, func(l *landed) {
					u := l.booked.Usage()
					is(t, from+usage, [2]int64{u.Prompt(), u.Completion()}, want)
				})
			}
		}
	}},
	// Azure tells first how its filters rated the prompt, Google's API what the prompt took.
	{number: 1741, name: "an error behind a frame without any answer", answer: "it has its status, and the next target is asked", run: func(t *testing.T) {
		for to, before := range map[string][]string{
			O: {`{"id":"","object":"","created":0,"model":"","prompt_filter_results":[{"prompt_index":0}],"choices":[]}`, `{"choices":null}`},
			G: {`{"usageMetadata":{"promptTokenCount":3},"modelVersion":"m","responseId":"r"}`, `{"candidates":[]}`},
		} {
			for _, from := range others(to) {
				for _, frame := range before {
					for failed, want := range map[string]map[string]int{`{"error":{"message":"busy","code":429}}`: {O: 429, A: 429, G: 429}, "": {O: 502, A: 500, G: 500}} {
						body := sse(frame)
						if failed != "" {
							body += sse(failed)
						}
						l := try(t, trip{from: from, to: to, own: true, stream: true, ask: plainly(from, true), answers: []string{body}})
						is(t, from+" from "+to+" "+body, fmt.Sprint(l.status, strings.HasPrefix(l.body, "{")), fmt.Sprint(want[from], true))
					}
					answer := map[string]string{O: chunksO("stop", `{"content":"hi"}`), G: sse(partsG(`{"text":"hi"}`, `,"finishReason":"STOP"`))}[to]
					is(t, from+" from "+to+" "+frame, tells(t, trip{from: from, to: to, own: true, stream: true, answers: []string{sse(frame) + answer}}), "|hi||stop")
				}
			}
		}
	}},
	{number: 1742, name: "a connection that breaks behind the reason of an end and before the last word", answer: "an error: what is missing is not known", run: func(t *testing.T) {
		unended := map[string]string{O: unendedO, A: cutA(messageA(textA(0, "hi"), "end_turn"), "event: message_stop")}
		for to, body := range unended {
			for _, from := range []string{O, A, G} {
				l := try(t, trip{from: from, to: to, own: true, stream: true, breaks: true, ask: plainly(from, true), answers: []string{body}})
				is(t, from+" from "+to, strings.Contains(l.body, `"error"`), true)
			}
		}
	}},
	{number: 1743, name: "answers and errors that are packed though that was not asked for", run: func(t *testing.T) {
		for coding := range packedBy {
			for _, to := range []string{O, A, G} {
				whole := http.Header{"Content-Encoding": {coding}, "Content-Type": {"application/json"}}
				for _, from := range others(to) {
					is(t, from+" from "+to+coding, tells(t, trip{from: from, to: to, own: true, header: whole, answers: []string{packed(coding, hi[to])}}), "|hi||stop")
				}
				l := try(t, trip{from: O, to: to, own: true, header: whole, status: 429, ask: plain[O], answers: []string{packed(coding, `{"error":{"message":"slow down","code":429}}`)}})
				is(t, to+coding, l.status, 429)
				l = try(t, trip{from: O, to: to, own: true, header: whole, status: 429, ask: plain[O], answers: []string{`not packed at all`}})
				is(t, to+coding+", as it only says", l.status, 429)
			}
		}
	}},
	{number: 1744, name: "pieces in a list where Google's client wants one answer", run: func(t *testing.T) {
		list := "[" + partsG(`{"text":"h"}`, "") + ",\r\n" + partsG(`{"text":"i"}`, `,"finishReason":"STOP"`) + "]"
		for _, from := range []string{O, A, G} {
			is(t, from, tells(t, trip{from: from, to: G, own: true, answers: []string{list}}), "|hi||stop")
		}
	}},
	// Servers of Claude's dialect that write a model's arguments as they stand. Of what begins as an object every piece goes on at once.
	{number: 1745, name: "arguments of Claude's dialect that are no object, and clearly mean one or nothing", run: func(t *testing.T) {
		for arguments, want := range map[string]string{
			`"{\"x\":\"1\"}"`: `{"x":"1"}`, "```json\n{\"x\":\"1\"}\n```": `{"x":"1"}`, `null`: `{}`, `""`: `{}`, "  ": `{}`, ` {"x":1}`: `{"x":1}`,
			`[1,2]`: `[1,2]`, `"{\"x`: `"{\"x`, `{"x":1}</call>`: `{"x":1}</call>`,
		} {
			for at := range len(arguments) {
				stream := messageA(toolA(0, "t1", "f", arguments[:at], arguments[at:]), "tool_use")
				for _, streamed := range []bool{false, true} {
					is(t, fmt.Sprint(arguments, at, streamed), tells(t, trip{from: O, to: A, own: true, stream: streamed, answers: []string{stream}}), "||f"+strings.TrimSpace(want)+"|tool")
				}
			}
		}
	}},
	{number: 1746, name: "the place of an error, filled with nothing, beside an answer", run: func(t *testing.T) {
		whole := func(root, choice string) string {
			return `{"id":"c"` + root + `,"choices":[{"index":0` + choice + `,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`
		}
		chunk := func(root, choice string) string {
			return sse(`{"id":"c"`+root+`,"choices":[{"index":0`+choice+`,"delta":{"content":"hi"},"finish_reason":null}]}`, `{"id":"c"`+root+`,"choices":[{"index":0`+choice+`,"delta":{},"finish_reason":"stop"}]}`, "[DONE]")
		}
		for _, nothing := range []string{`,"error":""`, `,"error":{}`, `,"error":false`, `,"error":null`} {
			for _, from := range []string{O, A, G} {
				for _, answer := range []string{whole(nothing, ""), whole("", nothing), chunk(nothing, ""), chunk("", nothing)} {
					way := trip{from: from, to: O, own: true, stream: strings.HasPrefix(answer, "data"), answers: []string{answer}}
					if from == O {
						way.ask = plainly(O, way.stream)
						is(t, answer, take(t, way).body, answer)
						continue
					}
					is(t, from+answer, tells(t, way), "|hi||stop")
				}
				l := try(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{sse(`{"error":{}}`)}})
				is(t, from+", alone", l.status >= 500, true)
			}
		}
	}},
	{number: 1747, name: "a tier that is told before the usage, and not with it", run: func(t *testing.T) {
		stream := sse(`{"id":"c","service_tier":"priority","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}`, `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
			`{"id":"c","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, "[DONE]")
		for _, from := range others(O) {
			for _, streamed := range []bool{false, true} {
				l := take(t, trip{from: from, to: O, own: true, stream: streamed, ask: plainly(from, streamed), answers: []string{stream}})
				is(t, fmt.Sprint(from, streamed), l.booked.Usage().Tier, "priority")
			}
		}
	}},
	{number: 1748, name: "Claude's dialect, and usage in OpenAI's words", run: func(t *testing.T) {
		usage := `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":4}}`
		told := forms{
			strings.Replace(wholeA("end_turn", `{"type":"text","text":"hi"}`), usageIn(wholeA("end_turn")), usage, 1),
			strings.Replace(strings.Replace(messageA(textA(0, "hi"), "end_turn"), `{"input_tokens":5,"output_tokens":1}`, `{"prompt_tokens":0,"completion_tokens":0}`, 1), `{"output_tokens":9}`, usage, 1),
		}
		for _, from := range []string{O, G} {
			told.each(t, trip{from: from, to: A, own: true}, func(l *landed) {
				u := l.booked.Usage()
				is(t, from, [4]int64{u.Input, u.CacheRead, u.Output, u.Reasoning}, [4]int64{6, 4, 5, 0})
				is(t, from, strings.Contains(l.told(), "usage"), false)
			})
		}
	}},
	// anomalyco/opencode#39606: of the client's own dialect the answer became an error, and what it took was booked by estimate.
	{number: 1753, name: "what an answer cost, behind its last word", run: func(t *testing.T) {
		for _, behind := range []string{`{"choices":[],"cost":"0.001"}`, `{"id":"c","choices": [],"cost":"0"}`, `{"cost":"0"}`} {
			for _, from := range []string{O, A, G} {
				l := take(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{unendedO + sse(`{"id":"c","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`, "[DONE]") + sse(behind)}})
				is(t, from+behind, strings.Contains(l.body, `"hi"`) && !strings.Contains(l.body, "error"), true)
				u := l.booked.Usage()
				is(t, from+behind+", booked", [2]int64{u.Prompt(), u.Completion()}, [2]int64{10, 5})
			}
		}
	}},
	// jeremychone/rust-genai#258: what came from the cache was counted twice.
	{number: 1756, name: "Claude's dialect, and a beginning that counts what came from a cache", run: func(t *testing.T) {
		for end, want := range map[string][3]int64{
			`{"cache_creation_input_tokens":0,"cache_read_input_tokens":3604,"prompt_tokens_details":{"cached_tokens":3604},"output_tokens":878}`: {0, 3604, 878},
			`{"cache_read_input_tokens":3000,"prompt_tokens_details":{"cached_tokens":3000},"output_tokens":8}`:                                   {602, 3000, 8},
			`{"cache_read_input_tokens":90000,"prompt_tokens_details":{"cached_tokens":90000},"output_tokens":8}`:                                 {3602, 90000, 8},
			`{"cache_read_input_tokens":3000,"output_tokens":8}`:                                                                                  {3602, 3000, 8},
			`{"input_tokens":3602,"cache_read_input_tokens":3000,"prompt_tokens_details":{"cached_tokens":3000},"output_tokens":8}`:               {3602, 3000, 8},
		} {
			stream := strings.Replace(strings.Replace(messageA(textA(0, "hi"), "end_turn"), `{"input_tokens":5,"output_tokens":1}`, `{"input_tokens":3602,"output_tokens":0}`, 1), `{"output_tokens":9}`, end, 1)
			for _, from := range []string{O, A, G} {
				u := take(t, trip{from: from, to: A, own: true, stream: true, ask: plainly(from, true), answers: []string{stream}}).booked.Usage()
				is(t, from+end, [3]int64{u.Input, u.CacheRead, u.Completion()}, want)
			}
		}
	}},
}}

// usageIn is the usage of a whole answer, as it stands there.
func usageIn(answer string) string {
	_, usage, _ := strings.Cut(answer, `"usage":`)
	return strings.TrimSuffix(usage, "}")
}
