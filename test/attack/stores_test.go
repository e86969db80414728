package attack

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// page reads a page as the administrator and gives its status and size.
func (s *siege) page(t testing.TB, path string) (status int, size int64) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.browser.Do(r)
	if err != nil {
		return 0, 0
	}
	defer response.Body.Close()
	size, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode, size
}

// Many silent addresses are no more than one.
func TestManySilentAddressesHoldUpNobody(t *testing.T) { //nolint:paralleltest // besiege sees to that
	s := besiege(t, "")
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(func() {
		close(over)
		silent.CloseClientConnections()
		silent.Close()
	})
	at, _ := url.Parse(silent.URL)
	s.Configure(t, strings.Replace(s.config, receivers+"/32", "127.0.0.0/8", 1))
	s.Run(t, "config", "reload")
	for i := range orders {
		order := fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"x %d","webhook_url":"http://127.0.1.%d:%s/%d"}`, i, 1+i%200, at.Port(), i)
		if a := s.Post(t, "/api/v1/generations", s.bad.Key, order); a.Status != http.StatusCreated {
			t.Fatalf("an order: %d %s", a.Status, a.Body)
		}
	}
	s.settled(t)
	s.beside(t)
}

// What a tenant has written down.
func TestStoresOfATenant(t *testing.T) { //nolint:paralleltest // besiege sees to that
	onOneHouse(t,
		attack{"odd filters are harmless", oddFiltersAreHarmless},
		attack{"exports at once take little", exportsAtOnceTakeLittle},
		attack{"many idempotency keys take little", manyIdempotencyKeysTakeLittle},
		attack{"towers in every member", towersInEveryMember},
		attack{"long prompts do not fill pages", longPromptsDoNotFillPages},
	)
}

// Orders with very long words are kept, and pages that show them stay small.
func longPromptsDoNotFillPages(t *testing.T, s *siege) {
	s.under(t, func() {
		for i := range 40 {
			for _, size := range []int{1 << 20, 8 << 20} {
				body := fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"%d %s","metadata":{"a":%q}}`, i, strings.Repeat("p", size), strings.Repeat("m", 1000))
				if a := s.send(t, "/api/v1/generations", "application/json", strings.NewReader(body)); a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
					t.Errorf("an order of %d MB: %d %.200s", size>>20, a.Status, a.Body)
				}
			}
		}
		s.settled(t)
		together(8, func(int) {
			for _, path := range []string{"/console/studio/gallery", "/console/studio", "/console/requests", "/console/usage", "/console/audit", "/console/apps"} {
				if status, size := s.page(t, path); status != http.StatusOK || size > 4<<20 {
					t.Errorf("%s: %d, %d KB", path, status, size>>10)
				}
			}
		})
	})
}

// Filters and places of pages may be anything.
func oddFiltersAreHarmless(t *testing.T, s *siege) {
	long := strings.Repeat("%25_", 6000)
	values := []string{
		long, "%00", "a%00b", "-1", "99999999999999999999", "1e309", "NaN", "'%20OR%201=1%20--", "(a*)*b", "%ff%fe", "%F0%9F%92%A9", "0001-01-01", "9999-12-31T23:59:59Z", "-292277026596-01-01", "[]",
		strings.Repeat("a,", 10_000), "..%2f..%2fetc", "%E2%80%AE",
	}
	names := []string{
		"q", "id", "from", "to", "model", "key", "status", "provider", "page", "after", "before", "cursor", "limit", "group", "by", "action", "actor", "subject", "workspace", "kind", "media", "sort", "days", "hours", "mode", "app", "tz",
	}
	s.under(t, func() {
		for n, r := range routes(t) {
			if r.method != http.MethodGet || strings.HasSuffix(r.pattern, "/events") || strings.HasSuffix(r.pattern, "/live") {
				continue
			}
			for i, value := range values {
				if (n+i)%inTurn != 0 {
					continue
				}
				var query strings.Builder
				for _, name := range names {
					if query.Len()+len(value) < 50<<10 {
						query.WriteString(name + "=" + value + "&")
					}
				}
				before := s.processor(t)
				if status, _ := s.page(t, r.path("x")+"?"+query.String()); status >= 500 {
					t.Errorf("%s with %.30q: %d", r.pattern, value, status)
				}
				if took := s.processor(t) - before; took > 3*time.Second {
					t.Errorf("%s with %.30q: %s of processor", r.pattern, value, took)
				}
			}
		}
	})
}

// Exports of much, many at once, are written as they are read.
func exportsAtOnceTakeLittle(t *testing.T, s *siege) {
	together(8, func(int) {
		for range exported {
			s.chat(t, `{"model":"stele/sandbox","messages":[{"role":"user","content":"x"}]}`)
		}
	})
	s.under(t, func() {
		together(40, func(i int) {
			for _, path := range []string{"/console/requests/csv", "/console/usage/csv", "/console/audit.csv"} {
				if status, _ := s.page(t, path); status >= 500 && status != http.StatusServiceUnavailable {
					t.Errorf("%s: %d", path, status)
				}
			}
		})
	})
}

