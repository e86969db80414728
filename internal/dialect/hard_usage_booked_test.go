package dialect_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"stele/internal/chat"
	"stele/internal/meter"
	"stele/internal/wire"
)

// tallies are what upstreams count of an answer, by what is special about it. One without a text is
// what an upstream does not have.
var tallies = map[string]map[string]string{
	"words": {
		O: `{"prompt_tokens":70,"completion_tokens":30,"total_tokens":100}`, A: `{"input_tokens":70,"output_tokens":30}`,
		G: `{"promptTokenCount":70,"candidatesTokenCount":30,"totalTokenCount":100}`,
	},
	"read from a cache": {
		O: `{"prompt_tokens":70,"prompt_tokens_details":{"cached_tokens":50},"completion_tokens":30,"total_tokens":100}`, A: `{"input_tokens":20,"cache_read_input_tokens":50,"output_tokens":30}`,
		G: `{"promptTokenCount":70,"cachedContentTokenCount":50,"candidatesTokenCount":30,"totalTokenCount":100}`,
	},
	"written to a cache": {
		O: `{"prompt_tokens":70,"prompt_tokens_details":{"cached_tokens":10,"cache_write_tokens":40},"completion_tokens":30,"total_tokens":100}`,
		A: `{"input_tokens":20,"cache_read_input_tokens":10,"cache_creation_input_tokens":40,"cache_creation":{"ephemeral_5m_input_tokens":15,"ephemeral_1h_input_tokens":25},"output_tokens":30}`,
	},
	"thoughts": {
		O: `{"prompt_tokens":70,"completion_tokens":30,"completion_tokens_details":{"reasoning_tokens":25},"total_tokens":100}`, A: `{"input_tokens":70,"output_tokens":30,"output_tokens_details":{"thinking_tokens":25}}`,
		G: `{"promptTokenCount":70,"candidatesTokenCount":5,"thoughtsTokenCount":25,"totalTokenCount":100}`,
	},
	"thoughts beside the completion": {O: `{"prompt_tokens":70,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":25},"total_tokens":100}`},
	"sounds": {
		O: `{"prompt_tokens":70,"prompt_tokens_details":{"audio_tokens":60},"completion_tokens":30,"completion_tokens_details":{"audio_tokens":20},"total_tokens":100}`,
		G: `{"promptTokenCount":70,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":60},{"modality":"TEXT","tokenCount":10}],"candidatesTokenCount":30,"candidatesTokensDetails":[{"modality":"AUDIO","tokenCount":20}],"totalTokenCount":100}`,
	},
	"pictures": {
		O: `{"prompt_tokens":70,"prompt_tokens_details":{"image_tokens":60},"completion_tokens":30,"completion_tokens_details":{"image_tokens":20},"total_tokens":100}`,
		G: `{"promptTokenCount":70,"promptTokensDetails":[{"modality":"IMAGE","tokenCount":60}],"candidatesTokenCount":30,"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":20}],"totalTokenCount":100}`,
	},
	"tools of the upstream's own": {G: `{"promptTokenCount":50,"toolUsePromptTokenCount":20,"candidatesTokenCount":30,"totalTokenCount":100}`},
	"a compaction":                {A: `{"input_tokens":50,"output_tokens":20,"iterations":[{"type":"compaction","input_tokens":20,"output_tokens":10},{"type":"message","input_tokens":50,"output_tokens":20}]}`},
	"nothing":                     {O: ``, A: ``, G: ``},
	"zeros": {
		O: `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, A: `{"input_tokens":0,"output_tokens":0}`, G: `{"promptTokenCount":0,"candidatesTokenCount":0,"totalTokenCount":0}`,
	},
	"no prompt": {O: `{"completion_tokens":30}`, A: `{"output_tokens":30}`, G: `{"candidatesTokenCount":30}`},
	"no answer": {O: `{"prompt_tokens":70}`, A: `{"input_tokens":70}`, G: `{"promptTokenCount":70}`},
}

// guessed are those that Stele has to make up for.
var guessed = map[string]bool{"nothing": true, "zeros": true, "no prompt": true, "no answer": true}

// tallied is an upstream's answer that counts so, whole and streamed.
func tallied(to, usage string) forms {
	words := strings.Repeat("word ", 8)
	with := func(body, name string) string {
		if usage == "" {
			return body
		}
		return strings.TrimSuffix(body, "}") + `,"` + name + `":` + usage + `}`
	}
	switch to {
	case O:
		chunks := chunksO("stop", `{"content":"`+words+`"}`)
		last := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":`
		at := strings.Index(chunks, last)
		if usage == "" {
			chunks = chunks[:at] + "data: [DONE]\n\n"
		} else {
			chunks = chunks[:at] + last + usage + "}\n\ndata: [DONE]\n\n"
		}
		return forms{with(endO("stop", `"content":"`+words+`"`), "usage"), chunks}
	case A:
		stream := messageA(textA(0, words), "end_turn")
		begins, ends := `,"usage":{"input_tokens":5,"output_tokens":1}`, `,"usage":{"output_tokens":9}`
		if usage == "" {
			return forms{strings.Replace(wholeA("end_turn", `{"type":"text","text":"`+words+`"}`), `,"usage":{"input_tokens":5,"output_tokens":9}`, "", 1), strings.Replace(strings.Replace(stream, begins, "", 1), ends, "", 1)}
		}
		return forms{strings.Replace(wholeA("end_turn", `{"type":"text","text":"`+words+`"}`), `{"input_tokens":5,"output_tokens":9}`, usage, 1), strings.Replace(strings.Replace(stream, begins, "", 1), ends, `,"usage":`+usage, 1)}
	}
	body := with(partsG(`{"text":"`+words+`"}`, `,"finishReason":"STOP"`), "usageMetadata")
	return forms{body, sse(partsG(`{"text":"`+words[:20]+`"}`, ""), with(partsG(`{"text":"`+words[20:]+`"}`, `,"finishReason":"STOP"`), "usageMetadata"))}
}

