package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/memory"
	"stele/internal/scope"
)

var errBroken = errors.New("the client hung up")

// trickle is a body that sends what it has and then hangs up. It looks before each read.
type trickle struct {
	io.Reader
	look func()
}

func (b *trickle) Read(p []byte) (int, error) {
	b.look()
	n, err := b.Reader.Read(p)
	if err == io.EOF { //nolint:errorlint // as readers return it
		err = errBroken
	}
	return n, err
}

// example is a path that a route serves.
func example(r *route) string {
	return strings.NewReplacer("{model}", "m", "{app}", "a", "{id}", "gen_1").Replace(r.path)
}

// TestAnAnnouncedGiantHoldsLittle sends one byte of a body that is as large as may be, on
// every route there is.
func TestAnAnnouncedGiantHoldsLittle(t *testing.T) {
	t.Parallel()
	const giant = 1 << 40
	b := newBench(t, Settings{AllowDevelopment: true, JSONBody: giant, UploadBody: giant, KeepAlive: time.Minute})
	for i := range table {
		route := &table[i]
		for _, kind := range []string{"application/json", "multipart/form-data; boundary=b", "text/plain", ""} {
			b.door.Memory = memory.New(giant, giant)
			most := int64(0)
			body := &trickle{strings.NewReader("{"), func() { most = max(most, b.door.Memory.Taken()) }}
			r := httptest.NewRequest(route.method, example(route), body)
			r.ContentLength = giant
			r.Header.Set("Authorization", "Bearer "+b.key)
			r.Header.Set("Content-Type", kind)
			r = r.WithContext(scope.With(r.Context(), &scope.Request{ID: "req_1"}))
			b.door.ServeHTTP(httptest.NewRecorder(), r)
			if most > 64<<10 {
				t.Errorf("%s %s, %q: one byte holds %d", route.method, route.path, kind, most)
			}
			if left := b.door.Memory.Taken(); left != 0 {
				t.Errorf("%s %s, %q: %d bytes are held after the answer", route.method, route.path, kind, left)
			}
		}
	}
}

// TestABodyHasNoMoreThanItsKeyMayHold sends more than a key's part on every route that
// reads its body, and looks that what is held is never more.
func TestABodyHasNoMoreThanItsKeyMayHold(t *testing.T) {
	t.Parallel()
	const part = 1 << 20
	b := newBench(t, Settings{AllowDevelopment: true, JSONBody: 1 << 30, UploadBody: 1 << 30, KeepAlive: time.Minute})
	for i := range table {
		route := &table[i]
		if route.method != http.MethodPost {
			continue
		}
		b.door.Memory = memory.New(1<<30, 1<<30)
		b.door.Memory.Resize(1<<30, 1<<30, part)
		most := int64(0)
		body := &trickle{io.LimitReader(spaces{}, 16<<20), func() { most = max(most, b.door.Memory.Taken()) }}
		r := httptest.NewRequest(route.method, example(route), body)
		r.ContentLength = 16 << 20
		r.Header.Set("Authorization", "Bearer "+b.key)
		r = r.WithContext(scope.With(r.Context(), &scope.Request{ID: "req_1"}))
		w := httptest.NewRecorder()
		b.door.ServeHTTP(w, r)
		if most > part || b.door.Memory.Taken() != 0 {
			t.Errorf("%s: %d bytes were held, and %d afterwards", route.path, most, b.door.Memory.Taken())
		}
		if want := http.StatusRequestEntityTooLarge; w.Code != want && route.path != "/api/v1/files" {
			t.Errorf("%s: answered %d, want %d: %s", route.path, w.Code, want, w.Body)
		}
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestNoRoomIsToldInTheFamilysShape has others hold all there is.
func TestNoRoomIsToldInTheFamilysShape(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	b.door.Memory = memory.New(1<<20, 1<<20)
	others := b.door.Memory.Open("others")
	if err := others.Grow(t.Context(), 1<<20); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/api/v1/chat/completions":                   {503, `"code":"unavailable"`},
		"/api/v1/messages":                           {529, `"overloaded_error"`},
		"/api/v1beta/models/m:generateContent":       {503, `"UNAVAILABLE"`},
		"/api/v1beta/models/m:streamGenerateContent": {503, `"UNAVAILABLE"`},
		"/api/v1/generations":                        {503, `"unavailable"`},
		"/api/v1/apps/a/generations":                 {503, `"unavailable"`},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel() // each waits for memory.Patience
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}"))
			r.Header.Set("Authorization", "Bearer "+b.key)
			r = r.WithContext(scope.With(r.Context(), &scope.Request{ID: "req_1"}))
			w := httptest.NewRecorder()
			b.door.ServeHTTP(w, r)
			if w.Code != want.status || !strings.Contains(w.Body.String(), want.text) || w.Header().Get("Retry-After") == "" {
				t.Errorf("%d %s, Retry-After %q", w.Code, w.Body, w.Header().Get("Retry-After"))
			}
		})
	}
}
