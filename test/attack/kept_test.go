package attack

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stele/test/rig"
)

// keepOpen says something on many connections and lets them be until the neighbour has
// done its work.
func (s *siege) keepOpen(t *testing.T, n int, text func(i int) string) {
	t.Helper()
	var open sync.Map
	together(8, func(worker int) {
		for i := worker; i < n; i += 8 {
			if c := s.dial(t, text(i)); c != nil {
				open.Store(c, true)
			}
		}
	})
	s.neighbour.wait(t)
	open.Range(func(c, _ any) bool { return c.(io.Closer).Close() == nil })
}

// What is kept for callers who take their time.
func TestLittleIsKept(t *testing.T) { //nolint:paralleltest // besiege sees to that
	onOneHouse(t,
		attack{"long heads of slow bodies take little", longHeadsOfSlowBodiesTakeLittle},
		attack{"long addresses are not kept", longAddressesAreNotKept},
		attack{"wide bodies with a key take little", wideBodiesWithAKeyTakeLittle},
		attack{"keys of a workspace are bounded", keysOfAWorkspaceAreBounded},
		attack{"long documents take little", longDocumentsTakeLittle},
		attack{"unread pages take little", unreadPagesTakeLittle},
		attack{"unread lists take little", unreadListsTakeLittle},
		attack{"unread streams take little", unreadStreamsTakeLittle},
	)
}

// Heads that are whole take little as well, while their bodies are on their way.
func longHeadsOfSlowBodiesTakeLittle(t *testing.T, s *siege) {
	heads := map[string]string{
		"one line":   "X-A: " + strings.Repeat("h", 30<<10) + "\r\n",
		"lines":      strings.Repeat("X-A: "+strings.Repeat("h", 240)+"\r\n", 120),
		"many lines": strings.Repeat("a:b\r\n", 6_000),
		"names":      names(3000),
		"cookies":    "Cookie: " + strings.Repeat("a=b; ", 6_000) + "\r\n",
	}
	for name, head := range heads {
		t.Run(name, func(t *testing.T) {
			s.under(t, func() {
				s.keepOpen(t, slowBodies, func(i int) string {
					path := []string{"/console/signin", "/api/v1/chat/completions", "/nothing"}[i%3]
					return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n" + head + "\r\n{"
				})
			})
		})
	}
}

// names is a head of many lines with a name each.
func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "x%d:\r\n", i)
	}
	return b.String()
}

// Addresses as long as a head may be are not what is kept of a request.
func longAddressesAreNotKept(t *testing.T, s *siege) {
	query := "?x=" + strings.Repeat("q", 28<<10)
	s.under(t, func() {
		together(8, func(worker int) {
			for i := range longAddresses {
				path := fmt.Sprintf("/api/v1beta/models/gem/m%d-%d:generateContent", worker, i)
				s.send(t, path+query, "application/json", strings.NewReader(`{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`))
			}
		})
	})
}

// keyed is a chat with an Idempotency-Key as it goes over the wire.
func (s *siege) keyed(key, body string) string {
	return fmt.Sprintf("POST /api/v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s",
		s.bad.Key, key, len(body), body)
}

// Answers that are given again to clients who do not read them take little.
func TestAnswersGivenAgainTakeLittle(t *testing.T) { //nolint:paralleltest // besiege sees to that
	var all []attack
	for name, more := range map[string]string{"whole": `"n":24`, "streamed": `"stream":true`} {
		all = append(all, attack{name, func(t *testing.T, s *siege) {
			body := fmt.Sprintf(`{"model":"stele/sandbox","messages":[{"role":"user","content":"x [[sandbox: words=10000]]"}],%s}`, more)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/chat/completions", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+s.bad.Key)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Idempotency-Key", name)
			a, err := s.Send(r)
			t.Logf("an answer of %d KB: %d %.200s, %v", len(a.Body)>>10, a.Status, a.Body, err)
			s.under(t, func() {
				s.keepOpen(t, 300/oneIn, func(int) string { return s.keyed(name, body) })
			})
		}})
	}
	onOneHouse(t, all...)
}

