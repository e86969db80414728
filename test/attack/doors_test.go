package attack

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// dial opens a connection to the house and says something on it.
func (s *siege) dial(t testing.TB, text string) net.Conn {
	t.Helper()
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.DialTimeout("tcp", at.Host, 30*time.Second)
	if err != nil {
		t.Error(err)
		return nil
	}
	_, _ = io.WriteString(c, text) // a server may hang up before it has heard all
	return c
}

// ended waits until the server has ended each of the connections, having read what
// it said on them.
func ended(t *testing.T, within time.Duration, conns map[string]net.Conn) {
	t.Helper()
	end := time.Now().Add(within)
	var all sync.WaitGroup
	for what, c := range conns {
		if c == nil {
			continue
		}
		all.Go(func() {
			defer c.Close()
			_ = c.SetReadDeadline(end)
			if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: still open after %s", what, within)
			}
		})
	}
	all.Wait()
}

// What strangers do at any route.
func TestStrangersAtTheDoors(t *testing.T) { //nolint:paralleltest // besiege sees to that
	onOneHouse(t,
		attack{"a body that stands still ends", aBodyThatStandsStillEnds},
		attack{"a head that is never finished ends", aHeadThatIsNeverFinishedEnds},
		attack{"an answer that nobody reads ends", anAnswerThatNobodyReadsEnds},
		attack{"announced giants take nothing", announcedGiantsTakeNothing},
		attack{"methods are not kept", methodsAreNotKept},
		attack{"odd bodies are refused", oddBodiesAreRefused},
		attack{"keys and sessions open their own doors only", keysAndSessionsOpenTheirOwnDoorsOnly},
		attack{"odd names in paths are not found", oddNamesInPathsAreNotFound},
	)
}

// A body that stands still ends, on every route, read or not.
func aBodyThatStandsStillEnds(t *testing.T, s *siege) {
	s.under(t, func() {
		conns := make(map[string]net.Conn)
		for _, r := range routes(t) {
			for _, key := range []string{"", s.bad.Key} {
				what := fmt.Sprintf("%s %s with a key: %t", r.method, r.pattern, key != "")
				head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n", r.method, r.path("x"))
				if key != "" {
					head += "Authorization: Bearer " + key + "\r\n"
				}
				conns[what] = s.dial(t, head+"\r\n{")
			}
		}
		ended(t, 2*time.Minute, conns)
	})
}

