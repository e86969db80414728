package bridge_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"stele/internal/bridge"
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/dialect/openai"
)

const (
	spoken = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	called = `data: {"choices":[{"index":0,"delta":{"reasoning_content":"Hm.","reasoning_details":[{"type":"reasoning.text","text":"Hm.","signature":"sig","index":0}],` +
		`"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
)

// ask sends a request and returns its status and body.
func ask(t *testing.T, method, url, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(raw)
}

func TestOnlyProgramsOfThisMachine(t *testing.T) {
	t.Parallel()
	s := newServer(t, `{"data":[]}`)
	b := newBridge(t, s)
	for name, header := range map[string][]string{
		"a name that leads here": {"Host", "evil.example:8090"},
		"no name":                {"Host", "0.0.0.0:8090"},
		"a page":                 {"Origin", "https://evil.example"},
		"a page here":            {"Origin", "http://localhost:3000"},
		"a picture of a page":    {"Sec-Fetch-Site", "cross-site"},
	} {
		if status, _, body := ask(t, "GET", b.URL+"/v1/models", "", header...); status != http.StatusForbidden || !strings.Contains(body, `"error"`) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if len(s.asked) > 0 {
		t.Error("the server was asked")
	}
	for _, host := range []string{"localhost:8090", "127.0.0.1", "[::1]:8090", "LOCALHOST"} {
		if status, _, body := ask(t, "GET", b.URL+"/v1/models", "", "Host", host, "Sec-Fetch-Mode", "cors"); status != http.StatusOK {
			t.Errorf("%s: %d %s", host, status, body)
		}
	}
}

func TestListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, address := range []string{":8090", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:0", "8090"} {
		if l, err := bridge.Listen(address); err == nil {
			l.Close()
			t.Errorf("%s is listened on", address)
		}
	}
	l, err := bridge.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// TestPassesOnWithItsOwnKey sends what the server speaks itself, with the keys that
// clients have to send somewhere.
func TestPassesOnWithItsOwnKey(t *testing.T) {
	t.Parallel()
	s := newServer(t, "{}")
	b := newBridge(t, s)
	for from, to := range map[string]string{
		"/v1/chat/completions":     "/api/v1/chat/completions",
		"/api/v1/chat/completions": "/api/v1/chat/completions",
		"/chat/completions":        "/api/v1/chat/completions",
		"/v1/messages?beta=true":   "/api/v1/messages?beta=true",
		"/v1beta/models/a%2Fb:streamGenerateContent?alt=sse&key=dummy": "/api/v1beta/models/a%2Fb:streamGenerateContent?alt=sse",
		"/v1/models/a/b:generateContent":                               "/api/v1beta/models/a/b:generateContent",
		"/v1alpha/models/a:generateContent":                            "/api/v1beta/models/a:generateContent",
		"/v1beta1/models/a:generateContent":                            "/api/v1beta/models/a:generateContent",
		"/v1/v1/messages":                                              "/api/v1/messages",
		"/messages":                                                    "/api/v1/messages",
		"/v1//chat/completions/":                                       "/api/v1/chat/completions",
		"//v1/chat/completions":                                        "/api/v1/chat/completions",
		"/v1/api/v1/chat/completions":                                  "/api/v1/chat/completions",
		"/v1/v1beta/models/m:generateContent":                          "/api/v1beta/models/m:generateContent",
		"/v1beta/v1beta/models/v1/api:generateContent":                 "/api/v1beta/models/v1/api:generateContent",
		"/models/a/b:generateContent":                                  "/api/v1beta/models/a/b:generateContent",
		"/v1/generations":                                              "/api/v1/generations",
		"/openai/v1/chat/completions":                                  "/api/v1/chat/completions",
		"/v1/openai/chat/completions":                                  "/api/v1/chat/completions",
		"/v1beta/openai/chat/completions":                              "/api/v1/chat/completions",
		"/api/openai/v1/chat/completions":                              "/api/v1/chat/completions",
		"/anthropic/v1/messages":                                       "/api/v1/messages",
		"/gemini/v1beta/models/openai/v1:generateContent":              "/api/v1beta/models/openai/v1:generateContent",
	} {
		status, _, _ := ask(t, "POST", b.URL+from, `{"x":1}`, "Authorization", "Bearer dummy", "X-Api-Key", "dummy", "X-Goog-Api-Key", "dummy", "Api-Key", "dummy", "Cookie", "a=b")
		path, head := s.paths[len(s.paths)-1], s.heads[len(s.heads)-1]
		if status != http.StatusOK || path != to || string(s.last()) != `{"x":1}` {
			t.Errorf("%s: %d, %s %s", from, status, path, s.last())
		}
		if head.Get("Authorization") != "Bearer "+key || head.Get("X-Api-Key")+head.Get("X-Goog-Api-Key")+head.Get("Api-Key")+head.Get("Cookie") != "" {
			t.Errorf("%s: %v", from, head)
		}
	}
	if status, _, body := ask(t, "GET", b.URL+"/console/keys", ""); status != http.StatusNotFound {
		t.Errorf("%d %s", status, body)
	}
}

func TestAConversationIsKept(t *testing.T) {
	t.Parallel()
	s := newServer(t, called)
	b := newBridge(t, s)
	url := b.URL + "/v1/responses"
	first := member(t, url, `{"model":"m","input":"Go","tools":[{"type":"function","name":"f"}],"reasoning":{"effort":"high"}}`)
	s.answer = spoken
	second := member(t, url, `{"model":"m","previous_response_id":"`+first+`","input":[{"type":"function_call_output","call_id":"call_1","output":"done"}]}`)
	want := `[{"role":"user","content":"Go"},{"role":"assistant","content":null,"reasoning_content":"Hm.",` +
		`"reasoning_details":[{"type":"reasoning.text","text":"Hm.","signature":"sig","index":0}],` +
		`"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"done","tool_call_id":"call_1"}]`
	if got := messages(t, s.last()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	third := member(t, url, `{"model":"m","previous_response_id":"`+second+`","input":"More","store":false}`)
	if got := messages(t, s.last()); !strings.HasSuffix(got, `{"role":"assistant","content":"Hello"},{"role":"user","content":"More"}]`) || !strings.HasPrefix(got, strings.TrimSuffix(want, "]")) {
		t.Errorf("got %s", got)
	}
	status, _, body := post(t, url, `{"model":"m","previous_response_id":"`+third+`","input":"More"}`)
	if status != http.StatusBadRequest || !strings.Contains(body, `"previous_response_not_found"`) || !strings.Contains(body, `"param":"previous_response_id"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := ask(t, "GET", url+"/"+second, ""); status != http.StatusOK || !strings.Contains(body, `"id":"`+second+`"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := ask(t, "GET", url+"/"+second+"/input_items", ""); status != http.StatusOK || !strings.Contains(body, `"output":"done"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := ask(t, "DELETE", url+"/"+second, ""); status != http.StatusOK || !strings.Contains(body, `"deleted":true`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := ask(t, "GET", url+"/"+second, ""); status != http.StatusNotFound {
		t.Errorf("%d %s", status, body)
	}
}

// TestItemsAreReferredTo sends what clients send that leave keeping to the server: the
// id of an item, or a thought without what the server wants back.
func TestItemsAreReferredTo(t *testing.T) {
	t.Parallel()
	s := newServer(t, called)
	b := newBridge(t, s)
	status, _, body := post(t, b.URL+"/v1/responses", `{"model":"m","input":"Go"}`)
	var r struct{ Output []struct{ ID, Type string } }
	if err := json.Unmarshal([]byte(body), &r); err != nil || status != http.StatusOK || len(r.Output) != 2 {
		t.Fatal(err, status, body)
	}
	s.answer = spoken
	const tail = `{"type":"function_call_output","call_id":"call_1","output":"done"}]}`
	for name, items := range map[string]string{
		"references": `{"type":"item_reference","id":"` + r.Output[0].ID + `"},{"id":"` + r.Output[1].ID + `"},`,
		"a thought":  `{"type":"reasoning","id":"` + r.Output[0].ID + `","summary":[]},{"type":"item_reference","id":"` + r.Output[1].ID + `"},`,
	} {
		status, _, body = post(t, b.URL+"/v1/responses", `{"model":"m","input":[{"role":"user","content":"Go"},`+items+tail)
		if got := messages(t, s.last()); status != http.StatusOK || !strings.Contains(got, `"signature":"sig"`) || !strings.Contains(got, `"tool_calls":[{"id":"call_1"`) {
			t.Errorf("%s: %d %s: %s", name, status, body, got)
		}
	}
	var first struct{ ID string }
	if err := json.Unmarshal([]byte(body), &first); err != nil {
		t.Fatal(err)
	}
	_, _, listed := ask(t, "GET", b.URL+"/v1/responses/"+first.ID+"/input_items?order=asc", "")
	var page struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(listed), &page); err != nil || len(page.Data) == 0 {
		t.Fatal(err, listed)
	}
	given := page.Data[0].ID // the message of the user
	status, _, body = post(t, b.URL+"/v1/responses", `{"model":"m","input":[{"type":"item_reference","id":"`+given+`"}]}`)
	if got := messages(t, s.last()); status != http.StatusOK || !strings.Contains(got, "Go") {
		t.Errorf("%s: %d %s: %s", listed, status, body, got)
	}
	if status, _, body := post(t, b.URL+"/v1/responses", `{"model":"m","input":[{"type":"item_reference","id":"msg_none"}]}`); status != http.StatusNotFound || !strings.Contains(body, "Item with id 'msg_none' not found.") {
		t.Errorf("%d %s", status, body)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t, spoken)
	b := newBridge(t, s)
	for body, want := range map[string]string{
		`{"input":"x"}`: "model is missing", `{"model":"m"}`: "input must be", `{"model":"m","input":5}`: "input must be", `[]`: "not a JSON object", `{`: "not valid JSON",
		`{"model":"m","input":"x","background":1}`:                                                     "background must be",
		`{"model":"m","input":"x","tools":[{"type":"file_search"}]}`:                                   "file_search",
		`{"model":"m","input":"x","tools":[{"type":"shell","environment":{"type":"container_auto"}}]}`: "containers",
		`{"model":"m","input":"x","tools":[{"type":"web_search"}],"tool_choice":"required"}`:           "tool_choice",
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_file","filename":"a.pdf"}]}]}`: "file_url",
		`{"model":"m","input":"x","stream":"yes"}`:                                                     "stream must be", `{"model":"m","input":"x","text":{"format":{"type":"xml"}}}`: "text.format.type",
	} {
		status, _, got := post(t, b.URL+"/v1/responses", body)
		if status != http.StatusBadRequest || !strings.Contains(got, want) || !strings.Contains(got, `"invalid_request_error"`) {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	if len(s.asked) > 0 {
		t.Error("the server was asked")
	}
	s.status, s.answer = http.StatusTooManyRequests, `{"error":{"message":"Slow down.","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}`
	if status, _, got := post(t, b.URL+"/v1/responses", `{"model":"m","input":"x","stream":true}`); status != http.StatusTooManyRequests || got != s.answer {
		t.Errorf("%d %s", status, got)
	}
	s.Close()
	if status, _, got := post(t, b.URL+"/v1/responses", `{"model":"m","input":"x"}`); status != http.StatusBadGateway || !strings.Contains(got, "was not reached") {
		t.Errorf("%d %s", status, got)
	}
	if status, _, got := post(t, b.URL+"/v1/messages", `{}`); status < 500 || !strings.Contains(got, `"type":"error"`) {
		t.Errorf("%d %s", status, got)
	}
	if status, _, _ := ask(t, "GET", b.URL+"/v1/responses", "", "Upgrade", "websocket", "Connection", "Upgrade"); status != http.StatusUpgradeRequired {
		t.Errorf("a websocket: %d", status)
	}
}

// TestTellsWhatWasDropped has losses of the server's, before and after its answer, and
// of the bridge's.
func TestTellsWhatWasDropped(t *testing.T) {
	t.Parallel()
	const own = "a%2Cb; dropped; it%20is%20not%20known%20to%20the%20bridge"
	for _, late := range []string{"", "top_k; dropped, refs; dropped"} {
		s := newServer(t, spoken)
		s.early, s.late = "top_k; dropped", late
		b := newBridge(t, s)
		want := s.early
		if late != "" {
			want = late
		}
		_, header, _ := post(t, b.URL+"/v1/responses", `{"model":"m","input":"x","a,b":1}`)
		if got := header.Get("X-Stele-Dropped"); got != want+", "+own {
			t.Errorf("whole: %s", got)
		}
		r, err := http.Post(b.URL+"/v1/responses", "application/json", strings.NewReader(`{"model":"m","input":"x","a,b":1,"stream":true}`)) //nolint:noctx // a test's own server
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, r.Body)
		r.Body.Close()
		if got := r.Header.Get("X-Stele-Dropped"); err != nil || got != s.early+", "+own {
			t.Errorf("streamed: %s (%v)", got, err)
		}
		if got := r.Trailer.Get("X-Stele-Dropped"); late == "" && got != "" || late != "" && got != late+", "+own {
			t.Errorf("behind the stream: %s", got)
		}
	}
}

// TestToolsBeforeThoughts has a model that takes tools only where it does not think, as
// OpenAI's newer ones do on their chat API.
func TestToolsBeforeThoughts(t *testing.T) {
	t.Parallel()
	s := newServer(t, spoken)
	s.refuse = func(body string) string {
		if strings.Contains(body, `"tools"`) && !strings.Contains(body, `"reasoning_effort":"none"`) {
			return `{"error":{"message":"Function tools with reasoning_effort are not supported for gpt-9 in /v1/chat/completions.","type":"invalid_request_error","param":"reasoning_effort","code":null}}`
		}
		return ""
	}
	b := newBridge(t, s)
	const tools = `,"tools":[{"type":"function","name":"f"}]}`
	for n, c := range []struct {
		body  string
		asked int // in all
		told  bool
	}{
		{`{"model":"m","input":"x","reasoning":{"effort":"low"}` + tools, 2, true},
		{`{"model":"m","input":"x","reasoning":{"summary":"auto"}` + tools, 3, true},
		{`{"model":"m","input":"x","reasoning":{"effort":"low"}}`, 4, false},
		{`{"model":"other","input":"x"` + tools, 6, true},
	} {
		status, header, body := post(t, b.URL+"/v1/responses", c.body)
		if told := strings.HasPrefix(header.Get("X-Stele-Dropped"), "reasoning; dropped; "); status != http.StatusOK || told != c.told || len(s.asked) != c.asked {
			t.Errorf("request %d: %d %s (%t, %d asked)", n, status, body, told, len(s.asked))
		}
	}
	s.refuse = func(string) string { return `{"error":{"message":"No.","param":"model"}}` }
	if status, _, body := post(t, b.URL+"/v1/responses", `{"model":"third","input":"x"`+tools); status != http.StatusBadRequest || !strings.Contains(body, `"No."`) || len(s.asked) != 7 {
		t.Errorf("%d %s", status, body)
	}
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := newServer(t, spoken)
	kept, err := bridge.NewKept(1<<20, "")
	if err != nil {
		t.Fatal(err)
	}
	at, err := bridge.Listen(net.JoinHostPort("127.0.0.1", "0"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	b := bridge.New(bridge.Options{Server: s.URL, Key: key, Client: s.Client(), Kept: kept, Log: slog.New(slog.DiscardHandler)})
	go func() { ended <- b.Serve(ctx, at) }()
	if status, _, body := post(t, "http://"+at.Addr().String()+"/v1/responses", `{"model":"m","input":"x"}`); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// member makes a response and is its id.
func member(t *testing.T, url, body string) string {
	t.Helper()
	status, _, got := post(t, url, body)
	var r struct{ ID, Status string }
	if err := json.Unmarshal([]byte(got), &r); err != nil || status != http.StatusOK || r.Status != "completed" {
		t.Fatalf("%d %s %v", status, got, err)
	}
	return r.ID
}

// messages are those of a chat.
func messages(t *testing.T, body []byte) string {
	t.Helper()
	var c struct{ Messages json.RawMessage }
	if err := json.Unmarshal(body, &c); err != nil {
		t.Fatal(err)
	}
	return string(c.Messages)
}

// TestThoughtsGoBackToTheirPlaces sends an answer with thoughts between its words back,
// as its client does, and reads the chat as the server will.
func TestThoughtsGoBackToTheirPlaces(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/pieces.txtar")
	if err != nil {
		t.Fatal(err)
	}
	stream := archive.Files[slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "stream" })].Data
	s := newServer(t, string(stream))
	b := newBridge(t, s)
	_, _, body := post(t, b.URL+"/v1/responses", `{"model":"m","input":"Go","store":false}`)
	var r struct{ Output json.RawMessage }
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	items := `[{"role":"user","content":"Go"},` + strings.Trim(string(r.Output), "[]") + `,{"role":"user","content":"On"}]`
	post(t, b.URL+"/v1/responses", `{"model":"m","store":false,"input":`+items+`}`)
	req, err := openai.Codec{}.DecodeRequest(dialect.Incoming{Body: s.last()})
	if err != nil {
		t.Fatal(err)
	}
	talk, err := req.Conversation()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range talk.Messages[1].Parts {
		signed := strings.Split(p.Proof, chat.ThoughtMark) // what its upstream calls it goes with it
		got = append(got, p.Text+"/"+signed[len(signed)-1])
	}
	if want := []string{"aa/s1", "One. /", "b/s2", "Two./"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
