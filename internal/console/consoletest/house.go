// Package consoletest is a console for tests: its house runs as the server would run
// it, over a real database, with the rooms a test asks for and a clock that the test
// turns.
package consoletest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	openapi "stele/api"
	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/scope"
)

// Who the administrator is.
const (
	Email    = "admin@example.com"
	Password = "correct horse battery"
)

// House is a console as the server would run it: behind its base path, with a
// scope around every request, and a clock that the test turns.
type House struct {
	T      *testing.T
	Base   string
	Store  *database
	Access *access.Service
	Token  string // of the set-up link
	Key    string // the text of a working API key
	Cookie string // of the signed-in administrator, "" before signIn
	Serve  http.Handler
	Bare   http.Handler // without base path and scope
	Public *url.URL
	Log    bytes.Buffer

	mu  sync.Mutex // guards now
	now time.Time
}

// Open makes a house; more adds the rooms a test needs.
func Open(t *testing.T, publicURL string, more ...func(*House, *console.Options)) *House {
	t.Helper()
	return open(t, fresh, publicURL, more...)
}

// OpenSignedIn is a house with an administrator who is signed in.
func OpenSignedIn(t *testing.T, more ...func(*House, *console.Options)) *House {
	t.Helper()
	return open(t, settled, "http://127.0.0.1:8080", more...)
}

func open(t *testing.T, begin func() (*home, error), publicURL string, more ...func(*House, *console.Options)) *House {
	t.Helper()
	from, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	h := &House{T: t, Store: newDatabase(t, from), now: morning, Token: from.welcome.SetupToken, Key: from.welcome.Key, Cookie: from.cookie}
	if h.Public, err = url.Parse(publicURL); err != nil {
		t.Fatal(err)
	}
	h.Base = strings.TrimSuffix(h.Public.Path, "/")
	h.Access = access.New(h.Store, master, h.Clock)
	h.Access.HashCheaply()
	if err := h.Access.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := console.Options{
		Access: h.Access, PublicURL: func() *url.URL { return h.Public }, Document: openapi.Document(), Version: "test",
		Log: slog.New(slog.NewTextHandler(&h.Log, nil)), Now: h.Clock,
	}
	for _, add := range more {
		add(h, &o)
	}
	c, err := console.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.Bare = c
	h.Serve = http.StripPrefix(h.Base, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := &scope.Request{ID: "req_test", Remote: "192.0.2.1", Secure: h.Public.Scheme == "https"}
		c.ServeHTTP(w, r.WithContext(scope.With(r.Context(), at)))
	}))
	return h
}

// Clock is the time in the house.
func (h *House) Clock() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

// Pass lets time go by.
func (h *House) Pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// SignIn sets the house up and signs the administrator in.
func (h *House) SignIn() {
	h.T.Helper()
	_, secret, err := h.Access.SetUp(context.Background(), h.Token, Email, Password, access.Browser{Remote: "192.0.2.1"})
	if err != nil {
		h.T.Fatal(err)
	}
	h.Cookie = secret
}

// Header changes a request before it is sent.
type Header struct{ name, value string }

// With is a header of a request.
func With(name, value string) Header { return Header{name, value} }

// Browser is what a browser says of itself.
var Browser = Header{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}

// Get asks for a page.
func (h *House) Get(path string, headers ...Header) *http.Response {
	return h.Do("GET", path, nil, headers...)
}

// Post sends a form.
func (h *House) Post(path string, form url.Values, headers ...Header) *http.Response {
	return h.Do("POST", path, form, headers...)
}

// Do sends a request with the session, if there is one.
func (h *House) Do(method, path string, form url.Values, headers ...Header) *http.Response {
	r := httptest.NewRequestWithContext(h.T.Context(), method, h.Base+path, strings.NewReader(form.Encode()))
	r.Host = h.Public.Host
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if h.Cookie != "" {
		AddSession(r, h.Cookie)
	}
	for _, set := range headers {
		if set.name == "Host" {
			r.Host = set.value
		}
		r.Header.Set(set.name, set.value)
	}
	w := httptest.NewRecorder()
	h.Serve.ServeHTTP(w, r)
	h.checkForms(path, w.Header(), w.Body.String())
	return w.Result()
}

// Body is the body of an answer.
func Body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// WantStatus fails the test at another status.
func WantStatus(t *testing.T, res *http.Response, want int) {
	t.Helper()
	if res.StatusCode != want {
		t.Fatalf("status %d, want %d", res.StatusCode, want)
	}
}