// Idempotency keys are bounded in length, and many of them take little memory.
func manyIdempotencyKeysTakeLittle(t *testing.T, s *siege) {
	ask := func(key, path, body string) rig.Answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
		if err != nil {
			return rig.Answer{}
		}
		r.Header.Set("Authorization", "Bearer "+s.bad.Key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		a, _ := s.Send(r)
		return a
	}
	s.under(t, func() {
		for _, key := range []string{strings.Repeat("k", 30<<10), "a\tb", "é", " ", strings.Repeat("k", 256)} {
			if a := ask(key, "/api/v1/generations", `{"model":"stele/sandbox-image","prompt":"x"}`); a.Status >= 500 {
				t.Errorf("a key of %d bytes: %d %.200s", len(key), a.Status, a.Body)
			}
		}
		together(8, func(worker int) {
			for i := range keysOfEach {
				key := fmt.Sprint("key-", worker, "-", i)
				switch i % 3 {
				case 0:
					ask(key, "/api/v1/chat/completions", `{"model":"stele/sandbox","messages":[{"role":"user","content":"x [[sandbox: words=2000]]"}]}`)
				case 1:
					ask(key, "/api/v1/generations", `{"model":"stele/sandbox-image","prompt":"x","dry_run":true}`)
				default:
					ask("same", "/api/v1/generations", fmt.Sprintf(`{"model":"stele/sandbox-image","prompt":"%d"}`, i))
				}
			}
		})
	})
}

// deep is a value of many levels.
func deep(n int) string { return strings.Repeat(`{"a":[`, n) + "1" + strings.Repeat("]}", n) }

// No member of any body may be a tower.
func towersInEveryMember(t *testing.T, s *siege) {
	bodies := map[string][]string{
		"/api/v1/chat/completions": {
			`{"model":"self/steady","messages":[{"role":"user","content":"x"}],"%s":%s}`, `{"model":"gem/steady","messages":[{"role":"user","content":"x","%s":%s}]}`,
			`{"model":"gem/steady","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","%s":%s}}]}`,
		},
		"/api/v1/messages": {`{"model":"gem/steady","max_tokens":5,"messages":[{"role":"user","content":"x"}],"%s":%s}`},
		"/api/v1beta/models/self/steady:generateContent": {`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"%s":%s}`, `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"%s":%s}}`},
		"/api/v1/generations":                            {`{"model":"stele/canvas","prompt":"x","%s":%s}`, `{"model":"stele/canvas","prompt":"x","parameters":{"%s":%s}}`},
		"/api/v1/apps/social-card/generations":           {`{"headline":"x","%s":%s}`},
	}
	members := []string{
		"metadata", "response_format", "tool_choice", "parameters", "stop", "logit_bias", "extra_body", "thinking", "system", "tools", "content", "name", "responseSchema", "seed", "size", "image_urls", "webhook_url",
		"signature", "palette", "unknown", "labels", "safetySettings", "stream_options",
	}
	s.under(t, func() {
		for path, formats := range bodies {
			for _, format := range formats {
				for n, member := range members {
					for i, depth := range []int{60, 4000, 400_000} {
						if depth != 4000 && (n+i)%inTurn != 0 {
							continue
						}
						before := s.processor(t)
						a := s.send(t, path, "application/json", strings.NewReader(fmt.Sprintf(format, member, deep(depth))))
						if took := s.processor(t) - before; a.Status >= 500 && a.Status != http.StatusServiceUnavailable || took > 3*time.Second {
							t.Errorf("%s of %d in %s: %d, %s of processor: %.200s", member, depth, path, a.Status, took, a.Body)
						}
					}
				}
			}
		}
	})
}

// The largest orders the studio takes are made within the workspace's memory.
func TestTheLargestOrdersTakeLittle(t *testing.T) { //nolint:paralleltest // besiege sees to that
	s := besiege(t, "")
	id := s.upload(t, "large.png", rig.PlainPNG(t, 4000, false))
	list := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%q,", id), 10), ",")
	bodies := []string{
		`{"model":"stele/canvas","mode":"text_to_image","prompt":"x","size":2048,"n":4}`,
		`{"model":"stele/canvas","mode":"image_to_image","prompt":"x","image_urls":[` + list + `],"width":4096}`,
		`{"model":"stele/motion","prompt":"x","duration":30}`,
		`{"model":"stele/tone","prompt":"x","duration":300,"output_format":"opus"}`,
		`{"model":"stele/sandbox-image","prompt":"x [[sandbox: bytes=200000000]]"}`,
	}
	for i := range 20 {
		for _, body := range bodies {
			if a := s.send(t, "/api/v1/generations", "application/json", strings.NewReader(body)); i == 0 {
				t.Logf("%.60s: %d %.150s", body, a.Status, a.Body)
			}
		}
	}
	s.beside(t)
	s.Kill(t)
}
