package bridge_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// trailing asks for a stream and reads it to its end: its events, and what its trailer says was lost.
func trailing(t *testing.T, at, body string) (events, dropped string) {
	t.Helper()
	answer, err := http.Post(at, "application/json", strings.NewReader(body)) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	dropped, err = url.QueryUnescape(answer.Trailer.Get("X-Stele-Dropped"))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw), dropped
}

// TestHard1535NothingOfAnAnswerIsLostInSilence has answers that hold what the Responses API has no item for.
func TestHard1535NothingOfAnAnswerIsLostInSilence(t *testing.T) {
	t.Parallel()
	const call = `"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]`
	source := func(at string) string {
		return `"annotations":[{"type":"url_citation","url_citation":{` + at + `"url":"https://a.example","title":"A"}}]`
	}
	counted := `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"server_tool_use":{"web_search_requests":3}}}`
	moderated := `{"id":"c","choices":[],"moderation":{"input":{"type":"moderation_results","model":"o","results":[{"type":"moderation_result","model":"o","flagged":false}]},"output":{"type":"error","code":"x","message":"y"}}}`
	for name, c := range map[string]struct {
		stream, told string
		want         map[string]string // of the response
	}{
		"a sound and its words": {
			chunks("stop", `"audio":{"id":"au","transcript":"he"}`, `"audio":{"transcript":"llo","data":"UklGRg=="}`), "answer; approximated; a sound as its words",
			map[string]string{"output.#.content.0.text": `["hello"]`},
		},
		"a sound alone":               {chunks("stop", `"audio":{"id":"au","data":"UklGRg=="}`), "answer; dropped; a sound", map[string]string{"output": "[]"}},
		"a member that nobody knows":  {chunks("stop", `"content":"a","weather":"fine"`), "answer; dropped; weather", nil},
		"an end that nobody knows":    {chunks("eos_reached", `"content":"a"`), "answer; approximated; it ended with eos_reached", map[string]string{"status": `"completed"`}},
		"no reason for the end":       {chunks("", `"content":"a"`), "answer; approximated; the model's provider did not say why it stopped", nil},
		"sources behind a call":       {chunks("tool_calls", `"content":"abc"`, call, source(`"start_index":0,"end_index":3,`)), "answer; dropped; 1 sources of words that are told already", nil},
		"a source without address":    {chunks("stop", `"content":"a"`, `"annotations":[{"type":"file_citation","file_id":"f","filename":"a.pdf","index":0}]`), "answer; dropped; 1 sources that have no address", map[string]string{"output.0.content.0.annotations": "[]"}},
		"searches of the provider":    {chunks("stop", `"content":"a"`, counted), "", map[string]string{"tool_usage.web_search": `{"num_requests":3}`, "usage.total_tokens": "2"}},
		"a tier of another's":         {chunks("stop", `{"service_tier":"on_demand","choices":[{"index":0,"delta":{"content":"a"}}]}`), "answer; ignored; service_tier on_demand", map[string]string{"service_tier": `"default"`}},
		"the usual tier of another's": {chunks("stop", `{"service_tier":"standard","choices":[{"index":0,"delta":{"content":"a"}}]}`), "", map[string]string{"service_tier": `"default"`}},
		"a moderation":                {chunks("stop", `"content":"a"`, moderated), "", map[string]string{"moderation.input": `{"type":"moderation_result","model":"o","flagged":false}`, "moderation.output.type": `"error"`}},
		"sources of all that is said": {
			chunks("stop", `"content":"ab"`, call, `"content":"cde"`, `{"choices":[{"index":0,"delta":{}}],"citations":["https://a.example"]}`), "",
			map[string]string{"output.2.content.0.annotations": `[{"type":"url_citation","start_index":0,"end_index":3,"url":"https://a.example","title":""}]`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := newBridge(t, newServer(t, c.stream)).URL + "/v1/responses"
			const ask = `"model":"m","input":"x","tools":[{"type":"function","name":"f"}]}`
			events, told := trailing(t, at, `{"stream":true,`+ask)
			last := lawful(t, events)
			if told != c.told {
				t.Errorf("streamed: told %q", told)
			}
			_, head, whole := post(t, at, `{`+ask)
			if early, _ := url.QueryUnescape(head.Get("X-Stele-Dropped")); early != c.told {
				t.Errorf("whole: told %q", early)
			}
			for path, want := range c.want {
				if got, again := last.Get(path).Raw, gjson.Get(whole, path).Raw; got != want || again != want {
					t.Errorf("%s is %s and %s, want %s", path, got, again, want)
				}
			}
			// In the background the response says it itself, together with what the server says.
			_, _, body := post(t, at, `{"background":true,"stream":true,`+ask)
			if late, _ := url.QueryUnescape(lawful(t, body).Get("stele_dropped").Str); late != c.told {
				t.Errorf("in the background: told %q", late)
			}
		})
	}
}

