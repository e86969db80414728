package console

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// birdAccount is an upstream that speaks OpenAI's dialect, wants one key and can be
// told to hold a stream open.
type birdAccount struct {
	*httptest.Server

	key   string
	calls atomic.Int64
	held  chan struct{} // a stream goes on when this is closed
}

func newBirdAccount(t *testing.T, key string) *birdAccount {
	t.Helper()
	a := &birdAccount{key: key, held: make(chan struct{})}
	a.Server = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(a.Close)
	return a
}

func (a *birdAccount) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") != "Bearer "+a.key {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","code":"invalid_api_key"}}`)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"parrot"},{"id":"parrot-mini"}]}`)
		return
	}
	a.calls.Add(1)
	body, _ := io.ReadAll(r.Body)
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		_, _ = io.WriteString(w, `{"id":"c1","object":"chat.completion","created":1,"model":"parrot","choices":[{"index":0,"message":{"role":"assistant","content":"squawk"},`+
			`"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	piece := func(text, finish string) {
		fmt.Fprintf(w, `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"parrot","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]}`+"\n\n", text, finish)
		w.(http.Flusher).Flush()
	}
	piece("first", "null")
	select {
	case <-a.held:
	case <-r.Context().Done():
		return
	}
	piece("last", `"stop"`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// tenant is a person who is signed in, at any process on a database.
type tenant struct {
	house  *rig.House
	cookie *http.Cookie
}

var supplySetup = regexp.MustCompile(`/console/setup\?token=([^\s]+)`)

// operator sets a house up and signs its administrator in.
func operator(t *testing.T, h *rig.House) *tenant {
	t.Helper()
	found := supplySetup.FindStringSubmatch(h.Greeting())
	if found == nil {
		t.Fatalf("no set-up link in %s", h.Greeting())
	}
	v := &tenant{house: h}
	const password = "correct horse battery staple"
	res := v.send(t, "/console/setup", url.Values{"token": {found[1]}, "email": {"admin@example.com"}, "password": {password}, "again": {password}})
	for _, c := range res.Cookies() {
		if c.Name == "stele_session" {
			v.cookie = c
		}
	}
	if v.cookie == nil {
		t.Fatalf("not signed in: %s", res.Status)
	}
	return v
}

// at is the same person at another process on the same database.
func (v *tenant) at(h *rig.House) *tenant { return &tenant{h, v.cookie} }

func (v *tenant) send(t *testing.T, path string, form url.Values) *http.Response {
	t.Helper()
	r := v.house.Request(t, "POST", path)
	r.Body = io.NopCloser(strings.NewReader(form.Encode()))
	r.ContentLength = int64(len(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "text/html")
	if v.cookie != nil {
		r.AddCookie(v.cookie)
	}
	res, err := v.house.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// change is send for what must work.
func (v *tenant) change(t *testing.T, path string, form url.Values) {
	t.Helper()
	res := v.send(t, path, form)
	if res.StatusCode != http.StatusSeeOther {
		page, _ := io.ReadAll(res.Body)
		t.Fatalf("POST %s: %s\n%s", path, res.Status, page)
	}
}

func (v *tenant) page(t *testing.T, path string) string {
	t.Helper()
	r := v.house.Request(t, "GET", path)
	r.Header.Set("Accept", "text/html")
	r.AddCookie(v.cookie)
	a, err := v.house.Send(r)
	if err != nil || a.Status != http.StatusOK {
		t.Fatalf("GET %s: %d %v", path, a.Status, err)
	}
	return a.Body
}

const greetBirds = `{"model":%q,"messages":[{"role":"user","content":"hello"}]}`

func asksBirds(t *testing.T, h *rig.House, key, model string) (int, string) {
	t.Helper()
	a := h.Post(t, "/api/v1/chat/completions", key, fmt.Sprintf(greetBirds, model))
	return a.Status, a.Body
}

const parrotKey = "sk-parrot-0123456789abcdef"

func parrot(a *birdAccount) url.Values {
	return url.Values{"id": {"birds"}, "kind": {"openai"}, "base_url": {a.URL + "/v1"}, "api_key": {parrotKey}, "models": {"parrot"}}
}

// TestAProviderOfTheConsoleAnswersAtOnce adds one, with a model on top, and calls
// both with the very next request.
func TestAProviderOfTheConsoleAnswersAtOnce(t *testing.T) {
	t.Parallel()
	up := newBirdAccount(t, parrotKey)
	h := rig.Start(t, rig.Options{})
	v, key := operator(t, h), h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	if status, _ := asksBirds(t, h, key, "birds/parrot"); status != http.StatusNotFound {
		t.Fatalf("before: status %d", status)
	}
	v.change(t, "/console/providers", parrot(up))
	v.change(t, "/console/models", url.Values{
		"id": {"talkative"}, "strategy": {"fallback"}, "target_provider": {"birds"}, "target_model": {"parrot"}, "target_weight": {"1"},
	})
	for _, model := range []string{"birds/parrot", "talkative"} {
		if status, body := asksBirds(t, h, key, model); status != http.StatusOK || !strings.Contains(body, "squawk") {
			t.Errorf("%s: %d %s", model, status, body)
		}
	}
	tested, _ := io.ReadAll(v.send(t, "/console/providers/birds/test", url.Values{}).Body)
	if !strings.Contains(string(tested), "It works.") || !strings.Contains(string(tested), "listed 2 models") {
		t.Errorf("the test says %s", tested)
	}
	if page := v.page(t, "/console/providers/birds"); !strings.Contains(page, ">ok<") || strings.Contains(page, parrotKey) {
		t.Errorf("its page is %s", page)
	}

	for _, line := range h.Log(t) {
		if strings.Contains(fmt.Sprint(line), parrotKey) {
			t.Errorf("the log has the key: %v", line)
		}
	}

	// What is kept is sealed: in no file of the folder does the key stand in plain.
	h.Stop(t)
	var record bool
	err := filepath.WalkDir(h.Data, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(parrotKey)) {
			t.Errorf("%s has the key in plain", path)
		}
		record = record || bytes.Contains(raw, []byte(up.URL))
		return err
	})
	if err != nil || !record {
		t.Errorf("the record was not found in the folder: %v", err)
	}
	// And it is there after a start, beside what the file says then.
	h.Configure(t, "providers:\n  birds: {kind: openai, base_url: http://127.0.0.1:9/v1, models: [parrot]}\n")
	h.Start(t)
	if status, _ := asksBirds(t, h, key, "birds/parrot"); status == http.StatusOK {
		t.Error("the file's provider of the same name did not win")
	}
	r := v.page(t, "/console/providers")
	if !strings.Contains(r, "stele.yaml, line 2") || !strings.Contains(r, "not in use") {
		t.Errorf("the page does not tell who owns what: %s", r)
	}
	h.Configure(t, "providers: {}\n")
	h.Run(t, "config", "reload")
	if status, body := asksBirds(t, h, key, "talkative"); status != http.StatusOK {
		t.Errorf("after the file let go of the name: %d %s", status, body)
	}
}

// TestDeletingAProviderCutsNoStream removes it, and its model, under a stream.
func TestDeletingAProviderCutsNoStream(t *testing.T) {
	t.Parallel()
	up := newBirdAccount(t, parrotKey)
	h := rig.Start(t, rig.Options{})
	v, key := operator(t, h), h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	v.change(t, "/console/providers", parrot(up))
	r := h.Request(t, "POST", "/api/v1/chat/completions")
	r.Body = io.NopCloser(strings.NewReader(`{"model":"birds/parrot","stream":true,"messages":[{"role":"user","content":"hello"}]}`))
	r.Header.Set("Authorization", "Bearer "+key)
	res, err := h.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "first") {
	}
	v.change(t, "/console/providers/birds/delete", url.Values{})
	if status, _ := asksBirds(t, h, key, "birds/parrot"); status != http.StatusNotFound {
		t.Errorf("after the deletion: status %d", status)
	}
	close(up.held)
	var rest strings.Builder
	for lines.Scan() {
		rest.WriteString(lines.Text())
	}
	if !strings.Contains(rest.String(), "last") || !strings.Contains(rest.String(), "[DONE]") {
		t.Errorf("the stream ended with %q", rest.String())
	}
}

