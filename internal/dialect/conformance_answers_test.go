package dialect_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// spoken is an answer of an upstream that has one feature.
type spoken struct {
	name   string
	answer string
}

// endO is OpenAI's answer with a finish_reason and a message.
func endO(finish, message string) string {
	return `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant",` + message + `},"finish_reason":"` + finish + `"}]}`
}

func endA(stop string, more ...string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"hi"}],"stop_reason":"` + stop + `","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}` + strings.Join(more, "") + `}`
}

func endG(finish, parts string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]},"finishReason":"` + finish + `"}]}`
}

const calling = `{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}`

// endings are the reasons of each upstream for ending an answer.
var endings = map[string][]spoken{
	O: {
		{"stop", endO("stop", `"content":"hi"`)},
		{"length", endO("length", `"content":"hi"`)},
		{"tool_calls", endO("tool_calls", `"content":null,"tool_calls":[`+calling+`]`)},
		{"stop, with calls", endO("stop", `"content":null,"tool_calls":[`+calling+`]`)},
		{"content_filter", endO("content_filter", `"content":"hi"`)},
		{"stop, with a refusal", endO("stop", `"content":null,"refusal":"no"`)},
		{"a word that nobody knows", endO("zzz", `"content":"hi"`)},
	},
	A: {
		{"end_turn", endA("end_turn")},
		{"stop_sequence", endA("stop_sequence")},
		{"max_tokens", endA("max_tokens")},
		{"model_context_window_exceeded", endA("model_context_window_exceeded")},
		{"tool_use", wholeA("tool_use", `{"type":"tool_use","id":"t","name":"f","input":{}}`)},
		{"refusal", endA("refusal", `,"stop_details":{"type":"refusal","category":"cyber","explanation":"no"}`)},
		{"pause_turn, again and again", endA("pause_turn")},
		{"a word that nobody knows", endA("zzz")},
	},
	G: {
		{"STOP", endG("STOP", `{"text":"hi"}`)},
		{"STOP, with a call", endG("STOP", `{"functionCall":{"name":"f","args":{}}}`)},
		{"MAX_TOKENS", endG("MAX_TOKENS", `{"text":"hi"}`)},
		{"SAFETY", endG("SAFETY", `{"text":"hi"}`)},
		{"RECITATION", endG("RECITATION", `{"text":"hi"}`)},
		{"PROHIBITED_CONTENT", endG("PROHIBITED_CONTENT", `{"text":"hi"}`)},
		{"OTHER, with text", endG("OTHER", `{"text":"hi"}`)},
		{"OTHER, with nothing", endG("OTHER", ``)},
		{"MALFORMED_FUNCTION_CALL, with nothing", endG("MALFORMED_FUNCTION_CALL", ``)},
		{"CONTINUATION, again and again", strings.Replace(endG("CONTINUATION", `{"text":"hi"}`), `"finishReason"`, `"continuationToken":"t","finishReason"`, 1)},
		{"a prompt that was blocked", `{"promptFeedback":{"blockReason":"SAFETY"}}`},
	},
}

// finishAt is where a client finds why an answer ended.
var finishAt = map[string]string{O: "choices.0.finish_reason", A: "stop_reason", G: "candidates.0.finishReason"}

// wishes ask for thoughts, so that they are shown.
var wishes = map[string]string{
	O: withO(`"reasoning_effort":"high"`), A: thinksA(""),
	G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`,
}