// TestWhatTheServerDroppedIsToldInTheBackground asks for a response that has no answer to say it in.
func TestWhatTheServerDroppedIsToldInTheBackground(t *testing.T) {
	t.Parallel()
	s := newServer(t, spoken)
	s.early, s.late = "top_k; dropped", "top_k; dropped, answer; ignored; x"
	_, _, body := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","input":"x","background":true,"stream":true}`)
	if told := lawful(t, body).Get("stele_dropped").Str; told != s.late {
		t.Errorf("told %q", told)
	}
}

// TestHard1536ErrorsHaveCodesOfTheResponsesAPI has libraries with closed types read them, and Codex what it does not try again.
func TestHard1536ErrorsHaveCodesOfTheResponsesAPI(t *testing.T) {
	t.Parallel()
	for told, want := range map[string]string{
		"upstream_error": "server_error", "upstream_timeout": "server_error", "unavailable": "server_error", "anything": "server_error",
		"rate_limit_exceeded": "rate_limit_exceeded", "rate_limited": "rate_limit_exceeded", "concurrency_limit": "rate_limit_exceeded",
		"content_policy_violation": "invalid_prompt", "invalid_parameter": "invalid_prompt", "model_not_found": "invalid_prompt", "strict_mode": "invalid_prompt",
		"context_length_exceeded": "context_length_exceeded", "insufficient_quota": "insufficient_quota", "usage_not_included": "usage_not_included",
		"cyber_policy": "cyber_policy", "server_is_overloaded": "server_is_overloaded", "slow_down": "slow_down", "invalid_image_url": "invalid_image_url",
	} {
		s := newServer(t, chunks("", `"content":"We"`, `{"error":{"message":"No.","type":"some_error","code":"`+told+`"}}`))
		_, _, events := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","input":"x","stream":true}`)
		failed := lawful(t, events).Get("error")
		if failed.Get("code").Str != want || failed.Get("message").Str != "No." || failed.Get("type").Str != "some_error" {
			t.Errorf("%s: %s", told, failed.Raw)
		}
		if reason := failed.Get("reason").Str; told != want && reason != told || told == want && reason != "" {
			t.Errorf("%s: the reason is %q", told, reason)
		}
		if !strings.Contains(events, `"code":"`+told+`"`) {
			t.Errorf("%s: no event says it", told)
		}
	}
}

// TestHard1537CodexWaitsForALimit tells Codex in the stream how long a limit lasts: of a 429 it thinks that nothing helps
// (openai/codex#30471, BigPizzaV3/CodexPlusPlus#1224).
func TestHard1537CodexWaitsForALimit(t *testing.T) {
	t.Parallel()
	const limited, spent = `{"error":{"message":"Slow down.","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}`, `{"error":{"message":"Spent.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`
	for _, row := range []struct {
		client, wait, lasting, answer string
		stream, told                  bool
	}{
		{"codex_exec", "7", "", limited, true, true},
		{"codex_exec", "7", "", limited, false, false},
		{"codex_exec", "7", "false", limited, true, false},
		{"codex_exec", "", "", limited, true, false},
		{"codex_exec", "3600", "", limited, true, false},
		{"codex_exec", "", "false", spent, true, false},
		{"", "7", "", limited, true, false},
	} {
		s := newServer(t, row.answer)
		s.status = http.StatusTooManyRequests
		s.say = func(h http.Header) {
			for name, value := range map[string]string{"Retry-After": row.wait, "X-Should-Retry": row.lasting} {
				if value != "" {
					h.Set(name, value)
				}
			}
		}
		body := `{"model":"m","input":"x"}`
		if row.stream {
			body = `{"model":"m","input":"x","stream":true}`
		}
		status, head, answer := ask(t, "POST", newBridge(t, s).URL+"/v1/responses", body, "Originator", row.client)
		if row.told {
			failed := lawful(t, answer).Get("error")
			if status != http.StatusOK || failed.Get("code").Str != "rate_limit_exceeded" || failed.Get("message").Str != "Slow down. Please try again in 7s." {
				t.Errorf("%+v: %d %s", row, status, answer)
			}
		} else if status != http.StatusTooManyRequests || answer != row.answer || head.Get("Retry-After") != row.wait {
			t.Errorf("%+v: %d %s", row, status, answer)
		}
	}
}

