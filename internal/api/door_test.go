package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/meter"
	"stele/internal/relay"
	"stele/internal/seal"
	"stele/internal/server"
	"stele/internal/store"
	"stele/internal/store/template"
)

// wide are bounds of a listener that no test here comes to.
var wide = server.Bounds{HeaderBytes: 1 << 20, Headers: 1000, BodyStall: time.Minute, BodyRate: 1, WriteStall: time.Minute}

// bench is a door over a real database, with one key that opens everything.
type bench struct {
	*httptest.Server
	door     *Door
	key      string
	draining bool
}

func newBench(t *testing.T, settings Settings) *bench {
	t.Helper()
	db, err := store.Open(t.Context(), "", template.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	b := new(bench)
	keys := access.New(db, seal.New(), time.Now)
	if _, b.key, err = keys.CreateKey(t.Context(), access.CommandLine("default"), access.NewKey{Name: "k"}); err != nil {
		t.Fatal(err)
	}
	b.door = New(Options{
		Access: keys, Catalog: catalog.New(), Apps: app.NewRunner(app.Options{Library: app.NewLibrary(), Catalog: catalog.New()}),
		Relay:       relay.New(relay.Options{Keeper: forgetful{}, Now: time.Now}),
		Generations: generation.New(generation.Options{Store: db, Now: time.Now}),
		Settings:    func() Settings { return settings }, Draining: func() bool { return b.draining },
	})
	b.Server = httptest.NewServer(server.Unlogged(func() server.Bounds { return wide }, b.door))
	t.Cleanup(b.Close)
	return b
}

// forgetful keeps no records.
type forgetful struct{}

func (forgetful) Keep(*meter.Record) error { return nil }

var roomy = Settings{AllowDevelopment: true, JSONBody: 1 << 20, UploadBody: 2 << 20, KeepAlive: time.Minute}

func (b *bench) do(t *testing.T, method, path string, body io.Reader, headers ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.key)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := b.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

// endless hides its length, so that the body is sent in chunks.
type endless struct{ io.Reader }

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	for _, test := range []struct {
		path    string
		size    int
		chunked bool
		status  int
		body    string
	}{
		{"/api/v1/generations", 1 << 20, false, 400, `"invalid_request_body"`},
		{"/api/v1/generations", 1<<20 + 1, false, 413, `"limit":1048576`},
		{"/api/v1/generations", 1<<20 + 1, true, 413, `"limit":1048576`},
		{"/api/v1/files", 2 << 20, true, 415, `"unsupported_content_type"`},
		{"/api/v1/files", 2<<20 + 1, false, 413, `"code":"file_too_large","message":"The upload is larger than 2097152 bytes.","details":{"limit":2097152,"size":2097153}`},
		{"/api/v1/chat/completions", 1<<20 + 1, true, 413, `"type":"invalid_request_error"`},
		{"/api/v1/messages", 1<<20 + 1, true, 413, `"type":"request_too_large"`},
		{"/api/v1beta/models/m:generateContent", 1<<20 + 1, true, 413, `"status":"INVALID_ARGUMENT"`},
	} {
		var body io.Reader = strings.NewReader(strings.Repeat("x", test.size))
		if test.chunked {
			body = endless{body}
		}
		status, text, _ := b.do(t, "POST", test.path, body)
		if status != test.status || !strings.Contains(text, test.body) {
			t.Errorf("%s with %d bytes: %d %s", test.path, test.size, status, text)
		}
	}
}

// A body that is packed in a way that is not read is refused with a sentence that says so, on every route.
func TestPackedBodiesAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	for _, route := range Routes() {
		if route.Method != http.MethodPost {
			continue
		}
		path := strings.NewReplacer("{model}", "m", "{app}", "a").Replace(route.Path)
		for coding, refused := range map[string]bool{"br": true, "Zstd": true, "identity": false, "utf-8": false} {
			status, text, _ := b.do(t, route.Method, path, strings.NewReader("\x1f\x8b"), "Content-Encoding", coding)
			if told := strings.Contains(text, "is packed"); told != refused || refused && status != http.StatusBadRequest {
				t.Errorf("%s, %s: %d %s", path, coding, status, text)
			}
		}
	}
}

