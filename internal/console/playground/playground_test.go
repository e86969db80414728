package playground_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/console/consoletest"
)

func TestThePlaygroundStreamsAnAnswerAndWhatItTook(t *testing.T) {
	t.Parallel()
	h, kept := consoletest.OpenPlayground(t)
	res := h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Good morning"))
	consoletest.WantStatus(t, res, 200)
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %s", got)
	}
	list := consoletest.Events(t, consoletest.Body(t, res))
	consoletest.WantText(t, consoletest.Said(list, "text"), "Good morning")
	start, end := list[0], list[len(list)-1]
	if start.Type != "start" || start.Request != "req_test" || start.Served != "stele/sandbox" {
		t.Errorf("begins with %+v", start)
	}
	if end.Type != "end" || end.Reason != "end" || end.Usage.Input == 0 || end.Usage.Output == 0 || !strings.HasPrefix(end.Cost, "$0.0000") {
		t.Errorf("ends with %+v", end)
	}
	row := kept.Last(t)
	if row.Key != "" || row.Environment != "development" || row.Workspace != access.DefaultWorkspace || row.Dialect != console.Dialect ||
		row.Route != "POST "+consoletest.PlaygroundRun || row.Model != "team/priced" || row.Output != end.Usage.Output || row.Nano == 0 {
		t.Errorf("metered as %+v", row)
	}
}

func TestThoughtsCallsAndRefusalsAreToldApart(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenPlayground(t)
	list := consoletest.Events(t, consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Hello [[sandbox: think=7 text=Hi]]"))))
	if thoughts := consoletest.Said(list, "thinking"); len(strings.Fields(thoughts)) != 7 || consoletest.Said(list, "text") != "Hi" {
		t.Errorf("thought %q, said %q", thoughts, consoletest.Said(list, "text"))
	}
	list = consoletest.Events(t, consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Hello [[sandbox: refuse]]"))))
	if end := list[len(list)-1]; end.Reason != "refused" {
		t.Errorf("a refusal ends with %+v", end)
	}
}

func TestAToolRoundGoesOnWithItsThoughts(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenPlayground(t)
	const tools = `"reasoning_effort":"high","tools":[{"type":"function","function":{"name":"clock"}}]`
	question := `{"role":"user","content":"Look at the clock"}`
	list := consoletest.Events(t, consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, `{"model":"stele/sandbox","messages":[`+question+`],`+tools+`}`)))
	var call consoletest.Event
	for _, e := range list {
		if e.Type == "open" && e.Kind == "tool" {
			call = e
		}
	}
	if call.Name != "clock" || call.ID == "" || consoletest.Said(list, "thinking") == "" || list[len(list)-1].Reason != "tool" {
		t.Fatalf("got %+v", list)
	}
	// The sandbox refuses a loop whose thoughts are lost: the page does not send them.
	answered := `{"role":"assistant","tool_calls":[{"id":"` + call.ID + `","type":"function","function":{"name":"clock","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"` + call.ID + `","content":"It is noon"}`
	res := h.PostJSON(consoletest.PlaygroundRun, `{"model":"stele/sandbox","messages":[`+question+`,`+answered+`],`+tools+`}`)
	consoletest.WantText(t, consoletest.Said(consoletest.Events(t, consoletest.Body(t, res)), "text"), "It is noon")
}

