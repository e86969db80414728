package provider

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/internal/fault"
)

// openVertex opens a kind at Google's cloud with a service account.
func openVertex(t *testing.T, kind string, server *cloud, house *tokenHouse) *Chat {
	t.Helper()
	return open(t, kind, server.URL, "", map[string]string{"region": "us-east5", "service_account": house.credentials()}, server.Client())
}

func TestVertexServesGemini(t *testing.T) {
	t.Parallel()
	server := newCloud(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: "+geminiAnswer+"\r\n\r\n")
			return
		}
		jsonAnswer(geminiAnswer)(w, r)
	})
	house := newTokenHouse(t)
	c := openVertex(t, "vertex", server, house)
	const path = "/v1/projects/proj-4711/locations/us-east5/publishers/google/models/gemini-3-pro"
	for from, body := range map[string]string{"gemini": askGemini, "anthropic": askAnthropic} {
		for _, streamed := range []bool{false, true} {
			want := path + ":generateContent"
			if streamed {
				body = strings.TrimSuffix(body, "}") + `,"stream":true}`
				want = path + ":streamGenerateContent?alt=sse"
			}
			reply, err := ask(t, c, from, "gemini-3-pro", body, nil)
			if err != nil {
				t.Fatal(err)
			}
			if reply.Passed && !streamed {
				if string(reply.Raw) != geminiAnswer {
					t.Errorf("%s", reply.Raw)
				}
			} else if text, err := said(t, reply); !reply.Passed && text != "hello" || err != nil {
				t.Errorf("%s: %q %v", from, text, err)
			}
			uri, head, _ := server.asked()
			if uri != want || head.Get("Authorization") != "Bearer ya29.good" || head.Get("X-Goog-Api-Key") != "" {
				t.Errorf("%s %v", uri, head)
			}
		}
	}
	if n := house.given.Load(); n != 1 {
		t.Errorf("%d tokens were fetched", n)
	}
}

