package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/chat"
)

// What servers say twice, and what they leave out around it: of answers only.
var hardTwice = section{"BI", "what answers say twice, and what stands around it", []hard{
	// MeetKai/functionary#156: llama-cpp-python tells each call in both forms, whole and streamed.
	{number: 1520, name: "a call in its older form beside the same call", answer: "told once, with the id of the newer", run: func(t *testing.T) {
		twin := func(text string) string {
			return `"function_call":{"name":"f","arguments":` + text + `},"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":` + text + `}}]`
		}
		answers := []string{
			endO("tool_calls", `"content":null,`+twin(`"{\"a\":1}"`)),
			chunksO("tool_calls", `{`+twin(`""`)+`}`, `{`+twin(`"{\"a\":"`)+`}`, `{`+twin(`"1}"`)+`}`),
			chunksO("tool_calls", `{"function_call":{"name":"f","arguments":""},"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`,
				`{"function_call":{"arguments":"{\"a\":1}"},"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}`),
		}
		for i, answer := range answers {
			l := take(t, trip{from: A, to: O, own: true, stream: i > 0, ask: plainly(A, i > 0), answers: []string{answer}})
			is(t, "calls", strings.Count(l.body, `"tool_use","id"`), 1)
			is(t, "its id", strings.Contains(l.body, `"id":"c"`), true)
			l = take(t, trip{from: G, to: O, own: true, stream: i > 0, ask: plain[G], answers: []string{answer}})
			is(t, "calls", strings.Count(l.body, `"functionCall":{"id":"c","name":"f","args":{"a":1}}`), 1)
			is(t, "all", strings.Count(l.body, `"functionCall"`), 1)
		}
		other := endO("tool_calls", `"content":null,"function_call":{"name":"g","arguments":"{}"},"tool_calls":[`+calling+`]`)
		is(t, "another", strings.Count(take(t, trip{from: G, to: O, own: true, ask: plain[G], answers: []string{other}}).body, `"functionCall"`), 2)
	}},
	// anomalyco/opencode#27365: GLM on Baseten, and others.
	{number: 1521, name: "events that end with one newline", answer: "read as they are meant; where they pass through, the blank lines are added", run: func(t *testing.T) {
		for to, stream := range map[string]string{O: chunksO("stop", `{"content":"h"}`, `{"content":"i"}`), A: messageA(textA(0, "h", "i"), "end_turn"), G: sse(strings.Replace(hi[G], `"hi"`, `"h"`, 1), strings.Replace(hi[G], `"hi"`, `"i"`, 1))} {
			for _, from := range []string{O, A, G} { // and where it passes through, with the lines that are missing
				l := take(t, trip{from: from, to: to, own: true, stream: true, ask: plainly(from, true), answers: []string{strings.ReplaceAll(stream, "\n\n", "\n")}})
				at := map[string]string{O: "choices.0.delta.content", A: "delta.text", G: "candidates.0.content.parts.0.text"}[from]
				is(t, from+" over "+to, l.joined(at), "hi")
			}
		}
		cut := strings.ReplaceAll(chunksO("", `{"content":"h"}`, `{"content":"i"}`), "\n\n", "\n")
		for _, from := range []string{O, A, G} {
			l := try(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{cut[:len(cut)-9]}})
			is(t, "cut, "+from, l.failure != nil && len(l.events()) > 0, true) // all of which are JSON
		}
		failed := strings.ReplaceAll(cutA(messageA(textA(0, "hi"), "end_turn"), "event: message_delta")+named(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`), "\n\n", "\n")
		l := try(t, trip{from: O, to: A, stream: true, ask: plainly(O, true), answers: []string{failed}})
		is(t, "an error among them", inLine(l.joined("choices.0.delta.content"), strings.Contains(l.body, "server_is_overloaded")), "hi true")
	}},
	// LiteLLM makes annotations of Perplexity's lists and leaves the lists beside them.
	{number: 1522, name: "sources in a list that the answer cites by itself", answer: "told once, where it cites them", run: func(t *testing.T) {
		cited := `"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example/","title":"T","start_index":0,"end_index":2}}]`
		lists := `"citations":["https://a.example/","https://b.example/"],"search_results":[{"title":"T","url":"https://a.example/"},{"title":"U","url":"https://b.example/"}],`
		whole := strings.Replace(endO("stop", `"content":"hi ho",`+cited), `"object"`, lists+`"object"`, 1)
		streamed := strings.ReplaceAll(chunksO("stop", `{"content":"hi ho",`+cited+`}`), `"choices"`, lists+`"choices"`)
		for i, answer := range []string{whole, streamed} {
			l := take(t, trip{from: G, to: O, own: true, stream: i > 0, ask: plain[G], answers: []string{answer}})
			is(t, "sources", strings.Contains(l.body, `"groundingSupports":[{"segment":{"endIndex":2},"groundingChunkIndices":[0]},{"segment":{"endIndex":5,"text":"hi ho"},"groundingChunkIndices":[1]}]`), true)
		}
	}},
	{number: 1523, name: "what a cited text covers, beside words of the provider's own tools", run: func(t *testing.T) {
		search := `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}`
		cited := func(text, more string) string {
			return `{"type":"text","text":"` + text + `"` + more + `}`
		}
		source := `,"citations":[{"type":"web_search_result_location","url":"https://a.example/","title":"T","cited_text":"q","encrypted_index":"e"}]`
		l := take(t, trip{from: G, to: A, ask: plain[G], answers: []string{wholeA("end_turn", cited("é", source), search, cited("b", ""))}})
		l.gets("candidates.0.groundingMetadata.groundingSupports", `[{"segment":{"endIndex":2,"text":"é"},"groundingChunkIndices":[0]}]`)
		stream := messageA(named(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":[]}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://a.example/","title":"T","cited_text":"q","encrypted_index":"e"}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"é"}}`, `{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":`+search+`}`, `{"type":"content_block_stop","index":1}`)+textA(2, "b"), "end_turn")
		l = take(t, trip{from: G, to: A, stream: true, ask: plain[G], answers: []string{stream}})
		is(t, "streamed", strings.Contains(l.body, `[{"segment":{"endIndex":2,"text":"é"},"groundingChunkIndices":[0]}]`), true)
	}},
	// Google's types: a picture that was found has its page in sourceUri, and a page may be looked at in vain.
	{number: 1524, name: "sources that are pictures, and pages that could not be read", run: func(t *testing.T) {
		answer := strings.Replace(wholeG(`{"text":"hi"}`), `"finishReason"`, `"groundingMetadata":{"groundingChunks":[{"image":{"imageUri":"https://i.example/","sourceUri":"https://s.example/","title":"I"}}]},`+
			`"urlContextMetadata":{"urlMetadata":[{"retrievedUrl":"https://u.example/","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_SUCCESS"},{"retrievedUrl":"https://p.example/","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_PAYWALL"},`+
			`{"retrievedUrl":"https://x.example/","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_UNSAFE"},{"retrievedUrl":"https://e.example/","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_ERROR"}]},"finishReason"`, 1)
		l := take(t, trip{from: O, to: G, ask: plain[O], answers: []string{answer}})
		l.gets("choices.0.message.annotations.#.url_citation.url", `["https://s.example/","https://u.example/"]`)
		is(t, "told", l.warned("answer", chat.Dropped), false)
	}},
	// BerriAI/litellm#36878: of Bedrock the last event tells what came from a cache.
	{number: 1525, name: "usage in message_stop", run: func(t *testing.T) {
		stream := strings.Replace(messageA(textA(0, "hi"), "end_turn"), `{"type":"message_stop"}`, `{"type":"message_stop","usage":{"input_tokens":3,"output_tokens":9,"cache_read_input_tokens":100,"cache_creation_input_tokens":20}}`, 1)
		for _, from := range []string{O, A, G} {
			l := take(t, trip{from: from, to: A, stream: true, ask: plainly(from, true), answers: []string{stream}})
			is(t, from, inLine(l.booked.Usage().Input, l.booked.Usage().CacheRead, l.booked.Usage().CacheWrite, l.booked.Usage().Output), "3 100 20 9")
		}
		l := take(t, trip{from: G, to: A, stream: true, ask: plain[G], answers: []string{stream}})
		is(t, "told", strings.Contains(l.body, `"promptTokenCount":123,"candidatesTokenCount":9`), true)
	}},
	{number: 1526, name: "a word of gpt-oss's template behind a tool's name", run: func(t *testing.T) {
		for _, said := range []string{"f<|channel|>commentary", "functions.f<|constrain|>json", "f <|message|>"} {
			for _, from := range []string{A, G} {
				at := map[string]string{A: "content.0.name", G: "candidates.0.content.parts.0.functionCall.name"}[from]
				take(t, trip{from: from, to: O, own: true, ask: offering(from, `{"type":"object"}`), answers: []string{calls([3]string{said, "c", "{}"})}}).gets(at, `"f"`)
			}
		}
		take(t, trip{from: A, to: O, own: true, ask: offering(A, `{"type":"object"}`), answers: []string{calls([3]string{"g<|x|>", "c", "{}"})}}).gets("content.0.name", `"g<|x|>"`)
	}},
	// Google's TOO_MANY_TOOL_CALLS and UNEXPECTED_TOOL_CALL come with the calls that they are about.
	{number: 1527, name: "calls that end for a reason that no client has a word for", answer: "they are calls, and the reason is told", run: func(t *testing.T) {
		for _, word := range []string{"TOO_MANY_TOOL_CALLS", "UNEXPECTED_TOOL_CALL"} {
			answers := forms{partsG(`{"functionCall":{"name":"f","args":{}}}`, `,"finishReason":"`+word+`"`), inChunks(word, `{"functionCall":{"name":"f","args":{}}}`)}
			for _, from := range []string{O, A} {
				answers.each(t, trip{from: from, to: G}, func(l *landed) {
					is(t, from+" "+word+l.told(), strings.Contains(l.told(), "approximated; it ended with "+word), true)
					is(t, from, strings.Contains(l.body, `"tool_calls"`) || strings.Contains(l.body, `"tool_use"`), true)
				})
			}
		}
		take(t, trip{from: O, to: G, ask: plain[O], answers: []string{partsG(`{"functionCall":{"name":"f","args":{}}}`, `,"finishReason":"STOP"`)}}).quiet()
	}},
	// mcowger/plexus#691, unslothai/unsloth#10059, diegosouzapw/OmniRoute#11043, NousResearch/hermes-agent#36039, camel-ai/camel#3662: of several calls one
	// was left, and nothing told of the others. openai/openai-agents-js#712 begins with {}.
	{number: 1752, name: "several calls of a tool, written into one", answer: "as many calls as there are objects; the same object once more is none, and one that is told further is reported", run: func(t *testing.T) {
		for arguments, want := range map[string]string{
			`{"a":1}{"a":2}`: `f{"a":1} f{"a":2}`, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}": `f{"a":1} f{"a":2} f{"a":3}`, `{"a":1}, {"a":2}`: `f{"a":1} f{"a":2}`,
			`{"a":"}{"}{"a":{"b":[{}]}}`: `f{"a":"}{"} f{"a":{"b":[{}]}}`, `{"a":1}{"a":1}{"a":2}`: `f{"a":1} f{"a":2}`, `{"a":1}{"a":1}`: `f{"a":1}`, `{}{"a":1}`: `f{"a":1}`,
		} {
			var answers []string
			for _, size := range []int{len(arguments), 7, 3, 2} {
				deltas := []string{toolO(0, "c", "f", "")}
				for from := 0; from < len(arguments); from += size {
					deltas = append(deltas, toolO(0, "", "", arguments[from:min(from+size, len(arguments))]))
				}
				answers = append(answers, chunksO("tool_calls", deltas...))
			}
			answers = append(answers, chunksO("tool_calls", toolO(0, "c", "f", arguments)), calls([3]string{"f", "c", arguments}))
			for i, answer := range answers {
				for _, from := range []string{A, G} {
					for _, streamed := range []bool{false, true} {
						is(t, inLine(from, arguments, i, streamed), tells(t, trip{from: from, to: O, kind: "vllm", stream: streamed, answers: []string{answer}}), "||"+want+"|tool")
					}
				}
			}
		}
		two := chunksO("tool_calls", toolO(0, "c", "f", `{"a":1}{"a":`), toolO(1, "d", "g", `{"b":1}`), toolO(0, "", "", `2}`))
		is(t, "another tool's between", tells(t, trip{from: A, to: O, kind: "vllm", stream: true, answers: []string{two}}), `||f{"a":1} g{"b":1} f{"a":2}|tool`)
		for _, behind := range []string{`{"a":1,"b":2}`, `{"a":`} {
			l := take(t, trip{from: A, to: O, own: true, stream: true, ask: plainly(A, true), answers: []string{chunksO("tool_calls", toolO(0, "c", "f", `{"a":1}`), toolO(0, "", "", behind))}})
			is(t, behind+" is no other call", argued(l), `{"a":1}`)
			is(t, behind+" is reported", l.warned("answer", chat.Dropped), true)
		}
		is(t, "and whole", take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{calls([3]string{"f", "c", `{"a":1}{"a":1,"b":2}`})}}).warned("answer", chat.Approximated), true)
		slow := []string{toolO(0, "c", "f", `{"a":1}`), toolO(0, "", "", `{"a":"`)} // each look from the beginning would be a quarter of an hour of looking
		for range 100_000 {
			slow = append(slow, toolO(0, "", "", "aaaaaaaa"))
		}
		for what, deltas := range map[string][]string{"without end": slow, "of nothing": {toolO(0, "c", "f", strings.Repeat("{}", 1<<18)), toolO(0, "", "", `{"a":1}`+strings.Repeat("{}", 1<<18))}} {
			is(t, "very many "+what, tells(t, trip{from: A, to: O, kind: "vllm", stream: true, answers: []string{chunksO("tool_calls", deltas...)}}), map[string]string{"without end": `||f{"a":1}|tool`, "of nothing": `||f{"a":1} f{}|tool`}[what])
		}
	}},
	// can1357/oh-my-pi#2434, ZHangZHengEric/Sage#256 and MiniMax's own page: each piece had all that was said by then.
	{number: 1755, name: "words and thoughts that are told from the beginning with every piece", answer: "told once, where three pieces show it; fewer, and what only looks like it, are told as they come", run: func(t *testing.T) {
		for _, row := range []struct {
			pieces []string
			want   string
		}{
			{[]string{"The", "The user", "The user just", "The user just said hi", "The user just said hi"}, "The user just said hi"},
			{[]string{"The user", "The user just"}, "The userThe user just"}, {[]string{"no", "no, ", "never"}, "nono, never"}, {[]string{"-", "--", "---", "x"}, "------x"},
			{[]string{"ha", "ha", "ha"}, "hahaha"}, {[]string{"ha", "haha", "hahaha", "!"}, "hahahahahaha!"}, {[]string{"a", "ab", "abc", "abcd", "xyz"}, "abcdxyz"},
		} {
			var thoughts, details, words []string
			for _, piece := range row.pieces {
				words = append(words, `{"content":`+quoted(piece)+`}`)
				thoughts = append(thoughts, `{"reasoning_content":`+quoted(piece)+`}`)
				details = append(details, `{"reasoning_details":[{"type":"reasoning.text","text":`+quoted(piece)+`,"index":0}]}`)
			}
			for _, from := range []string{A, G} {
				for _, streamed := range []bool{false, true} {
					told := func(deltas []string) string {
						return tells(t, trip{from: from, to: O, kind: "vllm", stream: streamed, answers: []string{chunksO("stop", deltas...)}})
					}
					is(t, inLine(from, streamed, "words"), told(words), "|"+row.want+"||stop")
					is(t, inLine(from, streamed, "thoughts"), told(append(thoughts, `{"content":"hi"}`)), row.want+"|hi||stop")
					is(t, inLine(from, streamed, "details"), told(append(details, `{"content":"hi"}`)), row.want+"|hi||stop")
				}
			}
		}
		is(t, "at OpenAI", tells(t, trip{from: A, to: O, stream: true, answers: []string{chunksO("stop", `{"content":"a"}`, `{"content":"ab"}`, `{"content":"abc"}`)}}), "|aababc||stop")
	}},
}}
