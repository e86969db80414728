package console_test

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
)

func TestThePlaygroundStreamsAnAnswerAndWhatItTook(t *testing.T) {
	t.Parallel()
	h, kept := playing(t)
	res := h.postJSON(run, hello("Good morning"))
	wantStatus(t, res, 200)
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type is %s", got)
	}
	list := events(t, body(t, res))
	wantText(t, said(list, "text"), "Good morning")
	start, end := list[0], list[len(list)-1]
	if start.Type != "start" || start.Request != "req_test" || start.Served != "stele/sandbox" {
		t.Errorf("begins with %+v", start)
	}
	if end.Type != "end" || end.Reason != "end" || end.Usage.Input == 0 || end.Usage.Output == 0 || !strings.HasPrefix(end.Cost, "$0.0000") {
		t.Errorf("ends with %+v", end)
	}
	row := kept.last(t)
	if row.Key != "" || row.Environment != "development" || row.Workspace != access.DefaultWorkspace || row.Dialect != console.Dialect ||
		row.Route != "POST "+run || row.Model != "team/priced" || row.Output != end.Usage.Output || row.Nano == 0 {
		t.Errorf("metered as %+v", row)
	}
}

func TestThoughtsCallsAndRefusalsAreToldApart(t *testing.T) {
	t.Parallel()
	h, _ := playing(t)
	list := events(t, body(t, h.postJSON(run, hello("Hello [[sandbox: think=7 text=Hi]]"))))
	if thoughts := said(list, "thinking"); len(strings.Fields(thoughts)) != 7 || said(list, "text") != "Hi" {
		t.Errorf("thought %q, said %q", thoughts, said(list, "text"))
	}
	list = events(t, body(t, h.postJSON(run, hello("Hello [[sandbox: refuse]]"))))
	if end := list[len(list)-1]; end.Reason != "refused" {
		t.Errorf("a refusal ends with %+v", end)
	}
}

func TestAToolRoundGoesOnWithItsThoughts(t *testing.T) {
	t.Parallel()
	h, _ := playing(t)
	const tools = `"reasoning_effort":"high","tools":[{"type":"function","function":{"name":"clock"}}]`
	question := `{"role":"user","content":"Look at the clock"}`
	list := events(t, body(t, h.postJSON(run, `{"model":"stele/sandbox","messages":[`+question+`],`+tools+`}`)))
	var call event
	for _, e := range list {
		if e.Type == "open" && e.Kind == "tool" {
			call = e
		}
	}
	if call.Name != "clock" || call.ID == "" || said(list, "thinking") == "" || list[len(list)-1].Reason != "tool" {
		t.Fatalf("got %+v", list)
	}
	// The sandbox refuses a loop whose thoughts are lost: the page does not send them.
	answered := `{"role":"assistant","tool_calls":[{"id":"` + call.ID + `","type":"function","function":{"name":"clock","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"` + call.ID + `","content":"It is noon"}`
	res := h.postJSON(run, `{"model":"stele/sandbox","messages":[`+question+`,`+answered+`],`+tools+`}`)
	wantText(t, said(events(t, body(t, res)), "text"), "It is noon")
}

func TestFailuresOfAModelAreShownForWhatTheyAre(t *testing.T) {
	t.Parallel()
	h, kept := playing(t)
	wantCode(t, h.postJSON(run, hello("Hello [[sandbox: error=429 retry_after=9]]")), 429, "rate_limited")
	if row := kept.last(t); row.Code != "rate_limited" {
		t.Errorf("metered as %+v", row)
	}
	wantCode(t, h.postJSON(run, `{"model":"no/such","messages":[{"role":"user","content":"x"}]}`), 404, "model_not_found")
	kept.last(t)
	wantCode(t, h.postJSON(run, `{"model":`), 400, "invalid_request_body")
	if row := kept.last(t); row.Code != "invalid_request_body" || row.Dialect != console.Dialect {
		t.Errorf("metered as %+v", row)
	}
	list := events(t, body(t, h.postJSON(run, hello("Hello [[sandbox: error_after=3]]"))))
	if last := list[len(list)-1]; last.Type != "error" || last.Code != "unavailable" || last.Request != "req_test" || last.Message == "" {
		t.Errorf("in the middle: %+v", last)
	}
	list = events(t, body(t, h.postJSON(run, hello("Hello [[sandbox: cut=3]]"))))
	if last := list[len(list)-1]; last.Type != "error" || last.Code != "upstream_error" {
		t.Errorf("cut off: %+v", last)
	}
}

func TestTheConnectionLivesWhileTheModelIsSilent(t *testing.T) {
	t.Parallel()
	h, kept := playing(t)
	kept.breath = 20 * time.Millisecond
	stream := body(t, h.postJSON(run, hello("Hello [[sandbox: delay=200ms text=Hi]]")))
	if !strings.HasPrefix(stream, ": still here\n\n") || said(events(t, stream), "text") != "Hi" {
		t.Errorf("got %s", stream)
	}
	// Once it lives, a failure is an event.
	list := events(t, body(t, h.postJSON(run, hello("Hello [[sandbox: delay=200ms error=500]]"))))
	if len(list) != 1 || list[0].Type != "error" || list[0].Code != "internal_error" {
		t.Errorf("got %+v", list)
	}
}