func TestGeminiBeforeThreeIsNotToldIDsOfCallsAtVertex(t *testing.T) {
	t.Parallel()
	server := newCloud(t, jsonAnswer(geminiAnswer))
	c := openVertex(t, "vertex", server, newTokenHouse(t))
	const contents = `{"contents": [{"role":"user","parts":[{"text":"go"}]},` +
		`{"role":"model","parts":[{"functionCall": {"id":"c1", "name":"f","args":{"id":"kept"}}}]},` +
		`{"role":"user","parts":[{"function_response":{"name":"f","response":{"id":"kept"},"id":"c1"}}]}]}`
	const want = `{"contents": [{"role":"user","parts":[{"text":"go"}]},` +
		`{"role":"model","parts":[{"functionCall": {"name":"f","args":{"id":"kept"}}}]},` +
		`{"role":"user","parts":[{"function_response":{"name":"f","response":{"id":"kept"}}}]}]}`
	reply, err := ask(t, c, "gemini", "gemini-2.5-pro", contents, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, body := server.asked(); body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if len(reply.Dropped) != 0 {
		t.Error(reply.Dropped)
	}
}

// TestVertexIsToldTheTierInAHeader has clients ask for tiers: the body has none, and what served is booked.
func TestVertexIsToldTheTierInAHeader(t *testing.T) {
	t.Parallel()
	const served = `{"candidates":[{"content":{"role":"model","parts":[{"text":"hello"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":1,"totalTokenCount":4,"trafficType":"ON_DEMAND_FLEX"}}`
	server := newCloud(t, jsonAnswer(served))
	c := openVertex(t, "vertex", server, newTokenHouse(t))
	for _, row := range []struct{ from, member, want string }{
		{"gemini", `"serviceTier":"flex"`, "flex"}, {"gemini", `"service_tier":"SERVICE_TIER_PRIORITY"`, "priority"}, {"gemini", `"serviceTier":"standard"`, ""}, {"gemini", `"serviceTier":"gold"`, ""},
		{"openai", `"service_tier":"flex"`, "flex"}, {"openai", `"service_tier":"priority"`, "priority"}, {"openai", `"service_tier":"default"`, ""},
	} {
		body := map[string]string{
			"gemini": `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],`, "openai": `{"model":"m","messages":[{"role":"user","content":"hi"}],`,
		}[row.from] + row.member + `}`
		reply, err := ask(t, c, row.from, "gemini-3-pro", body, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, head, sent := server.asked()
		if got := head.Get(vertexTier); got != row.want || strings.Contains(strings.ToLower(sent), "tier") {
			t.Errorf("%s: %q %s", row.member, got, sent)
		}
		if told := len(reply.Dropped) > 0; told != strings.Contains(row.member, "gold") {
			t.Errorf("%s: %v", row.member, reply.Dropped)
		}
		if tier := reply.Whole.Usage.Tier; !reply.Passed && tier != "flex" {
			t.Errorf("%s: served as %q", row.member, tier)
		}
	}
}

func TestVertexServesClaude(t *testing.T) {
	t.Parallel()
	server := newCloud(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ":streamRawPredict") {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			for _, event := range claudeEvents {
				_, _ = io.WriteString(w, "event: "+event.name+"\ndata: "+event.data+"\n\n")
			}
			return
		}
		jsonAnswer(anthropicAnswer)(w, r)
	})
	c := openVertex(t, "vertex-claude", server, newTokenHouse(t))
	const path = "/v1/projects/proj-4711/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929"
	header := http.Header{"Anthropic-Version": {"2026-10-21"}, "Anthropic-Beta": {"a,b"}}

	if _, err := ask(t, c, "anthropic", "claude-sonnet-4-5@20250929", askAnthropic, header); err != nil {
		t.Fatal(err)
	}
	uri, head, body := server.asked()
	if uri != path+":rawPredict" || head.Get("Anthropic-Version") != "" || head.Get("Anthropic-Beta") != "a,b" {
		t.Errorf("%s %v", uri, head)
	}
	if want := `{"max_tokens":10, "messages":[{"role":"user","content":"hi"}],"anthropic_version":"vertex-2023-10-16"}`; body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}

	reply, err := ask(t, c, "openai", "claude-sonnet-4-5@20250929", strings.TrimSuffix(askOpenAI, "}")+`,"stream":true}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := said(t, reply); text != "hello" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	uri, _, body = server.asked()
	if uri != path+":streamRawPredict" || strings.Contains(body, `"model"`) || !strings.Contains(body, `"stream":true`) {
		t.Errorf("%s %s", uri, body)
	}
}

func TestVertexsRefusalsAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind   string
		status int
		body   string
		code   fault.Code
	}{
		{"vertex-claude", 404, "[{\"error\":{\"code\":404,\"message\":\"Publisher Model `projects/proj-4711/x` was not found\",\"status\":\"NOT_FOUND\"}}]", fault.ModelNotFound},
		{"vertex", 404, `{"error":{"code":404,"message":"no","status":"NOT_FOUND"}}`, fault.ModelNotFound},
		{"vertex-claude", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: required"}}`, fault.InvalidParameter},
		{"vertex-claude", 400, `[{"error":{"code":400,"message":"model of proj-4711 is not servable","status":"FAILED_PRECONDITION"}}]`, fault.InvalidParameter},
		{"vertex-claude", 429, `{"error":{"code":429,"message":"Quota of proj-4711 exceeded","status":"RESOURCE_EXHAUSTED"}}`, fault.RateLimited},
		{"vertex-claude", 401, `{"error":{"code":401,"message":"bad","status":"UNAUTHENTICATED"}}`, fault.UpstreamError},
		{"vertex-claude", 503, `<html>`, fault.Unavailable},
		{"vertex-claude", 404, ``, fault.UpstreamError},
	} {
		server := newCloud(t, refusal(test.status, "", test.body))
		c := openVertex(t, test.kind, server, newTokenHouse(t))
		body := askAnthropic
		if test.kind == "vertex" {
			body = askGemini
		}
		_, err := ask(t, c, c.Dialect(), "m", body, nil)
		if e := failure(t, err); e.Code != test.code || strings.Contains(e.Message, "4711") {
			t.Errorf("%d %s: %v", test.status, test.body, e)
		}
	}
}

func TestATokenThatIsNotBelievedIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	server := newCloud(t, refusal(401, "", `{"error":{"code":401,"status":"UNAUTHENTICATED"}}`))
	house := newTokenHouse(t)
	c := openVertex(t, "vertex", server, house)
	for range 2 {
		_, err := ask(t, c, "gemini", "m", askGemini, nil)
		if e := failure(t, err); !e.Credentials {
			t.Error(e)
		}
	}
	if n := house.given.Load(); n != 2 {
		t.Errorf("%d tokens were fetched", n)
	}
}
