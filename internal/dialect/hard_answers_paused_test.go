package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// pausing are an answer in two parts, which its upstream pauses between.
func pausing(to string, first, rest []string) (whole, streams []string) {
	if to == A {
		blocks := func(list []string) (all string) {
			for i, text := range list {
				if strings.HasPrefix(text, "call ") {
					all += toolA(i, fmt.Sprintf("t%s%d", text[5:], len(list)), strings.TrimSpace(text[5:]), "{}")
				} else {
					all += textA(i, text)
				}
			}
			return all
		}
		written := func(list []string) (all []string) {
			for _, text := range list {
				if strings.HasPrefix(text, "call ") {
					all = append(all, fmt.Sprintf(`{"type":"tool_use","id":"t%s%d","name":"%s","input":{}}`, text[5:], len(list), strings.TrimSpace(text[5:])))
				} else {
					all = append(all, `{"type":"text","text":`+quoted(text)+`}`)
				}
			}
			return all
		}
		return []string{wholeA("pause_turn", written(first)...), wholeA("end_turn", written(rest)...)}, []string{messageA(blocks(first), "pause_turn"), messageA(blocks(rest), "end_turn")}
	}
	parts := func(list []string, end string) string {
		var all []string
		for _, text := range list {
			if strings.HasPrefix(text, "call ") {
				all = append(all, `{"functionCall":{"name":"`+strings.TrimSpace(text[5:])+`","args":{}}}`)
			} else {
				all = append(all, `{"text":`+quoted(text)+`}`)
			}
		}
		return strings.TrimSuffix(partsG(strings.Join(all, ","), end), "}") + `,"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":9,"totalTokenCount":14}}`
	}
	whole = []string{parts(first, `,"finishReason":"CONTINUATION","continuationToken":"t"`), parts(rest, `,"finishReason":"STOP"`)}
	return whole, []string{sse(whole[0]), sse(whole[1])}
}

// paused makes trips for an answer that is paused, whole and streamed, from all clients to all upstreams that do that.
func paused(t *testing.T, first, rest []string, check func(what string, l *landed)) {
	t.Helper()
	pairs(func(from, to string) {
		if to == O {
			return
		}
		whole, streams := pausing(to, first, rest)
		for streamed, answers := range map[bool][]string{false: whole, true: streams} {
			check(fmt.Sprintf("%s from %s, streamed %t", from, to, streamed), try(t, trip{from: from, to: to, stream: streamed, ask: plainly(from, streamed), answers: answers}))
		}
	})
}

var hardPaused = section{"AL", "answers that are paused", []hard{
	{number: 1134, name: "a pause, and behind it nothing but a call that nobody can make", run: func(t *testing.T) {
		ends := map[string]string{O: "stop", A: "end_turn", G: "STOP"}
		paused(t, []string{"so far"}, []string{"call  "}, func(what string, l *landed) {
			if l.failure != nil {
				t.Errorf("%s: %v", what, l.failure)
				return
			}
			is(t, what, fmt.Sprint(strings.Contains(l.body, "so far"), lastEnd(l)), fmt.Sprint(true, ends[l.trip.from]))
			l.warns("answer", chat.Dropped)
		})
		paused(t, []string{"call  "}, []string{"after all"}, func(what string, l *landed) {
			if l.failure != nil {
				t.Errorf("%s: %v", what, l.failure)
				return
			}
			is(t, what+", before it", strings.Contains(l.body, "after all"), true)
			l.warns("answer", chat.Dropped)
		})
	}},
	{number: 1135, name: "pauses, and nothing but calls that nobody can make", answer: "an error of the provider's, and paid for", run: func(t *testing.T) {
		paused(t, []string{"call  "}, []string{"call  "}, func(what string, l *landed) {
			if l.failure == nil {
				t.Errorf("%s: %s", what, l.body)
			}
			is(t, what, tokensOf(&l.booked)[0], 10)
			is(t, what, tokensOf(&l.booked)[1], 18)
		})
	}},
	{number: 1136, name: "a call before a pause, and none behind it", run: func(t *testing.T) {
		ends := map[string]string{O: "tool_calls", A: "tool_use", G: "STOP"}
		paused(t, []string{"so", "call f"}, []string{"on"}, func(what string, l *landed) {
			if l.failure != nil {
				t.Errorf("%s: %v", what, l.failure)
				return
			}
			n, _ := called(l)
			is(t, what, fmt.Sprint(n, lastEnd(l)), fmt.Sprint(1, ends[l.trip.from]))
		})
	}},
	{number: 1137, name: "what is behind a pause does not come", answer: "what came before it is paid for", run: func(t *testing.T) {
		for _, from := range []string{O, A, G} {
			for _, to := range []string{A, G} {
				if from == to {
					continue
				}
				whole, _ := pausing(to, []string{"so far"}, []string{"on"})
				l := try(t, trip{from: from, to: to, ask: plainly(from, false), answers: []string{whole[0], `{"error":{"type":"overloaded_error","code":503,"message":"m","status":"UNAVAILABLE"},"type":"error"}`}, statuses: []int{200, 503}})
				if l.failure == nil || !l.failure.Owed {
					t.Errorf("%s from %s: %v", from, to, l.failure)
				}
				is(t, from+" from "+to, tokensOf(&l.booked), [3]int64{5, 9, 0})
			}
		}
	}},
	{number: 1138, name: "what only Claude can read, before a pause of a stream", run: func(t *testing.T) {
		search := `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"stones"}}`
		found := `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","title":"Granite","url":"https://stones.example/","encrypted_content":"x","page_age":null}]}`
		whole := []string{wholeA("pause_turn", search, found), wholeA("end_turn", `{"type":"text","text":"Found."}`)}
		block := func(i int, b string) string {
			return named(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, b), fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i))
		}
		streams := []string{messageA(block(0, search)+block(1, found), "pause_turn"), messageA(textA(0, "Found."), "end_turn")}
		for _, from := range []string{O, G} {
			a := take(t, trip{from: from, to: A, ask: plainly(from, false), answers: whole})
			b := take(t, trip{from: from, to: A, stream: true, ask: plainly(from, true), answers: streams})
			same(t, b.sent[1], "messages.1", a.sent[1].Get("messages.1").Raw)
			is(t, from, strings.Contains(a.sent[1].Raw, "srvtoolu_1") && strings.Contains(a.sent[1].Raw, "stones.example"), true)
		}
	}},
}}