// usageFor is what a client reads of its answer's usage, as its own dialect counts.
func usageFor(t *testing.T, l *landed) (u chat.Usage) {
	t.Helper()
	codec := codecOf(l.trip.from)
	if !l.trip.stream {
		r, err := codec.DecodeReply([]byte(l.body))
		if err != nil {
			t.Fatal(err)
		}
		return r.Usage
	}
	decoder, frames := codec.NewDecoder(false), wire.NewSSE(strings.NewReader(l.body), 1<<20)
	for {
		frame, err := frames.Next()
		if errors.Is(err, io.EOF) {
			return u
		}
		if err != nil {
			t.Fatal(err)
		}
		events, err := decoder.Decode(nil, frame)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if events[i].Usage != (chat.Usage{}) {
				u = events[i].Usage
			}
		}
	}
}

// inWordsOf is as much of a record as a dialect can say of it.
func inWordsOf(from string, r meter.Record) string {
	switch from {
	case A: // which has no sounds and pictures apart
		r.Extra = ""
	case O: // which does not say for how long a cache keeps what was written
		r.CacheWrite1h = 0
	case G: // which does not say what was written
		r.Input, r.CacheWrite, r.CacheWrite1h = r.Input+r.CacheWrite, 0, 0
	}
	return fmt.Sprint(r.Input, r.CacheRead, r.CacheWrite, r.CacheWrite1h, r.Output, r.Reasoning, r.Extra)
}

// counting is a request whose answer's usage the client wants to read.
func counting(from string, streamed bool) string {
	ask := plainly(from, streamed)
	if from == O && streamed {
		ask = strings.Replace(ask, "{", `{"stream_options":{"include_usage":true},`, 1)
	}
	return ask
}

var hardBooked = section{"AM", "usage as it is told, and as it is booked", []hard{
	{number: 1139, name: "what a client is told that it used is what is booked, in all pairs", answer: "what the upstream did not count is told as it is booked, by estimate", run: func(t *testing.T) {
		for _, from := range []string{O, A, G} {
			for _, to := range []string{O, A, G} {
				for what, counts := range tallies {
					usage, has := counts[to]
					if !has || from == to && guessed[what] { // what passes through is the upstream's word
						continue
					}
					answer := tallied(to, usage)
					for _, row := range []struct {
						form, answer string
						streamed     bool
					}{{"whole", answer.whole, false}, {"streamed", answer.stream, true}, {"a stream for a whole one", answer.stream, false}, {"a whole one for a stream", answer.whole, true}} {
						l := take(t, trip{from: from, to: to, stream: row.streamed, ask: counting(from, row.streamed), answers: []string{row.answer}})
						var told meter.Record
						told.Count(usageFor(t, l))
						name := fmt.Sprintf("%s from %s, %s, %s", from, to, what, row.form)
						is(t, name, inWordsOf(from, told), inWordsOf(from, l.booked))
						if !guessed[what] {
							is(t, name+", all", tokensOf(&l.booked), [3]int64{70, 30, 0})
						}
						if n := tokensOf(&l.booked); n[0] == 0 || n[1] == 0 {
							t.Errorf("%s is booked as %v", name, n)
						}
					}
				}
			}
		}
	}},
	{number: 1140, name: "a stream that is cut at a stop sequence of ours", run: func(t *testing.T) {
		asks := map[string]string{
			O: `{"model":"m","stream":true,"stream_options":{"include_usage":true},"stop":["\n\n"],"messages":[{"role":"user","content":"go"}]}`,
			G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"stopSequences":["\n\n"]}}`,
		}
		for from, ask := range asks { // Claude takes no stop sequences of white space
			l := take(t, trip{from: from, to: A, stream: true, ask: ask, answers: []string{messageA(textA(0, "one", "\n\ntwo"), "end_turn")}})
			var told meter.Record
			told.Count(usageFor(t, l))
			is(t, from, inWordsOf(from, told), inWordsOf(from, l.booked))
			is(t, from+" is cut", strings.Contains(l.body, "two"), false)
		}
		xai := take(t, trip{from: A, to: O, kind: "xai", stream: true, ask: `{"model":"m","max_tokens":9,"stream":true,"stop_sequences":["END"],"messages":[{"role":"user","content":"go"}]}`, answers: []string{chunksO("stop", `{"content":"one"}`, `{"content":" END two"}`)}})
		var told meter.Record
		told.Count(usageFor(t, xai))
		is(t, "xAI's", inWordsOf(A, told), inWordsOf(A, xai.booked))
	}},
	{number: 1141, name: "usage of an answer that was paused", run: func(t *testing.T) {
		paused(t, []string{"so"}, []string{"on"}, func(what string, l *landed) {
			if l.failure != nil {
				t.Fatal(what, l.failure)
			}
			is(t, what, tokensOf(&l.booked), [3]int64{10, 18, 0})
			if l.trip.from == O && l.trip.stream {
				return // it did not ask
			}
			var told meter.Record
			told.Count(usageFor(t, l))
			is(t, what+", told", inWordsOf(l.trip.from, told), inWordsOf(l.trip.from, l.booked))
		})
	}},
}}