// contents are what an answer may hold besides words.
var contents = map[string][]spoken{
	O: {
		{"thoughts (reasoning_content)", endO("stop", `"content":"hi","reasoning_content":"hm"`)},
		{"a refusal", endO("stop", `"content":null,"refusal":"no"`)},
		{"citations", endO("stop", `"content":"hi","annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":2,"title":"T","url":"https://a.example/"}}]`)},
		{"log-probabilities", ratedHi[O]},
		{"sound", endO("stop", `"content":null,"audio":{"id":"a","data":"`+wav+`","expires_at":1,"transcript":"hi"}`)},
		{"how a filter rated it", strings.Replace(endO("stop", `"content":"hi"`), `"finish_reason"`, `"content_filter_results":{"hate":{"severity":"safe"}},"finish_reason"`, 1)},
	},
	A: {
		{"thoughts with a signature", wholeA("end_turn", `{"type":"thinking","thinking":"hm","signature":"c2ln"}`, `{"type":"text","text":"hi"}`)},
		{"redacted thoughts", wholeA("end_turn", `{"type":"redacted_thinking","data":"c2ln"}`, `{"type":"text","text":"hi"}`)},
		{"citations of a search", wholeA("end_turn", `{"type":"text","text":"hi","citations":[{"type":"web_search_result_location","url":"https://a.example/","title":"T","cited_text":"q"}]}`)},
		{"citations of a document", wholeA("end_turn", `{"type":"text","text":"hi","citations":[{"type":"char_location","document_index":0,"document_title":"T","cited_text":"q","start_char_index":0,"end_char_index":1}]}`)},
		{"the stop sequence at which it ended", stoppedA("END").whole},
		{"the container in which its tools ran", strings.Replace(hi[A], `"role"`, `"container":{"id":"c"},"role"`, 1)},
	},
	G: {
		{"thoughts with a signature", wholeG(`{"text":"hm","thought":true,"thoughtSignature":"`+googles1+`"}`, `{"text":"hi"}`)},
		{"a call with a signature", wholeG(`{"functionCall":{"name":"f","args":{}},"thoughtSignature":"` + googles1 + `"}`)},
		{"grounding", strings.Replace(wholeG(`{"text":"hi"}`), `"finishReason"`, `"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://a.example/","title":"T"}}],"groundingSupports":[{"segment":{"endIndex":2,"text":"hi"},"groundingChunkIndices":[0]}]},"finishReason"`, 1)},
		{"a picture", wholeG(`{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`)},
		{"sound", wholeG(`{"inlineData":{"mimeType":"audio/wav","data":"` + wav + `"}}`)},
		{"how a filter rated it", besideG(`,"safetyRatings":[{"category":"C","probability":"LOW"}]`, "").whole},
	},
}

// places are where the clients of a dialect may find such things.
var places = map[string][]string{
	O: {
		"choices.0.message.reasoning_content", "choices.0.message.reasoning_details.#.signature", "choices.0.message.reasoning_details.#.data",
		"choices.0.message.tool_calls.#.extra_content.google.thought_signature", "choices.0.message.refusal", "choices.0.message.annotations.#.url_citation",
		"choices.0.logprobs.content", "choices.0.message.audio.data", "choices.0.message.images.#.image_url", "choices.0.message.content",
	},
	A: {"content.#.thinking", "content.#.signature", "content.#.data", "content.#.citations", "content.#.text"},
	G: {
		"candidates.0.content.parts.#.thought", "candidates.0.content.parts.#.thoughtSignature", "candidates.0.citationMetadata.citationSources",
		"candidates.0.groundingMetadata.groundingChunks", "candidates.0.logprobsResult.chosenCandidates", "candidates.0.content.parts.#.inlineData",
		"candidates.0.content.parts.#.text",
	},
}

// usages are one and the same usage in each upstream's words.
var usages = map[string]string{
	O: usedO(`{"prompt_tokens":18512,"prompt_tokens_details":{"cached_tokens":18000,"cache_write_tokens":500},"completion_tokens":900,"completion_tokens_details":{"reasoning_tokens":640},"total_tokens":19412}`),
	A: usedA(`{"input_tokens":12,"cache_read_input_tokens":18000,"cache_creation_input_tokens":500,"output_tokens":900,"output_tokens_details":{"thinking_tokens":640}}`),
	G: `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":18512,"cachedContentTokenCount":18000,"candidatesTokenCount":260,"thoughtsTokenCount":640,"totalTokenCount":19412}}`,
}

var counters = map[string][]string{
	O: {"prompt_tokens", "prompt_tokens_details.cached_tokens", "prompt_tokens_details.cache_write_tokens", "completion_tokens", "completion_tokens_details.reasoning_tokens", "total_tokens"},
	A: {"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens", "output_tokens_details.thinking_tokens"},
	G: {"promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"},
}

