package attack

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/test/rig"
)

// oddWords are what a field of a form, or a member of a body, is not meant to hold. JSON writes the
// first ones otherwise.
var oddWords = []string{
	"\x00", "a\x00b", "\xff\xfe", "\ufffd", "\u202e", strings.Repeat("w", 40<<10), "-1", "0", "99999999999999999999", "9223372036854775807", "-9223372036854775808", "1e309", "NaN",
	"0001-01-01", "9999-12-31", "-292277022399-01-01", "2562047h47m16s", "%s%n", "'; --", "../../x", "{}", "[1]", "null",
}

// likely are values that forms take, so that one odd field among them is all that is odd.
var likely = map[string]string{
	"email": "friend@example.com", "role": "member", "amount": "5", "measure": "requests", "window": "day", "url": "https://hooks.example.com/x", "environment": "development",
	"password": "correct horse battery", "current": "correct horse battery", "again": "correct horse battery", "model": "stele/canvas", "kind": "openai", "scope": "chat", "expires": "",
	"source": "app: x", "app": "", "month": "2026-11",
}

var fieldName = regexp.MustCompile(`name="([^"{}]{1,60})"`)

// fields are the names of all fields that the console's pages have.
func (s *siege) fields(t *testing.T) []string {
	t.Helper()
	found := make(map[string]bool)
	for _, r := range routes(t) {
		if r.door != "console" || r.method != http.MethodGet || strings.Contains(r.pattern, "{") || strings.HasSuffix(r.pattern, "/events") {
			continue
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+r.pattern, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "text/html")
		response, err := s.browser.Do(request)
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(response.Body, 4<<20))
		_ = response.Body.Close()
		for _, m := range fieldName.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
	}
	if len(found) < 40 {
		t.Fatalf("the pages have %d fields", len(found))
	}
	return slices.Sorted(maps.Keys(found))
}

// Whatever stands in a form, a body or a header, PostgreSQL is not asked what it cannot answer, and
// another tenant's records are kept.
func TestOddWordsOnPostgreSQL(t *testing.T) { //nolint:paralleltest // besiege sees to that
	database := rig.NewDatabase(t)
	s := besiegeOn(t, "", nil, "--database-url", database)
	t.Run("bodies", func(t *testing.T) { oddWordsInBodies(t, s) })
	t.Run("forms", func(t *testing.T) { oddWordsInForms(t, s) }) // they may set limits
	t.Run("records", func(t *testing.T) { s.recordsAreKept(t, database) })
}

func oddWordsInForms(t *testing.T, s *siege) {
	fields := s.fields(t)
	base := make(url.Values)
	for _, name := range fields {
		base.Set(name, likely[name])
	}
	s.under(t, func() {
		for n, r := range routes(t) {
			if r.door != "console" || r.method != http.MethodPost || r.pattern == "/console/signout" || strings.HasPrefix(r.pattern, "/console/signin") {
				continue // the session is needed, and guessing is slowed down
			}
			for i, name := range fields {
				for j, word := range oddWords {
					if ((n*len(fields)+i)*len(oddWords)+j)%oddForms != 0 {
						continue
					}
					form := maps.Clone(base)
					form[name] = []string{word}
					a := s.post(t, r.path("x"), "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
					if a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
						t.Errorf("%s with %.30q as %s: %d %.300s", r.pattern, word, name, a.Status, a.Body)
					}
				}
			}
		}
	})
}

func oddWordsInBodies(t *testing.T, s *siege) {
	bodies := map[string][]string{
		"/api/v1/chat/completions":                       {`{"model":"self/steady","messages":[{"role":"user","content":"x"}],"%s":%s}`, `{"model":"gem/steady","messages":[{"role":"user","content":"x","%s":%s}]}`},
		"/api/v1/messages":                               {`{"model":"gem/steady","max_tokens":5,"messages":[{"role":"user","content":"x"}],"%s":%s}`, `{"model":"ant/steady","max_tokens":5,"messages":[{"role":"user","content":"x"}],"metadata":{"%s":%s}}`},
		"/api/v1beta/models/self/steady:generateContent": {`{"contents":[{"role":"user","parts":[{"text":"x"}]}],"%s":%s}`, `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"%s":%s}}`},
		"/api/v1/generations":                            {`{"model":"stele/sandbox-image","prompt":"x","%s":%s}`, `{"model":"stele/canvas","prompt":"x","metadata":{"%s":%s}}`, `{"model":"stele/sandbox-image","prompt":"x","dry_run":true,"%s":%s}`},
		"/api/v1/apps/card/generations":                  {`{"headline":"x","%s":%s}`},
	}
	members := []string{
		"model", "user", "user_id", "metadata", "name", "prompt", "headline", "webhook_url", "image_urls", "mode", "size", "width", "n", "seed", "duration", "max_tokens", "temperature", "stop", "labels", "cancel", "title", "a\\u0000b",
	}
	seen := make(map[int]int)
	defer func() { t.Logf("answers by status: %v", seen) }()
	s.under(t, func() {
		for path, formats := range bodies {
			for f, format := range formats {
				for i, member := range members {
					for j, word := range oddWords {
						if (f+i+j)%(3*inTurn) != 0 {
							continue
						}
						value := fmt.Sprintf("%q", strings.ToValidUTF8(word, "\ufffd"))
						value = strings.NewReplacer(`\x00`, `\u0000`, `\x`, `\u00`).Replace(value)
						if j%2 == 1 && strings.Trim(word, "-0123456789e") == "" {
							value = word
						}
						a := s.send(t, path, "application/json", strings.NewReader(fmt.Sprintf(format, member, value)))
						seen[a.Status]++
						if a.Status >= 500 && a.Status != http.StatusServiceUnavailable {
							t.Errorf("%s with %.40s as %s: %d %.300s", path, value, member, a.Status, a.Body)
						}
					}
				}
			}
		}
	})
}

// recordsAreKept has the good tenant ask a few times, and looks for the rows of it.
func (s *siege) recordsAreKept(t *testing.T, database string) {
	t.Helper()
	books := s.Read(t, database)
	for range 5 {
		a := s.Post(t, "/api/v1/chat/completions", s.good.Key, `{"model":"stele/sandbox","messages":[{"role":"user","content":"Good morning"}]}`)
		if a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		if row := books.Await(t, a.Header.Get("X-Request-Id")); row.Workspace != "victim" {
			t.Errorf("a row of %s", row.Workspace)
		}
	}
}
