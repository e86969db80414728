package dialect_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// unnumbered is a stream of Anthropic's in which pieces and ends do not say which block they are of.
func unnumbered(stream string) string {
	var lines []string
	for line := range strings.Lines(stream) {
		if strings.Contains(line, `"type":"content_block_delta"`) || strings.Contains(line, `"type":"content_block_stop"`) {
			for i := range 4 {
				line = strings.Replace(line, fmt.Sprintf(`,"index":%d`, i), "", 1)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

// What gateways and clouds in front of models make of their answers.
var hardRelayed = section{"BP", "what gateways and clouds make of an answer, and what they call a limit", append([]hard{
	// farion1231/cc-switch#7044: of gateways that translate to Anthropic's dialect.
	{number: 1557, name: "pieces of Claude's blocks without their number", answer: "they are of the block that was begun last", run: func(t *testing.T) {
		stream := unnumbered(messageA(thoughtA(0, "hm", "c2ln")+textA(1, "h", "i")+toolA(2, "t1", "f", `{"a":`, `1}`)+toolA(3, "t2", "g", `{}`), "tool_use"))
		for _, from := range []string{O, G} {
			is(t, from, tells(t, trip{from: from, to: A, own: true, stream: true, answers: []string{stream}}), `hm|hi|f{"a":1} g{}|tool`)
		}
	}},
	// mnfst/llm-gateway#2053: OpenRouter's ": OPENROUTER PROCESSING" as data, on which OpenAI's own library fails.
	{number: 1564, name: "a sign of life of the server behind a gateway, in the place of data", answer: "it is a comment, also where the stream passes through", run: func(t *testing.T) {
		const sign = "data: : OPENROUTER PROCESSING\n\n"
		stream := sign + sign + chunksO("", `{"content":"h"}`) + sign + chunksO("stop", `{"content":"i"}`)
		for _, from := range []string{O, A, G} {
			is(t, from, strings.Contains(tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{stream}}), "|hi|"), true)
		}
		l := take(t, trip{from: O, to: O, own: true, stream: true, ask: streamO, answers: []string{stream}})
		is(t, "signs", inLine(strings.Count(l.body, ": OPENROUTER PROCESSING\n\n"), strings.Count(l.body, sign)), "3 0")
		failed := try(t, trip{from: A, to: O, own: true, stream: true, ask: streamA, answers: []string{sign + sse(`{"error":{"message":"x","code":429}}`)}})
		is(t, "and then an error", failed.status, http.StatusTooManyRequests)
	}},
	// pydantic/pydantic-ai#3994.
	{number: 1565, name: "OpenRouter's answer inside of the member that names its provider", run: func(t *testing.T) {
		answer := `{"id":null,"choices":null,"model":null,"object":null,"provider":` + endO("stop", `"content":"hi"`) + `}`
		for _, from := range []string{O, A, G} {
			is(t, from, tells(t, trip{from: from, to: O, own: true, answers: []string{answer}}), "|hi||stop")
		}
	}},
	// anomalyco/opencode#46193, mozilla-ai/any-llm#1358: Converse's; NousResearch/hermes-agent#83886: Google's, passed on. Both with nothing.
	{number: 1563, name: "a call or an answer that the model could not write, in Amazon's words and Google's", answer: "an error where nothing came of it, and reported where something did", run: func(t *testing.T) {
		for _, word := range []string{"malformed_model_output", "malformed_tool_use", "malformed_function_call", "MALFORMED_FUNCTION_CALL", "unexpected_tool_call"} {
			empty := map[string]forms{O: {endO(word, `"content":""`), chunksO(word)}, A: {wholeA(word), messageA("", word)}}
			useful := map[string]forms{O: {endO(word, `"content":"hi"`), chunksO(word, `{"content":"hi"}`)}, A: {wholeA(word, `{"type":"text","text":"hi"}`), messageA(textA(0, "hi"), word)}}
			for _, to := range []string{O, A} {
				for _, from := range others(to) {
					for _, streamed := range []bool{false, true} {
						answer := map[bool]string{false: empty[to].whole, true: empty[to].stream}[streamed]
						l := try(t, trip{from: from, to: to, own: true, stream: streamed, ask: plainly(from, streamed), answers: []string{answer}})
						is(t, from+" from "+to+" "+word, l.failure != nil, true)
					}
					useful[to].each(t, trip{from: from, to: to, own: true}, func(l *landed) { l.warns("answer", chat.Approximated) })
				}
			}
			is(t, "passing", try(t, trip{from: O, to: O, own: true, ask: plain[O], answers: []string{empty[O].whole}}).status, http.StatusBadGateway)
		}
	}},
	// zed-industries/zed#38412: what Alibaba's Qwen tells.
	{number: 1566, name: "what came from a cache, among the details of a prompt by another name", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{usedO(`{"prompt_tokens":100,"completion_tokens":1,"total_tokens":101,"prompt_tokens_details":{"cache_read_tokens":60,"cache_creation_tokens":20}}`)}})
		is(t, "usage", inLine(l.booked.Usage().Input, l.booked.Usage().CacheRead, l.booked.Usage().CacheWrite, l.booked.Usage().Output), "20 60 20 1")
		l.quiet()
	}},
	// agno-agi/agno#8879: as DeepSeek's model came from a compatible server.
	{number: 1568, name: "the head of a call under the number of the call before it, and the rest under its own", run: func(t *testing.T) {
		head, first := toolO(0, "c1", "f", `{"a":1}`), toolO(0, "c2", "g", "")
		for _, rest := range [][]string{{toolO(1, "", "", `{"b":2}`)}, {toolO(1, "c2", "", `{"b":2}`)}, {toolO(1, "", "", `{"b"`), toolO(1, "", "", `:2}`)}} {
			for _, from := range []string{A, G} {
				stream := chunksO("tool_calls", append([]string{head, first}, rest...)...)
				is(t, from, tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{stream}}), `||f{"a":1} g{"b":2}|tool`)
			}
		}
		unnamed := chunksO("tool_calls", head, toolO(1, "", "", `{"b":2}`)) // behind a call that is whole
		is(t, "of no call", tells(t, trip{from: A, to: O, own: true, stream: true, answers: []string{unnamed}}), `||f{"a":1}|tool`)
	}},
	// tenstorrent/tt-inference-server#3683: of marks of code around arguments only the language is left.
	{number: 1569, name: "the name of a language before arguments", run: func(t *testing.T) {
		answers := forms{calls([3]string{"f", "c", "json\n{\"a\":1}"}), chunksO("tool_calls", toolO(0, "c", "f", "json\n"), toolO(0, "", "", `{"a":1}`))}
		for _, from := range []string{A, G} {
			is(t, from, tells(t, trip{from: from, to: O, own: true, answers: []string{answers.whole}}), `||f{"a":1}|tool`)
			is(t, from+", streamed", tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{answers.stream}}), `||f{"a":1}|tool`)
		}
	}},
	// stdapi-ai/stdapi.ai#182, vllm-project/vllm#54686, lsdefine/GenericAgent#804: of DeepSeek's models at Amazon and others.
	{number: 1514, name: "the mark of a call in the model's own language, before a call that is told as one", answer: "left out where a call follows, and reported; words otherwise", run: func(t *testing.T) {
		const mark = "<｜DSML｜function_calls"
		text := func(words string) string { return `{"content":` + quoted(words) + `}` }
		call := toolO(0, "c", "f", `{"a":1}`)
		for _, deltas := range [][]string{{text("ok" + mark), call}, {text("o"), text("k<"), text("｜DSML｜func"), text("tion_calls>\n"), call}, {`{"content":` + quoted("ok"+mark) + `,` + call[1:]}} {
			for _, from := range []string{A, G} {
				l := take(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{chunksO("tool_calls", deltas...)}})
				is(t, from, strings.Contains(l.body, "DSML"), false)
				l.warns("answer", chat.Ignored)
				is(t, from, tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{chunksO("tool_calls", deltas...)}}), `|ok|f{"a":1}|tool`)
			}
		}
		for words, want := range map[string]string{"ok" + mark: "|ok|", mark: "||", "a <": "|a <|", mark + " it is": "|" + mark + " it is|"} {
			whole := endO("tool_calls", `"content":`+quoted(words)+`,`+call[1:len(call)-1])
			for _, from := range []string{A, G} {
				is(t, from+" "+words, tells(t, trip{from: from, to: O, own: true, answers: []string{whole}}), want+`f{"a":1}|tool`)
				is(t, from+", streamed "+words, tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{chunksO("tool_calls", text(words), call)}}), want+`f{"a":1}|tool`)
			}
		}
		is(t, "no call", tells(t, trip{from: A, to: O, own: true, stream: true, answers: []string{chunksO("stop", text("ok"+mark))}}), "|ok"+mark+"||stop")
	}},
	// BerriAI/litellm: what a client of it finds in provider_specific_fields, beside the places of its own and in some pieces there alone.
	{number: 1517, name: "LiteLLM's fields of one provider, beside the places that they have", answer: "told once; what stands only there is read, and what has no place is reported by its name", run: func(t *testing.T) {
		const blocks, words = `"thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"c2ln"}]`, `"content":"hi","reasoning_content":"hm"`
		within := func(members string) string { return `,"provider_specific_fields":{"citations":null,` + members + `}` }
		for members, want := range map[string]bool{words + "," + blocks + within(blocks): true, `"content":"hi",` + blocks: true, words + within(blocks): true, `"content":"hi"` + within(`"reasoning_content":"hm"`): false, words + within(`"reasoning_content":"hm"`): false} {
			for _, answer := range []string{endO("stop", members), chunksO("stop", "{"+members+"}")} {
				streamed := strings.HasPrefix(answer, "data")
				ask := strings.Replace(thinkingAsks[A], "%s", map[bool]string{true: `,"stream":true`}[streamed], 1)
				l := take(t, trip{from: A, to: O, own: true, stream: streamed, ask: ask, answers: []string{answer}})
				is(t, members, strings.Contains(l.told(), "provider_specific_fields"), false)
				signature := gjson.Get(l.body, "content.0.signature").Str
				if streamed {
					signature = l.joined("delta.signature")
				}
				is(t, members+", signed", strings.Contains(unpacked(signature), "c2ln"), want)
				is(t, members, tells(t, trip{from: A, to: O, own: true, stream: streamed, answers: []string{answer}}), "hm|hi||stop")
			}
		}
		block := func(words, signature string) string {
			return `{"thinking_blocks":[{"type":"thinking","thinking":"` + words + `","signature":"` + signature + `"}]}`
		}
		for _, pieces := range [][]string{{block("h", ""), block("m", ""), block("hm", "c2ln"), `{"content":"hi"}`}, {block("h", ""), block("m", ""), block("", "c2ln"), `{"content":"hi"}`}} {
			is(t, "in pieces, there alone", tells(t, trip{from: A, to: O, own: true, stream: true, answers: []string{chunksO("stop", pieces...)}}), "hm|hi||stop")
		}
		l := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{endO("stop", `"content":"hi"`+within(`"x":1`))}})
		is(t, "told", strings.Contains(l.told(), "provider_specific_fields.x"), true)
	}},
	// docs.fireworks.ai, docs.together.ai: beside every answer, or every piece of one.
	{number: 1518, name: "what servers tell of how an answer was made, in places of their own", answer: "the client hears of it as ignored: it has the same answer", run: func(t *testing.T) {
		for _, name := range []string{"perf_metrics", "prompt_progress"} {
			answer := forms{endO("stop", `"content":"hi"`), chunksO("stop", `{"content":"hi"}`)}
			for i, one := range []*string{&answer.whole, &answer.stream} {
				*one = strings.Replace(*one, `{"id":`, `{"`+name+`":{"total":`+strconv.Itoa(i+1)+`},"id":`, 1)
			}
			for _, from := range []string{A, G} {
				answer.each(t, trip{from: from, to: O, own: true}, func(l *landed) { is(t, name, strings.Count(l.told(), "answer; ignored; "+name), 1) })
			}
		}
		for _, member := range []string{`"token_id":9`, `"channel":"final"`} {
			answer := forms{endO("stop", `"content":"hi",`+member), chunksO("stop", `{"content":"hi",`+member+`}`, `{"content":"ho",`+member+`}`)}
			for _, from := range []string{A, G} {
				answer.each(t, trip{from: from, to: O, own: true}, func(l *landed) { l.warns("answer", chat.Ignored) })
			}
		}
	}},
}, hardLimited...)}
