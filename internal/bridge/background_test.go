package bridge_test

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/bridge"
)

// slowServer says a word of its answer, and the rest when it is told to.
type slowServer struct {
	*httptest.Server

	begun chan struct{} // a word was said
	goOn  chan struct{} // the rest may come
	gone  chan struct{} // the bridge hung up
}

func newSlowServer(t *testing.T) (*slowServer, string) {
	t.Helper()
	s := &slowServer{begun: make(chan struct{}, 9), goOn: make(chan struct{}), gone: make(chan struct{}, 9)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		s.begun <- struct{}{}
		select {
		case <-s.goOn:
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		case <-r.Context().Done():
			s.gone <- struct{}{}
		}
	}))
	t.Cleanup(s.Close)
	kept, err := bridge.NewKept(1<<20, "")
	if err != nil {
		t.Fatal(err)
	}
	b := httptest.NewServer(bridge.New(bridge.Options{Server: s.URL, Key: key, Client: s.Client(), Kept: kept, Log: slog.New(slog.DiscardHandler)}))
	t.Cleanup(b.Close)
	return s, b.URL + "/v1/responses"
}

// TestGoesOnInTheBackground has a client leave a stream after its first events, take it up
// again behind the last that it has, and look at the response while it is made and after.
func TestGoesOnInTheBackground(t *testing.T) {
	t.Parallel()
	s, at := newSlowServer(t)
	answer, err := http.Post(at, "application/json", strings.NewReader(`{"model":"m","input":"x","background":true,"stream":true}`)) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	read := bufio.NewReader(answer.Body)
	var has []string
	for len(has) < 3 {
		line, err := read.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			has = append(has, data)
		}
	}
	<-s.begun
	answer.Body.Close()
	id := gjson.Get(has[0], "response.id").Str
	if _, _, body := ask(t, "GET", at+"/"+id, ""); gjson.Get(body, "status").Str != "in_progress" || !gjson.Get(body, "background").Bool() {
		t.Errorf("%s", body)
	}
	close(s.goOn)
	_, _, rest := ask(t, "GET", at+"/"+id+"?stream=true&starting_after=2", "")
	for event := range strings.SplitSeq(strings.TrimSpace(rest), "\n\n") {
		_, data, _ := strings.Cut(event, "\ndata: ")
		if has = append(has, data); gjson.Get(data, "sequence_number").Int() != int64(len(has)-1) {
			t.Errorf("event %d is %s", len(has)-1, data)
		}
	}
	last := gjson.Parse(has[len(has)-1])
	_, _, body := ask(t, "GET", at+"/"+id, "")
	whole := gjson.Parse(body)
	if last.Get("type").Str != "response.completed" || whole.Get("status").Str != "completed" || whole.Get("output.0.content.0.text").Str != "Hello" {
		t.Errorf("%s\n%s", last, whole)
	}
	if status, _, body := post(t, at, `{"model":"m","input":"y","previous_response_id":"`+id+`"}`); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	if _, _, body := ask(t, "POST", at+"/"+id+"/cancel", ""); gjson.Get(body, "status").Str != "completed" {
		t.Errorf("canceled after its end: %s", body)
	}
	if status, _, body := ask(t, "DELETE", at+"/"+id, ""); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := ask(t, "GET", at+"/"+id, ""); status != http.StatusNotFound {
		t.Errorf("%d %s", status, body)
	}
}

func TestABackgroundIsCanceled(t *testing.T) {
	t.Parallel()
	s, at := newSlowServer(t)
	status, _, body := post(t, at, `{"model":"m","input":"x","background":true}`)
	id := gjson.Get(body, "id").Str
	if status != http.StatusOK || gjson.Get(body, "status").Str == "completed" {
		t.Fatalf("%d %s", status, body)
	}
	<-s.begun
	if status, _, body := ask(t, "POST", at+"/"+id+"/cancel", ""); status != http.StatusOK || gjson.Get(body, "status").Str != "cancelled" {
		t.Errorf("%d %s", status, body)
	}
	<-s.gone
	if _, _, body := ask(t, "GET", at+"/"+id, ""); gjson.Get(body, "status").Str != "cancelled" {
		t.Errorf("%s", body)
	}
	_, _, events := ask(t, "GET", at+"/"+id+"?stream=true", "")
	from := strings.LastIndex(events, "event: ")
	if last := events[max(from, 0):]; !strings.HasPrefix(last, "event: response.failed\n") || !strings.Contains(last, `"status":"cancelled","background":true,`) ||
		!strings.Contains(last, `"error":null`) || strings.Contains(events, "event: error") {
		t.Errorf("%s", events)
	}
}