func TestFailuresOfAModelAreShownForWhatTheyAre(t *testing.T) {
	t.Parallel()
	h, kept := consoletest.OpenPlayground(t)
	consoletest.WantCode(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Hello [[sandbox: error=429 retry_after=9]]")), 429, "rate_limited")
	if row := kept.Last(t); row.Code != "rate_limited" {
		t.Errorf("metered as %+v", row)
	}
	consoletest.WantCode(t, h.PostJSON(consoletest.PlaygroundRun, `{"model":"no/such","messages":[{"role":"user","content":"x"}]}`), 404, "model_not_found")
	kept.Last(t)
	consoletest.WantCode(t, h.PostJSON(consoletest.PlaygroundRun, `{"model":`), 400, "invalid_request_body")
	if row := kept.Last(t); row.Code != "invalid_request_body" || row.Dialect != console.Dialect {
		t.Errorf("metered as %+v", row)
	}
	list := consoletest.Events(t, consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Hello [[sandbox: error_after=3]]"))))
	if last := list[len(list)-1]; last.Type != "error" || last.Code != "unavailable" || last.Request != "req_test" || last.Message == "" {
		t.Errorf("in the middle: %+v", last)
	}
	list = consoletest.Events(t, consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Hello [[sandbox: cut=3]]"))))
	if last := list[len(list)-1]; last.Type != "error" || last.Code != "upstream_error" {
		t.Errorf("cut off: %+v", last)
	}
}

func TestTheConnectionLivesWhileTheModelIsSilent(t *testing.T) {
	t.Parallel()
	h, kept := consoletest.OpenPlayground(t)
	kept.Breath = 20 * time.Millisecond
	stream := consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Hello [[sandbox: delay=2s text=Hi]]")))
	if !strings.HasPrefix(stream, ": still here\n\n") || consoletest.Said(consoletest.Events(t, stream), "text") != "Hi" {
		t.Errorf("got %s", stream)
	}
	// Once it lives, a failure is an event.
	list := consoletest.Events(t, consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Hello [[sandbox: delay=2s error=500]]"))))
	if len(list) != 1 || list[0].Type != "error" || list[0].Code != "internal_error" {
		t.Errorf("got %+v", list)
	}
}

func TestWhoeverStopsReadingStopsTheModel(t *testing.T) {
	t.Parallel()
	h, kept := consoletest.OpenPlayground(t)
	server := httptest.NewServer(h.Serve)
	t.Cleanup(server.Close)
	h.Public, _ = url.Parse(server.URL)
	kept.Breath = 20 * time.Millisecond // something to read even where nothing is said
	for _, order := range []string{"gap=20ms words=10000", "silence_after=3", "silence"} {
		ctx, stop := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+consoletest.PlaygroundRun, strings.NewReader(consoletest.Hello("Hello [[sandbox: "+order+"]]")))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		consoletest.AddSession(r, h.Cookie)
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		stop()
		_ = res.Body.Close()
		if row := kept.Last(t); row.Status != 499 {
			t.Errorf("%s: metered as %+v", order, row)
		}
	}
}

func TestTheCodePanelSpeaksThreeDialects(t *testing.T) {
	t.Parallel()
	h, kept := consoletest.OpenPlayground(t)
	res := h.PostJSON("/console/playground/code", `{"model":"stele/sandbox","reasoning_effort":"high","stop":["END"],"messages":[
		{"role":"system","content":"Be brief."},{"role":"user","content":"It's <b>late</b>"}],
		"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}}}`)
	consoletest.WantStatus(t, res, 200)
	page := consoletest.Body(t, res)
	consoletest.WantText(t, page,
		"http://127.0.0.1:8080/api/v1/chat/completions", "http://127.0.0.1:8080/api/v1/messages", "/api/v1beta/models/stele/sandbox:streamGenerateContent?alt=sse",
		"$STELE_API_KEY", "anthropic-version: 2023-06-01", "reasoning_effort", "stop_sequences", "stopSequences", `It&#39;\&#39;&#39;s`,
		"Reasoning effort", "Output format")
	if strings.Contains(page, "<b>late") {
		t.Error("what was said is read as HTML")
	}
	select {
	case <-kept.Kept:
		t.Error("showing the code was metered")
	default:
	}
}

func TestThePlaygroundIsForMembersOfThisHouse(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenPlayground(t)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/playground?model=team/priced", consoletest.Browser)), `value="team/priced" selected`, "Playground", "playground.js")
	consoletest.WantCode(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("x"), consoletest.With("Sec-Fetch-Site", "cross-site")), 403, "permission_denied")
	consoletest.WantCode(t, h.PostJSON(consoletest.PlaygroundRun, `{"model":"m","messages":[{"role":"user","content":"`+strings.Repeat("x", 8<<20)+`"}]}`), 413, "body_too_large")
	session := h.Cookie
	h.Cookie = ""
	consoletest.WantCode(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("x"), consoletest.With("Authorization", "Bearer "+h.Key)), 401, "session_required")
	h.Cookie = session

	without := consoletest.OpenSignedIn(t)
	consoletest.WantCode(t, without.Get("/console/playground"), 404, "not_found")
	consoletest.WantCode(t, without.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("x")), 404, "not_found")
	if page := consoletest.Body(t, without.Get("/console/keys", consoletest.Browser)); strings.Contains(page, "/console/playground") {
		t.Error("a room that is not there is in the navigation")
	}
}

func TestAViewerMayNotPlay(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenPlayground(t)
	admin, err := h.Access.BySession(t.Context(), h.Cookie)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.Access.AddPerson(t.Context(), admin.Principal(), access.NewPerson{Email: "eyes@example.com", Role: access.Viewer, Password: consoletest.Password}); err != nil {
		t.Fatal(err)
	}
	if _, h.Cookie, err = h.Access.SignIn(t.Context(), "eyes@example.com", consoletest.Password, access.Browser{Remote: "192.0.2.9"}); err != nil {
		t.Fatal(err)
	}
	consoletest.WantCode(t, h.Get("/console/playground"), 403, "permission_denied")
	consoletest.WantCode(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("x")), 403, "permission_denied")
	consoletest.WantCode(t, h.PostJSON("/console/playground/code", consoletest.Hello("x")), 403, "permission_denied")
	if page := consoletest.Body(t, h.Get("/console/keys", consoletest.Browser)); strings.Contains(page, "/console/playground") {
		t.Error("the room is offered to a viewer")
	}
}

func TestPricesAreWrittenWithTheDigitsThatCount(t *testing.T) {
	t.Parallel()
	h, _ := consoletest.OpenPlayground(t)
	for usage, want := range map[string]string{"1:1": "$0.000004", "1000:20": "$0.00204", "5000000:0": "$10.00", "617283:0": "$1.23"} {
		list := consoletest.Events(t, consoletest.Body(t, h.PostJSON(consoletest.PlaygroundRun, consoletest.Hello("Hello [[sandbox: usage="+usage+"]]"))))
		if got := list[len(list)-1].Cost; got != want {
			t.Errorf("%s costs %s, want %s", usage, got, want)
		}
	}
}