// Bodies of very many small members are held for what they take, with a key as well.
func wideBodiesWithAKeyTakeLittle(t *testing.T, s *siege) {
	var members, elements strings.Builder
	for i := range 2_000_000 {
		fmt.Fprintf(&members, `,"%x":0`, i)
		elements.WriteString(",{}")
	}
	bodies := []string{
		`{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}]` + members.String() + "}",
		`{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}],"metadata":{"a":0` + members.String() + "}}",
		`{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}],"stop":[{}` + strings.Repeat(elements.String(), 4) + "]}",
	}
	s.under(t, func() {
		for n, path := range []string{"/api/v1/chat/completions", "/api/v1/messages", "/api/v1/generations"} {
			for i, body := range bodies {
				if !judged && i != n {
					continue // each path and each body once
				}
				together(3, func(twin int) {
					r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
					if err != nil {
						return
					}
					r.Header.Set("Authorization", "Bearer "+s.bad.Key)
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Idempotency-Key", fmt.Sprint(path, i, twin))
					if a, err := s.Send(r); err == nil && a.Status >= 500 && a.Status != http.StatusServiceUnavailable && a.Status != 529 {
						t.Errorf("%s: %d %.200s", path, a.Status, a.Body)
					}
				})
				t.Logf("%s, body %d: %d MB over idle", path, i, (s.memory(t, "VmHWM")-s.idle)>>20)
			}
		}
	})
}

// Clients that wait for an order hold their place, and not the order.
func TestWaitsForLongOrdersTakeLittle(t *testing.T) { //nolint:paralleltest // besiege sees to that
	s := besiege(t, "")
	a := s.send(t, "/api/v1/generations", "application/json", strings.NewReader(`{"model":"stele/sandbox-image","prompt":"[[sandbox: hang]]`+strings.Repeat("🌍", 99_000)+`"}`))
	id := generationID.FindString(a.Body)
	if id == "" {
		t.Fatalf("the order: %d %.300s", a.Status, a.Body)
	}
	s.under(t, func() {
		s.keepOpen(t, 1000/oneIn, func(i int) string {
			accept := ""
			if i%2 == 0 {
				accept = "Accept: text/event-stream\r\n"
			}
			return fmt.Sprintf("GET /api/v1/generations/%s?wait=60 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n", id, s.bad.Key, accept)
		})
	})
	s.Kill(t)
}

// Upstreams that send frames without end, thoughts without end, or a stream where none was
// asked for, take no more than the caller may have.
func TestUpstreamsWithoutEndTakeLittle(t *testing.T) { //nolint:paralleltest // besiege sees to that
	var all []attack
	for n, way := range endlessWays {
		if n%endlessTurn != 0 {
			continue
		}
		all = append(all, attack{way, func(t *testing.T, s *siege) {
			s.under(t, func() {
				together(endlessCalls, func(i int) {
					path, body := "/api/v1/chat/completions", `{"model":"%[4]s/%[3]s","messages":[{"role":"user","content":"ENDLESS %[1]s"}],"stream":%[2]t}`
					if i%3 == 0 {
						path, body = "/api/v1/messages", `{"model":"%[4]s/%[3]s","max_tokens":5,"messages":[{"role":"user","content":"ENDLESS %[1]s"}],"stream":%[2]t}`
					}
					text := fmt.Sprintf(body, way, i%2 == 0, strings.ReplaceAll(way, " ", "-"), []string{"self", "far"}[i/2%2])
					c := s.dial(t, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
						path, s.bad.Key, len(text), text))
					if c != nil {
						_, _ = io.Copy(io.Discard, c)
						_ = c.Close()
					}
				})
			})
			if paths, _, _ := s.up.heard(); len(paths) == 0 {
				t.Error("no upstream was asked") // a breaker would be open: each way has a model of its own
			}
		}})
	}
	onOne(t, func(t *testing.T) *siege {
		t.Helper()
		s := besiege(t, "")
		s.reload(t, "memory_per_key: 32MB")
		s.most, s.idle = endlessMost, rig.AtRest(t, s.PID())
		return s
	}, all...)
}

// Names of end users cost the other tenants nothing, where each has a limit of its own.
func TestManyEndUsersHoldUpNobody(t *testing.T) { //nolint:paralleltest // besiege sees to that
	s := besiege(t, "")
	s.Run(t, "limits", "create", "--name", "each user", "--workspace", "default", "--measure", "requests", "--window", "minute", "--amount", "1000", "--of", "user=*")
	s.Run(t, "limits", "create", "--name", "all", "--workspace", "victim", "--measure", "requests", "--window", "minute", "--amount", "100000")
	s.under(t, func() {
		together(16, func(worker int) {
			for i := range endUsers {
				s.chat(t, fmt.Sprintf(`{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}],"user":"user-%d-%d"}`, worker, i))
			}
		})
	})
}

