package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// forms are an answer of an upstream's whole and as a stream.
type forms struct{ whole, stream string }

// each makes a trip for a stream and one for a whole answer, each with its form.
func (f forms) each(t *testing.T, way trip, check func(l *landed)) {
	t.Helper()
	for streamed, answer := range map[bool]string{false: f.whole, true: f.stream} {
		way.stream, way.ask, way.answers = streamed, plainly(way.from, streamed), []string{answer}
		check(take(t, way))
	}
}

// stoppedA is Claude's answer that ended at a stop sequence.
func stoppedA(sequence string) forms {
	said := `"stop_reason":"stop_sequence","stop_sequence":` + quoted(sequence)
	plain := `"stop_reason":"stop_sequence","stop_sequence":null`
	return forms{
		strings.Replace(wholeA("stop_sequence", `{"type":"text","text":"hi"}`), plain, said, 1),
		strings.Replace(messageA(textA(0, "hi"), "stop_sequence"), plain, said, 1),
	}
}

// besideG is Google's answer with other members of its candidate and of itself.
func besideG(candidate, answer string) forms {
	one := strings.Replace(partsG(`{"text":"hi"}`, `,"finishReason":"STOP"`+candidate), "{", "{"+answer, 1)
	return forms{one, sse(partsG(`{"text":"h"}`, candidate), strings.Replace(one, `"hi"`, `"i"`, 1))}
}