// TestEarlyErrorsReachAClientThatStillSends sends more than any buffer holds to
// a door that answers before it has read anything.
func TestEarlyErrorsReachAClientThatStillSends(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	conn, err := net.Dial("tcp", b.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const size = 6 << 20
	fmt.Fprintf(conn, "POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
	if _, err := io.CopyN(conn, zeros{}, size); err != nil {
		t.Fatalf("the server stopped listening: %v", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("status %d", answer.StatusCode)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestABrokenBodyIsTheClientsError(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	conn, err := net.Dial("tcp", b.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/generations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n", b.key)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), `"invalid_request_body"`) {
		t.Errorf("%d %s", answer.StatusCode, text)
	}
}

func TestPanicsAnswerInTheFamilysShape(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	b.door.Catalog = nil // the next list of models is a bug
	status, text, _ := b.do(t, "GET", "/api/v1/models", nil)
	if status != 500 || !strings.Contains(text, `"type":"server_error"`) || strings.Contains(text, "nil pointer") {
		t.Errorf("%d %s", status, text)
	}
}

func TestDrainingTakesNoNewWork(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	b.draining = true
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"POST /api/v1/generations":                  {503, `"unavailable"`},
		"POST /api/v1/chat/completions":             {503, `"service_unavailable_error"`},
		"POST /api/v1/messages":                     {529, `"overloaded_error"`},
		"POST /api/v1beta/models/m:generateContent": {503, `"UNAVAILABLE"`},
		"GET /api/v1/models":                        {503, `"unavailable"`},
		"GET /api/v1/generations/gen_1":             {404, `"generation_not_found"`}, // answered: a client waits for paid work
	} {
		method, path, _ := strings.Cut(path, " ")
		status, text, header := b.do(t, method, path, nil)
		if status != want.status || !strings.Contains(text, want.body) || (status != 404) != (header.Get("Retry-After") != "") {
			t.Errorf("%s: %d %s %v", path, status, text, header)
		}
	}
}

func TestDevelopmentKeysCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	b := newBench(t, Settings{JSONBody: 1, UploadBody: 1})
	if status, text, _ := b.do(t, "GET", "/api/v1/models", nil); status != 403 || !strings.Contains(text, `"permission_denied"`) {
		t.Errorf("%d %s", status, text)
	}
}

func TestListsShowWhatTheKeyOpens(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	err := b.door.Catalog.Replace(catalog.Contents{
		Models: []catalog.Model{
			{ID: "fast", Name: "Fast", Owner: "stele", Created: time.Unix(7, 0), Capabilities: map[string]bool{"tools": true}},
			{ID: "acme/slow", Name: "Slow"},
		},
		Media: []media.Model{{ID: "acme/paint", Name: "Paint", MediaType: "image", Operations: []media.Operation{{Mode: "text_to_image"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.door.Apps.Library.Replace([]app.Recipe{{ID: "a", Name: "A", MediaType: "image"}, {ID: "b", Name: "B", MediaType: "video"}}); err != nil {
		t.Fatal(err)
	}
	_, narrow, err := b.door.Access.CreateKey(t.Context(), access.CommandLine("default"),
		access.NewKey{Name: "n", Scope: access.Scope{Models: []string{"fast"}}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/api/v1/models": `{"object":"list","data":[{"id":"fast","object":"model","created":7,"owned_by":"stele","name":"Fast",` +
			`"capabilities":{"tools":true},"tags":[],"supported_parameters":["tools","tool_choice","max_tokens"]}`,
		"/api/v1/media_models": `{"data":[{"model":"acme/paint","name":"Paint","media_type":"image","operations":[{"mode":"text_to_image",` +
			`"input":{"required":[],"optional":[]},"input_requirements":{"required":[],"optional":[]},"parameters":[]}]}]}`,
		"/api/v1/media_models?media_type=video": `{"data":[]}`,
		"/api/v1/media_models?media_type=text":  `"code":"invalid_media_type"`,
		"/api/v1/apps?limit=1":                  `{"data":[{"id":"a","slug":"a","name":"A","media_type":"image","input_parameters":[]}],"has_more":true}`,
		"/api/v1/apps?limit=1&page=2":           `"has_more":false}`,
		"/api/v1/apps?limit=0&page=-4":          `{"data":[{"id":"a"`,
		"/api/v1/apps?page=999999999999":        `"has_more":false}`,
		"/api/v1/apps/b":                        `{"data":{"id":"b"`,
	} {
		if _, text, _ := b.do(t, "GET", path, nil); !strings.Contains(text, want) {
			t.Errorf("%s: %s\nwant %s", path, text, want)
		}
	}
	b.key = narrow
	if _, text, _ := b.do(t, "GET", "/api/v1/models", nil); strings.Contains(text, "acme/slow") {
		t.Errorf("a model outside the key's list is shown: %s", text)
	}
	if _, text, _ := b.do(t, "GET", "/api/v1/media_models", nil); text != `{"data":[]}` {
		t.Errorf("a media model outside the key's list is shown: %s", text)
	}
}