// Pictures in words hold what their longest element takes, as far as the caller may.
func TestLongElementsTakeLittle(t *testing.T) { //nolint:paralleltest // besiege sees to that
	elements := map[string]string{
		"attributes": strings.Repeat(` a=""`, 700_000),
		"a value":    ` a="` + strings.Repeat("x", 3<<20),
		"words":      `>` + strings.Repeat("words ", 600_000),
	}
	var all []attack
	for name, element := range elements {
		all = append(all, attack{name, func(t *testing.T, s *siege) {
			part := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.svg\"\r\n\r\n<svg xmlns=\"http://www.w3.org/2000/svg\"" + element
			s.under(t, func() {
				s.keepOpen(t, longElements, func(int) string {
					return fmt.Sprintf("POST /api/v1/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n%s",
						s.bad.Key, 20<<20, part)
				})
			})
		}})
	}
	onOneHouse(t, all...)
}

// Keys with all the patterns and addresses that they may have are bounded in number.
func keysOfAWorkspaceAreBounded(t *testing.T, s *siege) {
	var models strings.Builder
	for i := range 200 {
		fmt.Fprintf(&models, "%s%d\n", strings.Repeat("p", 250), i)
	}
	form := url.Values{"name": {"x"}, "models": {models.String()}, "environment": {"development"}, "scope": {"chat"}}.Encode()
	var made atomic.Int64
	s.under(t, func() {
		together(4, func(int) {
			for range longKeys {
				if a := s.post(t, "/console/keys", "application/x-www-form-urlencoded", strings.NewReader(form)); a.Status < 400 {
					made.Add(1)
				}
			}
		})
	})
	t.Logf("%d keys were made", made.Load())
}

// Documents that the sandbox looks at are not read whole beside the request.
func longDocumentsTakeLittle(t *testing.T, s *siege) {
	documents := map[string]string{
		"text":            strings.Repeat("d29yZCBhbmQgd29yZCBhbmQg", 1<<20),
		"application/pdf": "JVBERi0xLjQg" + strings.Repeat("L1R5cGUvUGFnZSAg", 980_000),
	}
	s.under(t, func() {
		for kind, data := range documents {
			if kind == "text" {
				kind = "text/plain"
			}
			body := fmt.Sprintf(`{"model":"stele/sandbox","messages":[{"role":"user","content":[{"type":"file","file":{"filename":"x","file_data":"data:%s;base64,%s"}}]}]}`, kind, data)
			together(longDocuments, func(int) {
				if a := s.chat(t, body); a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
					t.Errorf("%s: %d %.200s", kind, a.Status, a.Body)
				}
			})
			t.Logf("%s: %d MB over idle", kind, (s.memory(t, "VmHWM")-s.idle)>>20)
		}
	})
}

// Pages that are made for each visitor are not made for one of them without bound.
func unreadPagesTakeLittle(t *testing.T, s *siege) {
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	var cookies strings.Builder
	for _, c := range s.browser.Jar.Cookies(at) {
		fmt.Fprintf(&cookies, "Cookie: %s=%s\r\n", c.Name, c.Value)
	}
	for _, path := range []string{"/reference", "/console/requests", "/console/models", "/console/apps"} {
		t.Run(path, func(t *testing.T) {
			s.under(t, func() {
				s.keepOpen(t, 400/oneIn, func(int) string {
					return strings.Repeat(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, at.Host, cookies.String()), 4)
				})
			})
		})
	}
}

// Answers that a key's clients do not read take no more than the key may have.
func unreadListsTakeLittle(t *testing.T, s *siege) {
	for _, path := range []string{"/api/v1/media_models", "/api/v1/apps?limit=100", "/api/v1/models"} {
		t.Run(path, func(t *testing.T) {
			s.under(t, func() {
				s.keepOpen(t, 600/oneIn, func(int) string {
					return strings.Repeat(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path, s.bad.Key), 4)
				})
			})
		})
	}
}

// Of a stream that its client does not read, little more is kept than of one that is
// read, however the upstream is reached: what is not taken stays with the upstream.
func unreadStreamsTakeLittle(t *testing.T, s *siege) {
	for _, provider := range []string{"self", "far"} {
		t.Run(provider, func(t *testing.T) {
			body := fmt.Sprintf(`{"model":"%s/steady","messages":[{"role":"user","content":"ENDLESS TEXT"}],"stream":true}`, provider)
			s.under(t, func() {
				s.keepOpen(t, unreadStreams, func(int) string {
					return fmt.Sprintf("POST /api/v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
						s.bad.Key, len(body), body)
				})
			})
		})
	}
}