func TestWhoeverStopsReadingStopsTheModel(t *testing.T) {
	t.Parallel()
	h, kept := playing(t)
	server := httptest.NewServer(h.serve)
	t.Cleanup(server.Close)
	h.public, _ = url.Parse(server.URL)
	kept.breath = 20 * time.Millisecond // something to read even where nothing is said
	for _, order := range []string{"gap=20ms words=10000", "silence_after=3", "silence"} {
		ctx, stop := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+run, strings.NewReader(hello("Hello [[sandbox: "+order+"]]")))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		addSession(r, h.cookie)
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		stop()
		_ = res.Body.Close()
		if row := kept.last(t); row.Status != 499 {
			t.Errorf("%s: metered as %+v", order, row)
		}
	}
}

func TestTheCodePanelSpeaksThreeDialects(t *testing.T) {
	t.Parallel()
	h, kept := playing(t)
	res := h.postJSON("/console/playground/code", `{"model":"stele/sandbox","reasoning_effort":"high","stop":["END"],"messages":[
		{"role":"system","content":"Be brief."},{"role":"user","content":"It's <b>late</b>"}],
		"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}}}`)
	wantStatus(t, res, 200)
	page := body(t, res)
	wantText(t, page,
		"http://127.0.0.1:8080/api/v1/chat/completions", "http://127.0.0.1:8080/api/v1/messages", "/api/v1beta/models/stele/sandbox:streamGenerateContent?alt=sse",
		"$STELE_API_KEY", "anthropic-version: 2023-06-01", "reasoning_effort", "stop_sequences", "stopSequences", `It&#39;\&#39;&#39;s`,
		"Reasoning effort", "Output format")
	if strings.Contains(page, "<b>late") {
		t.Error("what was said is read as HTML")
	}
	select {
	case <-kept.kept:
		t.Error("showing the code was metered")
	default:
	}
}

func TestThePlaygroundIsForMembersOfThisHouse(t *testing.T) {
	t.Parallel()
	h, _ := playing(t)
	wantText(t, body(t, h.get("/console/playground?model=team/priced", browser)), `value="team/priced" selected`, "Playground", "playground.js")
	wantCode(t, h.postJSON(run, hello("x"), header{"Sec-Fetch-Site", "cross-site"}), 403, "permission_denied")
	wantCode(t, h.postJSON(run, `{"model":"m","messages":[{"role":"user","content":"`+strings.Repeat("x", 8<<20)+`"}]}`), 413, "body_too_large")
	session := h.cookie
	h.cookie = ""
	wantCode(t, h.postJSON(run, hello("x"), header{"Authorization", "Bearer " + h.key}), 401, "session_required")
	h.cookie = session

	without := opened(t)
	wantCode(t, without.get("/console/playground"), 404, "not_found")
	wantCode(t, without.postJSON(run, hello("x")), 404, "not_found")
	if page := body(t, without.get("/console/keys", browser)); strings.Contains(page, "/console/playground") {
		t.Error("a room that is not there is in the navigation")
	}
}

func TestAViewerMayNotPlay(t *testing.T) {
	t.Parallel()
	h, _ := playing(t)
	admin, err := h.access.BySession(t.Context(), h.cookie)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.access.AddPerson(t.Context(), admin.Principal(), access.NewPerson{Email: "eyes@example.com", Role: access.Viewer, Password: password}); err != nil {
		t.Fatal(err)
	}
	if _, h.cookie, err = h.access.SignIn(t.Context(), "eyes@example.com", password, access.Browser{Remote: "192.0.2.9"}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, h.get("/console/playground"), 403, "permission_denied")
	wantCode(t, h.postJSON(run, hello("x")), 403, "permission_denied")
	wantCode(t, h.postJSON("/console/playground/code", hello("x")), 403, "permission_denied")
	if page := body(t, h.get("/console/keys", browser)); strings.Contains(page, "/console/playground") {
		t.Error("the room is offered to a viewer")
	}
}

func TestPricesAreWrittenWithTheDigitsThatCount(t *testing.T) {
	t.Parallel()
	h, _ := playing(t)
	for usage, want := range map[string]string{"0:0": "$0.00", "1:0": "$0.000002", "1000:20": "$0.00204", "5000000:0": "$10.00", "617283:0": "$1.23"} {
		list := events(t, body(t, h.postJSON(run, hello("Hello [[sandbox: usage="+usage+"]]"))))
		if got := list[len(list)-1].Cost; got != want {
			t.Errorf("%s costs %s, want %s", usage, got, want)
		}
	}
}
