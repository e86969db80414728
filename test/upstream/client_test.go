package upstream

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// got is an answer as a client sees it.
type got struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

// path is where a server is asked, whole or streamed.
func path(s *Server, model string, stream bool) string {
	switch s.api.(type) {
	case openai:
		return "/v1/chat/completions"
	case anthropic:
		return "/v1/messages"
	}
	if stream {
		return "/v1beta/models/" + model + ":streamGenerateContent?alt=sse"
	}
	return "/v1beta/models/" + model + ":generateContent"
}

func request(t testing.TB, s *Server, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	switch s.api.(type) {
	case openai:
		r.Header.Set("Authorization", "Bearer "+s.key)
	case anthropic:
		r.Header.Set("X-Api-Key", s.key)
		r.Header.Set("Anthropic-Version", versionOld)
	case gemini:
		r.Header.Set("X-Goog-Api-Key", s.key)
	}
	return r
}

func send(t testing.TB, r *http.Request) got {
	t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return got{response.StatusCode, response.Header, string(body), err}
}

func post(t testing.TB, s *Server, path, body string) got {
	t.Helper()
	return send(t, request(t, s, path, body))
}

// value is the answer's JSON.
func (g got) value(t testing.TB) any {
	t.Helper()
	v, err := decode([]byte(g.body))
	if err != nil || g.status != http.StatusOK {
		t.Fatalf("%d %s: %v", g.status, g.body, err)
	}
	return v
}

// event is what an SSE reader that shares no code with the servers makes of a stream.
type event struct{ name, data string }

func events(t testing.TB, body string) []event {
	t.Helper()
	var all []event
	var e event
	var data []string
	lines := bufio.NewScanner(strings.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSuffix(lines.Text(), "\r")
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && data != nil:
			e.data = strings.Join(data, "\n")
			all, e, data = append(all, e), event{}, nil
		case line == "", name == "":
		case name == "event":
			e.name = value
		case name == "data":
			data = append(data, value)
		default:
			t.Errorf("a line of an unknown kind: %q", line)
		}
	}
	if data != nil {
		t.Errorf("the stream ends inside an event: %q", data)
	}
	return all
}

func (e event) value(t testing.TB) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(e.data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", e.data, err)
	}
	return v
}

// row is a request that is right, or wrong in one way.
type row struct {
	name   string
	body   string
	path   string // "" is the usual one
	model  string // of gemini
	header map[string]string
	want   string // in the error; "" is a right request
	status int    // 0 is 400, or 200 for a right one
}

func rows(t *testing.T, s *Server, table []row) {
	t.Helper()
	for _, r := range table {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			where, model := r.path, r.model
			if model == "" {
				model = "gemini-2.5-flash"
			}
			if where == "" {
				where = path(s, model, false)
			}
			ask := request(t, s, where, r.body)
			for name, value := range r.header {
				ask.Header.Set(name, value)
				if value == "" {
					ask.Header.Del(name)
				}
			}
			status := r.status
			if status == 0 && r.want != "" {
				status = http.StatusBadRequest
			} else if status == 0 {
				status = http.StatusOK
			}
			answer := send(t, ask)
			if answer.status != status || !strings.Contains(strings.ReplaceAll(answer.body, `\"`, `"`), r.want) {
				t.Errorf("%d %s\nwant %d %s", answer.status, answer.body, status, r.want)
			}
		})
	}
}

var (
	tinyPNG  = base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n and so on"))
	tinyJPEG = base64.StdEncoding.EncodeToString([]byte("\xff\xd8\xff\xe0 and so on"))
	tinyPDF  = base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 and so on"))
)