func answerTables(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, to := range []string{O, A, G} {
		over := others(to)
		fmt.Fprintf(&b, "\n## Answers of an upstream that speaks %s\n\n| why it ended | a client of %s sees | a client of %s sees |\n|---|---|---|\n", titles[to], titles[over[0]], titles[over[1]])
		for _, s := range endings[to] {
			fmt.Fprintf(&b, "| %s |", s.name)
			for _, from := range over {
				l := try(t, trip{from: from, to: to, ask: plain[from], answers: []string{s.answer}})
				if l.failure != nil {
					fmt.Fprintf(&b, " error %d |", l.status)
					continue
				}
				fmt.Fprintf(&b, " %s |", gjson.Get(l.body, finishAt[from]).Str)
			}
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "\n| what it holds | a client of %s finds it in | a client of %s finds it in |\n|---|---|---|\n", titles[over[0]], titles[over[1]])
		for _, s := range contents[to] {
			fmt.Fprintf(&b, "| %s |", s.name)
			for _, from := range over {
				fmt.Fprintf(&b, " %s |", whereFound(take(t, trip{from: from, to: to, ask: wishes[from], answers: []string{s.answer}})))
			}
			b.WriteString("\n")
		}
		b.WriteString("| usage |")
		for _, from := range over {
			fmt.Fprintf(&b, " %s |", counted(take(t, trip{from: from, to: to, ask: plain[from], answers: []string{usages[to]}})))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// whereFound lists the places of a client's answer that hold something.
func whereFound(l *landed) string {
	var list []string
	root := gjson.Parse(l.body)
	for _, place := range places[l.trip.from] {
		v := root.Get(place)
		filled := v.Exists() && v.Type != gjson.Null && v.Raw != `""`
		if v.IsArray() {
			filled = false
			for _, item := range v.Array() {
				filled = filled || item.Type != gjson.Null && item.Raw != `""` && item.Raw != `[]`
			}
		}
		if filled {
			short := strings.NewReplacer("choices.0.message.", "", "choices.0.", "", "candidates.0.content.", "", "candidates.0.", "", ".#", "[]").Replace(place)
			list = append(list, "`"+short+"`")
		}
	}
	var lost []chat.Loss
	for _, loss := range l.losses {
		if loss.Field == chat.FieldAnswer {
			lost = append(lost, loss)
		}
	}
	if len(lost) > 0 {
		list = append(list, lossWords(lost))
	}
	return strings.Join(list, ", ")
}

// counted is a usage in a client's own words.
func counted(l *landed) string {
	var list []string
	for _, name := range counters[l.trip.from] {
		v := gjson.Get(l.body, "usage."+name)
		if l.trip.from == G {
			v = gjson.Get(l.body, "usageMetadata."+name)
		}
		list = append(list, fmt.Sprintf("%s %d", name[strings.LastIndexByte(name, '.')+1:], v.Int()))
	}
	return strings.Join(list, ", ")
}

// errorTable is what clients see of upstreams' errors.
func errorTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n## Errors of upstreams, in the client's words\n\n| the upstream answers | OpenAI | Anthropic | Gemini |\n|---|---|---|---|\n")
	for _, e := range []struct {
		name, to, body string
		status         int
	}{
		{"400, a bad request", A, `{"type":"error","error":{"type":"invalid_request_error","message":"x"}}`, 400},
		{"400, the conversation is too long", A, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}`, 400},
		{"401, 403: the operator's key is bad", O, `{"error":{"message":"bad key","code":"invalid_api_key"}}`, 401},
		{"403, it does not take what the request says", O, `{"error":"Content violates usage guidelines."}`, 403},
		{"404, no such model; 403, the account does not have it", O, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`, 404},
		{"413, too large", A, `{"type":"error","error":{"type":"request_too_large","message":"x"}}`, 413},
		{"429, too many requests", G, `{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}`, 429},
		{"429, the operator's quota is gone", O, `{"error":{"message":"x","code":"insufficient_quota"}}`, 429},
		{"500, or a page of a proxy", O, `<html>`, 500},
		{"503, 529: overloaded", A, `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, 529},
		{"504, too slow", G, `{"error":{"code":504,"message":"x","status":"DEADLINE_EXCEEDED"}}`, http.StatusGatewayTimeout},
	} {
		fmt.Fprintf(&b, "| %s |", e.name)
		for _, from := range []string{O, A, G} {
			l := try(t, trip{from: from, to: e.to, ask: plain[from], status: e.status, answers: []string{e.body}})
			word := gjson.Get(l.body, "error.status").Str
			switch from {
			case O:
				word = gjson.Get(l.body, "error.type").Str + " / " + gjson.Get(l.body, "error.code").Str
			case A:
				word = gjson.Get(l.body, "error.type").Str
			}
			fmt.Fprintf(&b, " %d %s |", l.status, word)
		}
		b.WriteString("\n")
	}
	return b.String()
}