var hardLost = section{"AB", "what answers have beside their words", []hard{
	{number: 995, name: "the stop sequence at which Claude ended", run: func(t *testing.T) {
		asks := map[string]string{
			O: `{"model":"m","stop":["a","END"],%s"messages":[{"role":"user","content":"go"}]}`,
			G: `{%s"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"stopSequences":["a","END"]}}`,
		}
		for from, ask := range asks {
			for sequence, want := range map[string]string{"END": "it ended at stop sequence 2", "other": "it ended at a stop sequence"} {
				for _, streamed := range []bool{false, true} {
					answer, more := stoppedA(sequence).whole, ""
					if streamed {
						answer = stoppedA(sequence).stream
					}
					if streamed && from == O {
						more = `"stream":true,`
					}
					l := take(t, trip{from: from, to: A, stream: streamed, ask: fmt.Sprintf(ask, more), answers: []string{answer}})
					l.warns("answer", chat.Ignored)
					if !strings.Contains(l.told(), want) || strings.Contains(l.record, "END") {
						t.Errorf("%s: %s, recorded %s", from, l.told(), l.record)
					}
				}
			}
		}
	}},
	{number: 996, name: "how Google rated an answer", run: func(t *testing.T) {
		rated := `,"safetyRatings":[{"category":"HARM_CATEGORY_HARASSMENT","probability":"LOW"}],"avgLogprobs":-0.5`
		for _, from := range []string{O, A} {
			besideG(rated, `"promptFeedback":{"safetyRatings":[{"category":"C","probability":"NEGLIGIBLE"}]},`).each(t, trip{from: from, to: G}, func(l *landed) {
				for _, name := range []string{"safetyRatings", "promptFeedback", "avgLogprobs"} {
					is(t, name, strings.Count(l.told(), name), 1)
				}
				if strings.Contains(l.told(), "dropped") || !strings.Contains(l.body, "h") {
					t.Errorf("%s %s", l.told(), l.body)
				}
			})
			besideG(`,"safetyRatings":[]`, `"promptFeedback":{},`).each(t, trip{from: from, to: G}, func(l *landed) { l.quiet() })
		}
	}},
	{number: 997, name: "what Google says of an end that is none of a filter's", run: func(t *testing.T) {
		for _, from := range []string{O, A} {
			besideG(`,"finishMessage":"because"`, "").each(t, trip{from: from, to: G}, func(l *landed) { l.warns("answer", chat.Dropped) })
		}
	}},
	{number: 998, name: "what Claude's message has beside its blocks", run: func(t *testing.T) {
		for _, more := range []struct{ at, member, name, verb string }{
			{`"role":"assistant"`, `"container":{"id":"c","expires_at":"2026"}`, "container", "dropped"},
			{`"stop_sequence":null`, `"container":{"id":"c","expires_at":"2026"}`, "container", "dropped"},
			{`"role":"assistant"`, `"diagnostics":{"cache_miss_reason":{"type":"model_changed"}}`, "diagnostics", "ignored"},
			{`"role":"assistant"`, `"container":null,"diagnostics":null,"context_management":{"applied_edits":[]}`, "", ""},
			{`"role":"assistant"`, `"zzz":1`, "zzz", "dropped"},
		} {
			put := func(answer string) string { return strings.ReplaceAll(answer, more.at, more.at+","+more.member) }
			answer := forms{put(wholeA("end_turn", `{"type":"text","text":"hi"}`)), put(messageA(textA(0, "hi"), "end_turn"))}
			for _, from := range []string{O, G} {
				answer.each(t, trip{from: from, to: A}, func(l *landed) {
					if more.name == "" {
						l.quiet()
					} else if strings.Count(l.told(), "answer; "+more.verb+"; "+more.name) != 1 {
						t.Errorf("%s: %s", more.member, l.told())
					}
				})
			}
		}
		edited := strings.Replace(messageA(textA(0, "hi"), "end_turn"), `"usage":{"output_tokens":9}`, `"usage":{"output_tokens":9},"context_management":{"applied_edits":[{"type":"clear_thinking_20251015"}]}`, 1)
		take(t, trip{from: O, to: A, stream: true, ask: streamO, answers: []string{edited}}).warns("answer", chat.Ignored)
	}},
	{number: 999, name: "pieces and events of Claude's that nobody knows yet, by their names", run: func(t *testing.T) {
		odd := named(`{"type":"zzz_event","a":1}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"zzz_delta","b":2}}`, `{"type":"content_block_stop","index":0}`)
		for _, from := range []string{O, G} {
			either(t, trip{from: from, to: A, answers: []string{messageA(odd, "end_turn")}}, func(l *landed) {
				if !strings.Contains(l.told(), "zzz_event") || !strings.Contains(l.told(), "zzz_delta") {
					t.Errorf("%s: %s", from, l.told())
				}
			})
		}
	}},
	{number: 1000, name: "what other servers put beside the answers", run: func(t *testing.T) {
		filtered := `"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}`
		for _, more := range []struct{ answer, choice, name, verb string }{
			{`"prompt_filter_results":[{"prompt_index":0,` + filtered + `}],`, "", "prompt_filter_results", "ignored"},
			{"", "," + filtered, "content_filter_results", "ignored"},
			{`"related_questions":["q"],`, "", "related_questions", "dropped"},
			{`"moderation":{"flagged":true},`, "", "moderation", "dropped"},
			{`"provider":"p","system_fingerprint":"f","prompt_logprobs":null,"timings":{"n":1},`, `,"native_finish_reason":"STOP","seed":7,"token_ids":null`, "", ""},
		} {
			put := func(answer string) string {
				answer = strings.ReplaceAll(answer, `"finish_reason":"stop"`, `"finish_reason":"stop"`+more.choice)
				return strings.ReplaceAll(answer, `{"id":`, `{`+more.answer+`"id":`)
			}
			answer := forms{put(endO("stop", `"content":"hi"`)), put(chunksO("stop", `{"content":"hi"}`, `{"content":"ho"}`))}
			for _, from := range []string{A, G} {
				answer.each(t, trip{from: from, to: O, kind: "vllm"}, func(l *landed) {
					if more.name == "" {
						l.quiet()
					} else if strings.Count(l.told(), "answer; "+more.verb+"; "+more.name) != 1 {
						t.Errorf("%v: %s", more, l.told())
					}
				})
			}
		}
		last := strings.Replace(chunksO("stop", `{"content":"hi"}`), `"choices":[],`, `"choices":[],"zzz":1,`, 1)
		take(t, trip{from: A, to: O, kind: "vllm", stream: true, ask: streamA, answers: []string{last}}).warns("answer", chat.Dropped)
	}},
	{number: 1001, name: "answers that were not asked for, in streams", run: func(t *testing.T) {
		more := chunksO("", `{"content":"hi"}`) + sse(delta(1, `"content":"no"`, ""), delta(1, "", `"length"`), delta(0, "", `"stop"`), "[DONE]")
		for _, from := range []string{A, G} {
			either(t, trip{from: from, to: O, answers: []string{more}}, func(l *landed) { l.warns("answer", chat.Dropped) })
		}
		two := sse(`{"candidates":[{"content":{"parts":[{"text":"hi"}]},"index":0},{"content":{"parts":[{"text":"no"}]},"index":1,"finishReason":"MAX_TOKENS"}]}`, partsG("", `,"finishReason":"STOP"`))
		for _, from := range []string{O, A} {
			either(t, trip{from: from, to: G, answers: []string{two}}, func(l *landed) { l.warns("answer", chat.Dropped) })
		}
	}},
	{number: 1002, name: "words for ends that say more than the client's", run: func(t *testing.T) {
		for _, row := range []struct {
			from, to, word string
			told           bool
		}{
			{O, A, "model_context_window_exceeded", true}, {G, A, "model_context_window_exceeded", true}, {O, A, "max_tokens", false},
			{O, G, "RECITATION", true}, {A, G, "SPII", true}, {O, G, "SAFETY", false}, {A, G, "SAFETY", false}, {O, G, "MAX_TOKENS", false},
			{A, O, "model_length", true}, {A, O, "content_filter", false}, {G, O, "content_filter: RECITATION", false}, {A, O, "content_filter: RECITATION", true},
		} {
			answers := map[string]forms{
				O: {endO(row.word, `"content":"hi"`), chunksO(row.word, `{"content":"hi"}`)},
				A: {wholeA(row.word, `{"type":"text","text":"hi"}`), messageA(textA(0, "hi"), row.word)},
				G: {partsG(`{"text":"hi"}`, `,"finishReason":"`+row.word+`"`), inChunks(row.word, `{"text":"hi"}`)},
			}
			answers[row.to].each(t, trip{from: row.from, to: row.to, own: row.to == O}, func(l *landed) {
				if told := strings.Contains(l.told(), "it ended with "+row.word); told != row.told {
					t.Errorf("%s from %s, %s: %s", row.from, row.to, row.word, l.told())
				}
			})
		}
	}},
	{number: 1003, name: "each of several answers ends in its own way", run: func(t *testing.T) {
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"candidateCount":2}}`
		both := sse(delta(0, `"content":"a"`, `"moonrise"`), delta(1, `"content":"b"`, `"stop"`), "[DONE]")
		l := take(t, trip{from: G, to: O, stream: true, ask: ask, answers: []string{both}})
		l.warns("answer", chat.Approximated)
	}},
	{number: 1005, name: "errors behind the first words, in each pair and class", run: func(t *testing.T) {
		failed := map[string]map[string]string{
			O: {
				"busy":  sse(`{"error":{"message":"m","type":"service_unavailable_error","code":"server_is_overloaded"}}`),
				"limit": sse(`{"error":{"message":"m","type":"rate_limit_error","code":"rate_limit_exceeded"}}`),
				"inner": sse(`{"error":{"message":"m","type":"server_error","code":null}}`), "late": sse(`{"error":{"message":"m","type":"timeout","code":504}}`),
			},
			A: {
				"busy":  named(`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`),
				"limit": named(`{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`),
				"inner": named(`{"type":"error","error":{"type":"api_error","message":"m"}}`), "late": named(`{"type":"error","error":{"type":"timeout_error","message":"m"}}`),
			},
			G: {
				"busy":  sse(`{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`),
				"limit": sse(`{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}`),
				"inner": sse(`{"error":{"code":500,"message":"m","status":"INTERNAL"}}`), "late": sse(`{"error":{"code":504,"message":"m","status":"DEADLINE_EXCEEDED"}}`),
			},
		}
		begun := map[string]string{
			O: chunksO("", `{"content":"a"}`), A: cutA(messageA(textA(0, "a"), "end_turn"), "event: message_delta"), G: sse(partsG(`{"text":"a"}`, "")),
		}
		want := map[string]map[string]string{
			O: {"busy": "service_unavailable_error", "limit": "rate_limit_error", "inner": "server_error", "late": "server_error"},
			A: {"busy": "overloaded_error", "limit": "rate_limit_error", "inner": "api_error", "late": "timeout_error"},
			G: {"busy": "UNAVAILABLE", "limit": "RESOURCE_EXHAUSTED", "inner": "INTERNAL", "late": "DEADLINE_EXCEEDED"},
		}
		at := map[string]string{O: "error.type", A: "error.type", G: "error.status"}
		for to, list := range failed {
			for class, frame := range list {
				for _, from := range others(to) {
					l := try(t, trip{from: from, to: to, stream: true, ask: streaming(from), answers: []string{begun[to] + frame}})
					events := l.events()
					is(t, from+" from "+to+" "+class, events[len(events)-1].data.Get(at[from]).Str, want[from][class])
				}
			}
		}
	}},
	{number: 1011, name: "what stands in the sources", run: func(t *testing.T) {
		web := `{"type":"web_search_result_location","cited_text":"quoted","url":"https://a.example/","title":"T","encrypted_index":"E"}`
		pages := `{"type":"page_location","cited_text":"on page 1","document_index":0,"document_title":"D","start_page_number":1,"end_page_number":2},` +
			`{"type":"page_location","cited_text":"on page 2","document_index":0,"document_title":"D","start_page_number":2,"end_page_number":3}`
		answer := wholeA("end_turn", `{"type":"text","text":"hi","citations":[`+web+`,`+pages+`]}`)
		take(t, trip{from: O, to: A, ask: plain[O], answers: []string{answer}}).warns("answer", chat.Ignored)
		l := take(t, trip{from: G, to: A, ask: plain[G], answers: []string{answer}})
		l.warns("answer", chat.Ignored)
		l.gets("candidates.0.groundingMetadata.groundingChunks.#.retrievedContext.text", `["on page 1","on page 2"]`)
		licensed := besideG(`,"citationMetadata":{"citationSources":[{"startIndex":0,"endIndex":2,"uri":"https://a.example/","license":"mit"}]}`, "")
		licensed.each(t, trip{from: O, to: G}, func(l *landed) { is(t, "told", strings.Count(l.told(), "license"), 1) })
	}},
	{number: 1012, name: "code that failed at Google", run: func(t *testing.T) {
		ran := `{"codeExecutionResult":{"outcome":"%s","output":"out"}}`
		for outcome, want := range map[string]string{"OUTCOME_FAILED": "```outcome_failed\\nout\\n```", "OUTCOME_OK": "```\\nout\\n```"} {
			answer := forms{wholeG(fmt.Sprintf(ran, outcome), `{"text":"so"}`), inChunks("STOP", fmt.Sprintf(ran, outcome), `{"text":"so"}`)}
			answer.each(t, trip{from: A, to: G}, func(l *landed) {
				if !strings.Contains(l.body, want) {
					t.Error(l.body)
				}
			})
		}
	}},
}}