// TestAProviderReachesEveryProcess adds, switches off and changes one through one
// process and calls it through another on the same PostgreSQL.
func TestAProviderReachesEveryProcess(t *testing.T) {
	t.Parallel()
	up := newBirdAccount(t, parrotKey)
	flags := []string{"--database-url", rig.NewDatabase(t), "--master-key-file", rig.NewMasterKey(t)}
	one := rig.Start(t, rig.Options{Flags: flags})
	two := rig.Start(t, rig.Options{Flags: flags})
	v, key := operator(t, one), one.CreateKey(t).Key
	two.Keep(key)
	two.Await(t, key, http.StatusOK)

	begun := time.Now()
	reaches := func(what string, want int) {
		t.Helper()
		rig.Eventually(t, what, func() bool {
			status, _ := asksBirds(t, two, key, "birds/parrot")
			return status == want
		})
		t.Logf("%s: after %s", what, time.Since(begun))
	}
	v.change(t, "/console/providers", parrot(up))
	begun = time.Now()
	reaches("the other process offers it", http.StatusOK)
	v.at(two).change(t, "/console/providers/birds/switch", url.Values{"on": {"0"}})
	if status, _ := asksBirds(t, two, key, "birds/parrot"); status != http.StatusNotFound {
		t.Errorf("switched off: status %d", status)
	}
	rig.Eventually(t, "it is off at the first process too", func() bool {
		status, _ := asksBirds(t, one, key, "birds/parrot")
		return status == http.StatusNotFound
	})
	v.change(t, "/console/providers/birds/switch", url.Values{"on": {"1"}})
	reaches("it is on again", http.StatusOK)
}