// WantText fails the test where a text is missing.
func WantText(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("page lacks %q", text)
		}
	}
}

// WantCode fails the test at another status or code.
func WantCode(t *testing.T, res *http.Response, status int, code string) {
	t.Helper()
	var envelope struct {
		Error struct {
			Code      string `json:"code"`
			RequestID string `json:"request_id"`
		} `json:"error"`
	}
	text := Body(t, res)
	if err := json.Unmarshal([]byte(text), &envelope); err != nil {
		t.Fatalf("status %d and no JSON: %s", res.StatusCode, text)
	}
	if res.StatusCode != status || envelope.Error.Code != code || envelope.Error.RequestID != "req_test" {
		t.Errorf("status %d and %s, want %d %s", res.StatusCode, text, status, code)
	}
}

// AddSession sends a session's cookie, whatever it is called where it goes.
func AddSession(r *http.Request, secret string) {
	for _, prefix := range []string{"", "__Host-", "__Secure-"} {
		r.AddCookie(&http.Cookie{Name: prefix + "stele_session", Value: secret}) //nolint:gosec // a request's has no attributes
	}
}

// SessionCookie is the session that an answer sets.
func SessionCookie(t *testing.T, res *http.Response) *http.Cookie {
	t.Helper()
	for _, cookie := range res.Cookies() {
		if strings.HasSuffix(cookie.Name, "stele_session") {
			return cookie
		}
	}
	t.Fatalf("no session in the answer, status %d", res.StatusCode)
	return nil
}

// Send sends a request with the session, if there is one.
func (h *House) Send(r *http.Request, headers ...Header) *http.Response {
	r.Host = h.Public.Host
	if h.Cookie != "" {
		AddSession(r, h.Cookie)
	}
	for _, set := range headers {
		r.Header.Set(set.name, set.value)
	}
	w := httptest.NewRecorder()
	h.Serve.ServeHTTP(w, r)
	return w.Result()
}

// PostJSON sends JSON as the page does.
func (h *House) PostJSON(path, body string, headers ...Header) *http.Response {
	r := httptest.NewRequestWithContext(h.T.Context(), http.MethodPost, h.Base+path, strings.NewReader(body))
	return h.Send(r, append([]Header{{"Content-Type", "application/json"}}, headers...)...)
}

// SendBody sends a body to a route, of a length that it announces.
func (h *House) SendBody(route console.Route, kind string, body io.Reader, announced int64) *http.Response {
	r := httptest.NewRequestWithContext(h.T.Context(), route.Method, h.Base+PathOf(route), body)
	r.Host, r.ContentLength = h.Public.Host, announced
	r.Header.Set("Content-Type", kind)
	r.AddCookie(&http.Cookie{Name: "stele_session", Value: h.Cookie}) //nolint:gosec // as above
	w := httptest.NewRecorder()
	h.Serve.ServeHTTP(w, r)
	return w.Result()
}

// Upload sends a file as browsers do.
func (h *House) Upload(path, name string, content []byte) *http.Response {
	h.T.Helper()
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	part, err := parts.CreateFormFile("file", name)
	if err != nil {
		h.T.Fatal(err)
	}
	_, _ = part.Write(content)
	_ = parts.Close()
	r := httptest.NewRequest(http.MethodPost, h.Base+path, io.Reader(&form))
	r.Host = h.Public.Host
	r.Header.Set("Content-Type", parts.FormDataContentType())
	AddSession(r, h.Cookie)
	w := httptest.NewRecorder()
	h.Serve.ServeHTTP(w, r)
	return w.Result()
}

// Attach uploads a file in the playground.
func (h *House) Attach(t *testing.T, name, text string) Kept {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, text)
	_ = w.Close()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, h.Base+"/console/playground/files", &form)
	res := h.Send(r, Header{"Content-Type", w.FormDataContentType()}) //nolint:bodyclose // a recorder's
	WantStatus(t, res, 201)
	var f Kept
	if err := json.Unmarshal([]byte(Body(t, res)), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// PathOf is a path that a route's pattern fits.
func PathOf(route console.Route) string {
	return strings.NewReplacer("{id}", "key_0", "{app}", "social-card", "{run}", "gen_0", "{number}", "1", "{version}", "0", "{file}", "style.css").Replace(route.Pattern)
}

// Kept is a file that was uploaded.
type Kept struct{ ID, Name, Kind, Type, URL string }