// TestCodexIsToldThatAnAnswerIsCutOff ends for Codex with what it does not try again: it takes response.incomplete for a stream that
// broke off, and asks five times more (openai/codex#38831, lidge-jun/opencodex#4312).
func TestCodexIsToldThatAnAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	for finish, want := range map[string]struct{ reason, told string }{
		"length": {"max_output_tokens", "The answer was cut off, because it is as long as an answer may be."}, "content_filter": {"content_policy_violation", "The model's provider kept the answer back."},
	} {
		at := newBridge(t, newServer(t, chunks(finish, `"content":"We"`, callOf(`"index":0,"id":"a",`+argsBegin)))).URL + "/v1/responses"
		const body = `{"model":"m","input":"x","stream":true,"tools":[{"type":"function","name":"f"}]}`
		_, _, events := ask(t, "POST", at, body, "Originator", "codex_cli_rs")
		last := lawful(t, events)
		if last.Get("status").Str != "failed" || last.Get("error.code").Str != "invalid_prompt" || last.Get("error.reason").Str != want.reason || last.Get("error.message").Str != want.told {
			t.Errorf("%s: %s", finish, last.Raw)
		}
		if done := strings.Count(events, "event: response.output_item.done"); done != 1 || last.Get("output.0.content.0.text").Str != "We" {
			t.Errorf("%s: %d items are done: %s", finish, done, events)
		}
		if _, _, events = ask(t, "POST", at, body, "Originator", "other"); lawful(t, events).Get("status").Str != "incomplete" {
			t.Errorf("%s: %s", finish, events)
		}
	}
}

// TestHard1538APageOfAProxyIsAnError has something before the server refuse, in words that are none of its own.
func TestHard1538APageOfAProxyIsAnError(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"<html><body>502 Bad Gateway</body></html>": "What stands before the Stele server answered with status 502: nothing that can be read.",
		"":                               "What stands before the Stele server answered with status 502: nothing that can be read.",
		`{"message":"No healthy host."}`: "What stands before the Stele server answered with status 502: No healthy host.",
		`"x"`:                            "What stands before the Stele server answered with status 502: nothing that can be read.",
	} {
		s := newServer(t, page)
		s.status = http.StatusBadGateway
		at := newBridge(t, s).URL + "/v1/responses"
		for _, stream := range []string{"true", "false"} {
			status, _, body := post(t, at, `{"model":"m","input":"x","stream":`+stream+`}`)
			if status != http.StatusBadGateway || gjson.Get(body, "error.message").Str != want || gjson.Get(body, "error.code").Str != "upstream_error" {
				t.Errorf("%q: %d %s", page, status, body)
			}
		}
		_, _, body := post(t, at, `{"model":"m","input":"x","background":true,"stream":true}`)
		if got := lawful(t, body).Get("error.message").Str; got != want {
			t.Errorf("%q in the background: %s", page, got)
		}
		if status, _, body := post(t, at+"/compact", `{"model":"m","input":"x"}`); status != http.StatusBadGateway || gjson.Get(body, "error.message").Str != want {
			t.Errorf("%q, a summary: %d %s", page, status, body)
		}
	}
}
