package blueprint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/media"
)

// acting makes a maker of an operation that only this test has.
func acting(t *testing.T, file, base string) *Maker {
	t.Helper()
	op, err := readOperation("test.yaml", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	o := clients()
	return &Maker{
		caller: &caller{base: u, key: fakeKey, client: o.Client, public: o.Public}, ops: map[string]*Operation{op.Name: op},
		name: "test", log: slog.New(slog.DiscardHandler), now: time.Now,
	}
}

func simple(operation string) media.Request {
	m := &media.Model{MediaType: "video", Upstream: "m-1", Call: media.Call{Operation: operation, Body: []media.Rule{{To: "prompt", Value: "$prompt"}}}}
	return media.Request{Key: "gen_1", Model: m, Operation: &media.Operation{Mode: "text_to_video"}, Prompt: "a fox"}
}

// An API that answers 200 to everything and gives its output through a second
// call and a third.
const envelopes = `operation: acme/v1
kind: acme
envelope: {path: base_resp.status_code, ok: 0}
submit: {post: /v1/video, id: task_id}
poll: {get: "/v1/query?task_id={id}", first: 1s, step: 1s, max: 2s}
state: {path: status, map: {Queueing: pending, Processing: processing, Success: success, Fail: failed}}
outputs: [{path: file_id, get: "/v1/files?file_id={value}", then: file.download_url, kind: video}]
error: {code: base_resp.status_code, message: base_resp.status_msg}
classify:
  - {code: ["1002"], class: rate}
  - {code: ["1026"], class: policy_input}
`

func TestEnvelopesAndSecondCalls(t *testing.T) {
	t.Parallel()
	var code, status = 0, "Queueing"
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		envelope := fmt.Sprintf(`"base_resp":{"status_code":%d,"status_msg":"words"}`, code)
		switch r.URL.RequestURI() {
		case "/v1/video":
			fmt.Fprintf(w, `{"task_id":4711,%s}`, envelope)
		case "/v1/query?task_id=4711":
			fmt.Fprintf(w, `{"status":%q,"file_id":"f 1",%s}`, status, envelope)
		case "/v1/files?file_id=f+1":
			fmt.Fprintf(w, `{"file":{"download_url":"%s/bytes"},%s}`, server.URL, envelope)
		case "/bytes":
			fmt.Fprint(w, "film")
		default:
			t.Errorf("asked for %s", r.URL)
		}
	}))
	defer server.Close()
	m := acting(t, envelopes, server.URL)
	for refused, class := range map[int]media.Class{1002: media.Rate, 1026: media.PolicyInput, 9999: media.BadInput} {
		code = refused
		if _, err := m.Submit(t.Context(), simple("acme/v1")); media.ToFailure(err).Class != class {
			t.Errorf("code %d: %v", refused, err)
		}
	}
	code = 0
	accepted, err := m.Submit(t.Context(), simple("acme/v1"))
	if err != nil || accepted.Wait != time.Second {
		t.Fatal(accepted, err)
	}
	for _, c := range []struct {
		status string
		state  media.State
	}{{"Queueing", media.Pending}, {"Processing", media.Processing}, {"Dreaming", media.Processing}, {"Fail", media.Failed}, {"Success", media.Success}} {
		status = c.status
		got, err := m.Poll(t.Context(), accepted.Ticket)
		if err != nil || got.State != c.state {
			t.Fatalf("%s: %+v, %v", c.status, got, err)
		}
		if c.state != media.Success {
			continue
		}
		body, err := got.Outputs[0].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if film, _ := io.ReadAll(body); string(film) != "film" {
			t.Errorf("got %q", film)
		}
	}
}

func TestOutputsInTheAnswerItself(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		`{"audio":"48656c6c6f"}`: "Hello", // hex
		`{"picture":"SGVsbG8="}`: "Hello", `{"picture":"SGVs\nbG8"}`: "Hello", `{"picture":"_-8"}`: "\xff\xef",
		`{"link":"data:text/plain;base64,SGVsbG8="}`: "Hello", `{"link":"data:,Hel%20lo"}`: "Hel lo",
		`{"link":"ftp://x/y"}`: "", `{"link":"/etc/passwd"}`: "", `{"picture":"!!"}`: "", `{"link":""}`: "", `[]`: "", `{"link":{"url":"x"}}`: "",
	}
	body := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
	defer server.Close()
	m := acting(t, `operation: acme/whole
kind: acme
submit: {post: /make, whole: true}
outputs: [{path: audio, form: hex}, {path: picture, form: base64}, {path: link}]
`, server.URL)
	for text, want := range answers {
		body = text
		list, err := m.makeWhole(t.Context(), simple("acme/whole"), nil)
		if want == "" {
			if media.ToFailure(err).Class != media.ModelFailed {
				t.Errorf("%s: %v, %v", text, list, err)
			}
			continue
		}
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %d outputs, %v", text, len(list), err)
			continue
		}
		r, _ := list[0].Open(t.Context())
		if got, _ := io.ReadAll(r); string(got) != want || list[0].Kind != "video" {
			t.Errorf("%s: %q of kind %s", text, got, list[0].Kind)
		}
	}
}