// TestABackgroundFails has the server refuse, and asks for what no background has.
func TestABackgroundFails(t *testing.T) {
	t.Parallel()
	s := newServer(t, `{"error":{"message":"Slow down.","type":"rate_limit_error","param":null,"code":"rate_limit_exceeded"}}`)
	s.status = http.StatusTooManyRequests
	at := newBridge(t, s).URL + "/v1/responses"
	_, _, body := post(t, at, `{"model":"m","input":"x","background":true}`)
	id := gjson.Get(body, "id").Str
	_, _, events := ask(t, "GET", at+"/"+id+"?stream=true", "") // to its end
	_, _, body = ask(t, "GET", at+"/"+id, "")
	if r := gjson.Parse(body); r.Get("status").Str != "failed" || r.Get("error.code").Str != "rate_limit_exceeded" || !strings.Contains(events, "event: response.failed") {
		t.Errorf("%s\n%s", events, body)
	}
	for path, want := range map[string]int{"/resp_none/cancel": http.StatusNotFound, "/" + id + "/cancel": http.StatusOK} {
		if status, _, body := ask(t, "POST", at+path, ""); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, query := range []string{"?stream=true&starting_after=x", "?stream=true&starting_after=-1", "?stream=true&starting_after=99", "?stream=true&starting_after=9223372036854775807"} {
		if status, _, body := ask(t, "GET", at+"/"+id+query, ""); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	if status, _, body := post(t, at, `{"model":"m","input":"x","background":true,"store":false}`); status != http.StatusBadRequest || gjson.Get(body, "error.param").Str != "background" {
		t.Errorf("%d %s", status, body)
	}
	s.status, s.answer = http.StatusOK, spoken
	plain := member(t, at, `{"model":"m","input":"x"}`)
	if status, _, body := ask(t, "POST", at+"/"+plain+"/cancel", ""); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := ask(t, "GET", at+"/"+plain+"?stream=true", ""); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, body)
	}
}

// TestWhatIsKnownOfTheBackground asks for what a response in the background was asked with
// while it is made, and to cancel one of a bridge that has ended since.
func TestWhatIsKnownOfTheBackground(t *testing.T) {
	t.Parallel()
	s, at := newSlowServer(t)
	id := made(t, at, `{"model":"m","input":"x","background":true}`)
	<-s.begun
	if status, _, body := ask(t, "GET", at+"/"+id+"/input_items", ""); status != http.StatusOK || gjson.Get(body, "data.0.content.0.text").Str != "x" {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := post(t, at, `{"model":"m","input":"y","previous_response_id":"`+id+`"}`); status != http.StatusBadRequest || !strings.Contains(body, "still being made") {
		t.Errorf("%d %s", status, body)
	}
	ask(t, "POST", at+"/"+id+"/cancel", "")

	folder, server := t.TempDir(), newServer(t, spoken)
	open := func() string {
		kept, err := bridge.NewKept(1<<20, folder)
		if err != nil {
			t.Fatal(err)
		}
		b := httptest.NewServer(bridge.New(bridge.Options{Server: server.URL, Key: key, Client: server.Client(), Kept: kept, Log: slog.New(slog.DiscardHandler)}))
		t.Cleanup(b.Close)
		return b.URL + "/v1/responses"
	}
	first := open()
	id = made(t, first, `{"model":"m","input":"x","background":true}`)
	for status := ""; status != "completed"; {
		_, _, body := ask(t, "GET", first+"/"+id, "")
		status = gjson.Get(body, "status").Str
	}
	if status, _, body := ask(t, "POST", open()+"/"+id+"/cancel", ""); status != http.StatusOK || gjson.Get(body, "status").Str != "completed" {
		t.Errorf("%d %s", status, body)
	}
}

// made is the id of what a request makes.
func made(t *testing.T, url, body string) string {
	t.Helper()
	status, _, got := post(t, url, body)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, got)
	}
	return gjson.Get(got, "id").Str
}