// A head that is never finished ends. That a connection does on which nothing is said, the
// server's own tests show: it has the time of an idle one.
func aHeadThatIsNeverFinishedEnds(t *testing.T, s *siege) {
	s.under(t, func() {
		conns := make(map[string]net.Conn)
		for i := range 20 {
			conns[fmt.Sprintf("half a head %d", i)] = s.dial(t, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ")
		}
		ended(t, 2*time.Minute, conns)
	})
}

// An answer that its client does not read ends.
func anAnswerThatNobodyReadsEnds(t *testing.T, s *siege) {
	s.under(t, func() {
		var all sync.WaitGroup
		for i := range 8 {
			c := s.dial(t, strings.Repeat("GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n", 400))
			if c == nil {
				continue
			}
			all.Go(func() {
				defer c.Close()
				_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
				for end := time.Now().Add(2 * time.Minute); ; {
					if _, err := io.WriteString(c, "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
						return
					}
					if time.Now().After(end) {
						t.Errorf("connection %d is open, although nobody reads", i)
						return
					}
					_ = c.SetWriteDeadline(time.Now().Add(time.Second))
				}
			})
		}
		all.Wait()
	})
}

// What a client announces is not what it gets.
func announcedGiantsTakeNothing(t *testing.T, s *siege) {
	s.under(t, func() {
		conns := make(map[string]net.Conn)
		var posts []route
		for _, r := range routes(t) {
			if r.method == http.MethodPost {
				posts = append(posts, r)
			}
		}
		for i := range giants {
			r := posts[i%len(posts)]
			if i%2 == 0 {
				r = route{"api", "POST", "/api/v1/chat/completions"}
			}
			conns[fmt.Sprintf("%d %s", i, r.pattern)] = s.dial(t, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{", r.path("x"), s.bad.Key, 32<<20))
		}
		ended(t, 2*time.Minute, conns)
	})
}

// Methods become neither labels nor long lines.
func methodsAreNotKept(t *testing.T, s *siege) {
	before := s.series(t)
	s.under(t, func() {
		for i, r := range routes(t) {
			c := s.dial(t, "")
			if c == nil {
				continue
			}
			for n := range oddMethods {
				_, _ = fmt.Fprintf(c, "%s%d-%d %s HTTP/1.1\r\nHost: x\r\n\r\n", strings.Repeat("M", 30<<10), i, n, r.path("x"))
				if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
					break
				}
			}
			_ = c.Close()
		}
	})
	if grown := s.series(t) - before; grown > 3*len(routes(t)) {
		t.Errorf("%d new series", grown)
	}
	for _, line := range s.Log(t) {
		if text := fmt.Sprint(line); len(text) > 4<<10 {
			t.Errorf("a line of %d bytes is in the log: %.200s", len(text), text)
			break
		}
	}
}

// series counts what the metrics tell.
func (s *siege) series(t *testing.T) int {
	t.Helper()
	at := ""
	for _, line := range s.Log(t) {
		if m, ok := line["metrics"].(string); ok && m != "" {
			at = m
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Send(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(a.Body, "\n")
}

// oddBodies break readers of JSON.
func oddBodies() map[string]string {
	return map[string]string{
		"a million brackets":    strings.Repeat("[", 1_000_000),
		"nested objects":        strings.Repeat(`{"a":`, 200_000),
		"nested messages":       `{"model":"stele/sandbox","messages":` + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000) + "}",
		"a number of a million": `{"model":"stele/sandbox","messages":[],"max_tokens":` + strings.Repeat("9", 1_000_000) + "}",
		"an exponent":           `{"model":"stele/sandbox","messages":[],"temperature":1e999999999}`,
		"NUL":                   "{\"model\":\"a\x00b\",\"prompt\":\"\x00\"}",
		"an escaped NUL":        `{"model":"a\u0000b","prompt":"\u0000","messages":[{"role":"user","content":"\u0000"}]}`,
		"not UTF-8":             "{\"model\":\"\xff\xfe\"}",
		"a lone surrogate":      `{"model":"\ud800","messages":[{"role":"user","content":"\udc00"}]}`,
		"null":                  "null", "true": "true", "a text": `"x"`, "nothing": "", "spaces": strings.Repeat(" ", 1<<20),
		"the same member often": "{" + strings.Repeat(`"model":"a",`, 50_000) + `"model":"b"}`,
		"many members":          manyMembers(200_000),
		"a long model":          `{"model":"` + strings.Repeat("m", 8<<20) + `","messages":[{"role":"user","content":"x"}]}`,
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	b.WriteString(`{"model":"stele/sandbox"`)
	for i := range n {
		fmt.Fprintf(&b, `,"m%d":%d`, i, i)
	}
	return b.String() + "}"
}

// Odd bodies are refused by every route that takes JSON, and soon.
func oddBodiesAreRefused(t *testing.T, s *siege) {
	s.under(t, func() {
		bodies := oddBodies()
		for i, name := range slices.Sorted(maps.Keys(bodies)) {
			for n, r := range routes(t) {
				if r.door != "api" || r.method != http.MethodPost || (n+i)%inTurn != 0 {
					continue
				}
				before := s.processor(t)
				if a := s.send(t, r.path("x"), "application/json", strings.NewReader(bodies[name])); a.Status >= 500 {
					t.Errorf("%s to %s: %d %.200s", name, r.pattern, a.Status, a.Body)
				}
				if took := s.processor(t) - before; took > 5*time.Second {
					t.Errorf("%s to %s took %s of processor", name, r.pattern, took)
				}
			}
		}
	})
}

// Odd names in a path are not found, whatever they are.
func oddNamesInPathsAreNotFound(t *testing.T, s *siege) {
	names := []string{
		"%00", "a%00b", "%ff", "..", "%2e%2e", "..%2f..%2fadmin", "%252e%252e%252fadmin", strings.Repeat("x", 40<<10), "a%0d%0aX-Y:%20z", "%e2%80%ae", "-1", "0", "''", "%22",
	}
	s.under(t, func() {
		for n, r := range routes(t) {
			if !strings.Contains(r.pattern, "{") {
				continue
			}
			for i, name := range names {
				if (n+i)%inTurn != 0 {
					continue
				}
				for _, client := range []*http.Client{s.Client, s.browser} {
					request, err := http.NewRequestWithContext(t.Context(), r.method, s.URL+r.path(name), strings.NewReader("{}"))
					if err != nil {
						continue // not even a client can say it
					}
					request.Header.Set("Authorization", "Bearer "+s.bad.Key)
					response, err := client.Do(request)
					if err != nil {
						t.Errorf("%s %s with %.40q: %v", r.method, r.pattern, name, err)
						continue
					}
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
					if response.StatusCode >= 500 {
						t.Errorf("%s %s with %.40q: %d", r.method, r.pattern, name, response.StatusCode)
					}
				}
			}
		}
	})
}

// Keys open the public routes and nothing else; sessions open no public route.
func keysAndSessionsOpenTheirOwnDoorsOnly(t *testing.T, s *siege) {
	for _, r := range routes(t) {
		request, err := http.NewRequestWithContext(t.Context(), r.method, s.URL+r.path("x"), strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		client := s.browser
		if r.door == "console" {
			client = s.Client
			request.Header.Set("Authorization", "Bearer "+s.bad.Key)
			request.Header.Set("X-Api-Key", s.bad.Key)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if r.door == "api" && response.StatusCode != http.StatusUnauthorized {
			t.Errorf("a session opens %s %s: %d", r.method, r.pattern, response.StatusCode)
		}
		if open := openPages[r.pattern]; r.door == "console" && !open && response.StatusCode < 300 {
			t.Errorf("a key opens %s %s: %d", r.method, r.pattern, response.StatusCode)
		}
	}
}

// openPages need no session.
var openPages = map[string]bool{
	"/console/signin": true, "/console/welcome": true, "/reference": true, "/openapi.yaml": true, "/console/oidc": true, "/console/oidc/callback": true,
}