func TestTheKeyStaysWithTheProvider(t *testing.T) {
	t.Parallel()
	shown := make(map[string]bool)
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown["stranger"] = shown["stranger"] || r.Header.Get("Authorization") != ""
		fmt.Fprint(w, `{"status":"done","url":"https://127.0.0.1:1/x"}`)
	}))
	defer stranger.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown["own"] = r.Header.Get("Authorization") == "Bearer "+fakeKey
		switch r.URL.Path {
		case "/order":
			fmt.Fprintf(w, `{"id":"1","poll":"%s/poll"}`, stranger.URL)
		case "/bytes": // a store that sends the caller on
			http.Redirect(w, r, stranger.URL+"/bytes", http.StatusFound)
		}
	}))
	defer own.Close()
	m := acting(t, `operation: acme/t
kind: acme
auth: {header: Authorization, value: "Bearer {key}"}
hosts: ["*.acme.com"]
submit: {post: /order, id: id, urls: {poll: poll}}
poll: {get: "{urls.poll}", first: 1s, step: 1s, max: 1s}
state: {path: status, map: {done: success}}
outputs: [{path: url, kind: image}]
`, own.URL)
	status, err := m.Submit(t.Context(), simple("acme/t"))
	if err != nil || !shown["own"] {
		t.Fatal(shown, err)
	}
	if got, err := m.Poll(t.Context(), status.Ticket); err != nil || got.State != media.Success {
		t.Fatal(got, err)
	}
	op := m.ops["acme/t"]
	body, err := m.download(t.Context(), op, &op.Outputs[0], own.URL+"/bytes")
	if err != nil {
		t.Fatal(err)
	}
	_ = body.Close()
	if shown["stranger"] {
		t.Error("the key was shown to a stranger")
	}
	genuine := &caller{base: &url.URL{Scheme: "https", Host: "api.acme.com"}}
	for where, want := range map[string]bool{
		"https://api.acme.com/x": true, "https://eu1.acme.com/x": true, "http://eu1.acme.com/x": false, "https://acme.com.evil.org/": false,
		"https://evilacme.com/": false, "https://eu1.acme.com:8443/": false, "https://API.acme.com/": true, "https://acme.com/": false,
	} {
		u, _ := url.Parse(where)
		if got := genuine.own(u, op.Hosts); got != want {
			t.Errorf("%s is its own: %t", where, got)
		}
	}
	// A key that was entered for a server in front of the provider stays there.
	front := &caller{base: &url.URL{Scheme: "https", Host: "proxy.example.com"}}
	for where, want := range map[string]bool{"https://proxy.example.com/x": true, "https://api.acme.com/x": false, "https://eu1.acme.com/x": false} {
		u, _ := url.Parse(where)
		if got := front.own(u, op.Hosts); got != want {
			t.Errorf("behind a proxy %s is its own: %t", where, got)
		}
	}
	for _, where := range []string{"https://user:pass@api.acme.com/", "file:///etc/passwd", "x", ""} {
		if u, err := genuine.locate(where); err == nil {
			t.Errorf("%q is %s", where, u)
		}
	}
}

func TestRefusalsByStatus(t *testing.T) {
	t.Parallel()
	op, err := operationOf("replicate/prediction")
	if err != nil {
		t.Fatal(err)
	}
	d := &caller{base: &url.URL{Host: "api.acme.com"}, key: fakeKey}
	explained := `{"title":"T","detail":"words"}`
	for _, c := range []struct {
		status          int
		body            string
		ordering, looks media.Class
	}{
		{400, "", media.BadInput, media.BadInput}, {401, "", media.Auth, media.Auth}, {402, "", media.Quota, media.Quota}, {403, "", media.Auth, media.Auth},
		{404, "", media.BadInput, media.Gone}, {408, "", media.SubmitUnknown, media.Transient}, {410, "", media.BadInput, media.Gone},
		{413, "", media.BadInput, media.BadInput}, {422, explained, media.BadInput, media.BadInput}, {429, "", media.Rate, media.Rate},
		{302, "", media.Transient, media.Transient}, {500, "", media.SubmitUnknown, media.Transient}, {500, explained, media.SubmitUnknown, media.Transient},
		{502, explained, media.SubmitUnknown, media.Transient}, {503, "", media.SubmitUnknown, media.Transient}, {503, "<html>", media.SubmitUnknown, media.Transient},
		{503, explained, media.Transient, media.Transient}, {504, explained, media.SubmitUnknown, media.Transient},
	} {
		a := answer{status: c.status, header: http.Header{}, body: []byte(c.body)}
		_ = json.Unmarshal(a.body, &a.doc)
		if f := d.refusalFailure(op, a, true); f.Class != c.ordering {
			t.Errorf("%d %s to an order: %s", c.status, c.body, f.Class)
		}
		if f := d.refusalFailure(op, a, false); f.Class != c.looks {
			t.Errorf("%d %s to a look: %s", c.status, c.body, f.Class)
		}
	}
}

func TestHowLongProvidersAskToWait(t *testing.T) {
	t.Parallel()
	replicate, _ := operationOf("replicate/prediction")
	gemini, _ := operationOf("gemini/content")
	for _, c := range []struct {
		op           *Operation
		header, body string
		want         time.Duration
	}{
		{replicate, "Retry-After: 3", "", 3 * time.Second}, {replicate, "Retry-After-Ms: 1500", "", 1500 * time.Millisecond},
		{replicate, "", `{"detail":"Your rate limit resets in ~12s."}`, 12 * time.Second}, {replicate, "", `{"detail":"resets in ~soon"}`, 0},
		{gemini, "", `{"error":{"details":[{"x":1},{"retryDelay":"34.5s"}]}}`, 34500 * time.Millisecond},
		{gemini, "Retry-After: -5", "", 0}, {gemini, "Retry-After: 99999999", "", 0}, {gemini, "Retry-After: 86400", "", time.Hour},
		{gemini, "Retry-After: Mon, 02 Jan 2006 15:04:05 GMT", "", 0},
	} {
		a := answer{header: http.Header{}}
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			a.header.Set(name, value)
		}
		_ = json.Unmarshal([]byte(c.body), &a.doc)
		_, message := c.op.readProblem(a)
		if got := c.op.patience(a, message); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.header, c.body, got, c.want)
		}
	}
}

func TestWhatClientsMayRead(t *testing.T) {
	t.Parallel()
	d := &caller{base: &url.URL{Scheme: "http", Host: "10.0.0.7:8188"}, key: fakeKey}
	f := d.failure(media.BadInput, "code", "bad "+fakeKey+" at http://10.0.0.7:8188/x?y=1, \n see 10.0.0.7:8188 or https://a.b/c. "+strings.Repeat("long ", 200), nil)
	if want := "The provider refused the request. It said: bad … at … see … or … long"; !strings.HasPrefix(f.Message, want) || len(f.Message) > 400 {
		t.Errorf("%s", f.Message)
	}
	if f := d.failure(media.Auth, "", "the key "+fakeKey+" of org-1 is bad", errors.New("sent "+fakeKey)); strings.Contains(f.Error(), fakeKey) || strings.Contains(f.Message, "org-1") {
		t.Errorf("%v", f)
	}
	for class := range sentences {
		if f := d.failure(class, "", "", nil); f.Message == "" || !strings.HasSuffix(f.Message, ".") {
			t.Errorf("%s: %q", class, f.Message)
		}
	}
}

func TestCostProgressAndPatience(t *testing.T) {
	t.Parallel()
	stage := fakeBFL(fakePictures(1))
	defer stage.Close()
	m, _ := open(t, "bfl", stage.URL, nil).(*Maker)
	now := time.Now()
	m.now = func() time.Time { return now }
	status, err := m.Submit(t.Context(), request(t, "bfl/flux-2-pro", "text_to_image"))
	if err != nil || status.Nano != 45_000_000 || status.Wait != 500*time.Millisecond {
		t.Fatalf("%+v, %v", status, err)
	}
	_, _ = m.Poll(t.Context(), status.Ticket)
	got, err := m.Poll(t.Context(), status.Ticket)
	if err != nil || got.Progress != 0.4 || got.Nano != 45_000_000 || got.Wait != 500*time.Millisecond {
		t.Errorf("%+v, %v", got, err)
	}
	stage.Live(fakeStays)
	now = now.Add(10 * time.Second)
	if got, _ := m.Poll(t.Context(), status.Ticket); got.Wait != 1250*time.Millisecond {
		t.Errorf("after ten seconds: %s", got.Wait)
	}
	now = now.Add(time.Minute)
	if got, _ := m.Poll(t.Context(), status.Ticket); got.Wait != 2*time.Second {
		t.Errorf("after a minute: %s", got.Wait)
	}
	now = now.Add(time.Hour)
	if got, _ := m.Poll(t.Context(), status.Ticket); got.State != media.Failed || got.Failure.Class != media.Late {
		t.Errorf("after an hour: %+v", got)
	}
	logs := `{"logs":"a 10%| b\n 57%|x"}`
	var doc any
	_ = json.Unmarshal([]byte(logs), &doc)
	replicate, _ := operationOf("replicate/prediction")
	if p := replicate.Progress.read(doc); p != 0.57 {
		t.Errorf("progress in a text: %g", p)
	}
}

func TestAnUnknownStateIsToldOnce(t *testing.T) {
	t.Parallel()
	stage := fakeReplicate(fakePictures(1))
	defer stage.Close()
	stage.Live(fakeOdd)
	m, _ := open(t, "replicate", stage.URL, nil).(*Maker)
	var log bytes.Buffer
	m.log = slog.New(slog.NewTextHandler(&log, nil))
	status, err := m.Submit(t.Context(), request(t, "replicate/flux-schnell", "text_to_image"))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, _ = m.Poll(t.Context(), status.Ticket)
	}
	if strings.Count(log.String(), "state=hibernating") != 1 {
		t.Errorf("%s", log.String())
	}
}

// A call that was made is paid for: it is not hung up, so that its price is learned.
func TestACallThatWasMadeGoesOn(t *testing.T) {
	t.Parallel()
	stage := fakeOpenAI(fakePictures(1))
	defer stage.Close()
	there := stage.Hold()
	m, _ := open(t, "openai", stage.URL, nil).(*Maker)
	ctx, hurry := context.WithCancel(t.Context())
	hurry() // the caller does not wait, the call goes on
	status, err := m.Submit(ctx, request(t, "openai/gpt-image-2", "text_to_image"))
	if err != nil || status.State != media.Processing {
		t.Fatalf("%+v, %v", status, err)
	}
	<-there
	if err := m.Cancel(t.Context(), status.Ticket); !errors.Is(err, ErrGoesOn) {
		t.Fatalf("it was stopped: %v", err)
	}
	if got, err := m.Poll(t.Context(), status.Ticket); err != nil || got.State != media.Processing || !m.Holds(status.Ticket) {
		t.Fatalf("%+v, %v", got, err)
	}
	stage.Release()
	for {
		got, err := m.Poll(t.Context(), status.Ticket)
		if err != nil {
			t.Fatal(err)
		}
		if got.State.Final() {
			if got.State != media.Success {
				t.Errorf("%+v", got)
			}
			break
		}
	}
	m.Forget(status.Ticket)
	if _, err := m.Poll(t.Context(), status.Ticket); media.ToFailure(err).Class != media.Gone || m.Holds(status.Ticket) {
		t.Errorf("forgotten: %v", err)
	}
}

func TestWhatWaitsIsTakenOffTheQueue(t *testing.T) {
	t.Parallel()
	stage := fakeComfyUI(fakePictures(1))
	defer stage.Close()
	m := open(t, "comfyui", stage.URL, nil)
	status, err := m.Submit(t.Context(), request(t, "comfyui/sdxl", "text_to_image"))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Cancel(t.Context(), status.Ticket); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Poll(t.Context(), status.Ticket); media.ToFailure(err).Class != media.Gone {
		t.Errorf("%v", err)
	}
	done, err := m.Submit(t.Context(), request(t, "comfyui/sdxl", "text_to_image"))
	if err != nil {
		t.Fatal(err)
	}
	stage.Live(fakeReady)
	if err := m.Cancel(t.Context(), done.Ticket); !errors.Is(err, ErrGoesOn) {
		t.Errorf("what is done was stopped: %v", err)
	}
	if got, err := m.Poll(t.Context(), done.Ticket); err != nil || got.State != media.Success {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnAnswerThatDoesNotComeInTimeIsLost(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-hold
	}))
	defer server.Close()
	defer close(hold)
	m := acting(t, strings.Replace(envelopes, "id: task_id}", "id: task_id, timeout: 1s}", 1), server.URL)
	if _, err := m.Submit(t.Context(), simple("acme/v1")); media.ToFailure(err).Class != media.SubmitUnknown {
		t.Errorf("%v", err)
	}
}

func TestAnAnswerThatNamesNothingIsLost(t *testing.T) {
	t.Parallel()
	bare := strings.Replace(envelopes, "envelope: {path: base_resp.status_code, ok: 0}\n", "", 1)
	for _, body := range []string{"", "<html>hello</html>", `{}`, `{"base_resp":{"status_code":0}}`, `{"task_id":"","base_resp":{"status_code":0}}`} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
		for _, file := range []string{envelopes, bare} {
			if _, err := acting(t, file, server.URL).Submit(t.Context(), simple("acme/v1")); media.ToFailure(err).Class != media.SubmitUnknown {
				t.Errorf("%s: %v", body, err)
			}
		}
		server.Close()
	}
}
