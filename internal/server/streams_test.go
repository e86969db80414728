package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// multiServer serves pages over HTTP/2 behind all that a server has.
func multiServer(t *testing.T, bounds Bounds, pages http.HandlerFunc) (*Server, *httptest.Server) {
	t.Helper()
	s := New(Options{
		Pages: pages, Bounds: bounds.withDefaults, TrustedProxies: func() []netip.Prefix { return nil },
		Observe: func(Served) {}, Log: slog.New(slog.DiscardHandler),
	})
	server := httptest.NewUnstartedServer(nil)
	server.Listener = doorway{server.Listener, s.crowd, true}
	server.Config = newHTTP(s.handler(s.dispatch, 0), s.Bounds())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return s, server
}

func (s *streams) held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.coming.Len() + s.served.Len()
}

// A request whose body does not come makes room for another, of its own connection or not.
func TestRequestsOverHTTP2MakeRoom(t *testing.T) {
	t.Parallel()
	const most, slow = 4, 20
	bounds := Bounds{PerAddress: 4 * most, BodyStall: time.Hour}
	s, server := multiServer(t, bounds, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})
	client := server.Client()
	ended := make(chan error, slow)
	for i := range slow {
		reader, writer := io.Pipe()
		t.Cleanup(func() { _ = writer.Close() })
		go func() {
			answer, err := client.Post(server.URL, "text/plain", reader) //nolint:noctx // a test's own server
			if err == nil {
				_, err = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
			ended <- err
		}()
		_, _ = writer.Write([]byte("x"))
		await(t, "the request is there", func() bool { return s.multiple.held() >= min(i+1, most) })
	}
	for range slow - most {
		if err := <-ended; err == nil {
			t.Error("a body that did not come was answered")
		}
	}
	answer, err := client.Get(server.URL) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.ProtoMajor != 2 || answer.StatusCode != http.StatusOK {
		t.Errorf("a good client is answered %s %s", answer.Proto, answer.Status)
	}
	if n := s.multiple.held(); n > most {
		t.Errorf("%d requests are held", n)
	}
	client.CloseIdleConnections()
	server.CloseClientConnections()
	await(t, "nothing is left of requests that ended", func() bool {
		s.multiple.mu.Lock()
		defer s.multiple.mu.Unlock()
		return len(s.multiple.places) == 0
	})
}

// What a client sends is let go of when it is answered, however long its connection stays.
func TestNothingIsKeptOfRequestsOverHTTP2(t *testing.T) {
	t.Parallel()
	const workers, each = 60, 10
	var kept atomic.Int64
	_, server := multiServer(t, Bounds{WriteStall: time.Hour, BodyStall: time.Hour}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		field := r.Trailer.Get("X-Long")
		kept.Add(1)
		runtime.AddCleanup(unsafe.StringData(field), func(int) { kept.Add(-1) }, 0)
		_, _ = io.WriteString(w, "yes")
	})
	client := server.Client()
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range each {
				r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, io.MultiReader(strings.NewReader("x")))
				r.Trailer = http.Header{"X-Long": {strings.Repeat("h", 4000)}}
				answer, err := client.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
		})
	}
	all.Wait()
	await(t, "nearly all of them are let go", func() bool {
		runtime.GC()
		return kept.Load() <= workers/10 // a pool of net/http has the last ones for a while
	})
}

// A frame is not made room for by what it announces.
func TestFramesAreShort(t *testing.T) {
	t.Parallel()
	if n := newHTTP(nil, standard).HTTP2.MaxReadFrameSize; n != 16<<10 {
		t.Errorf("a frame may have %d bytes", n)
	}
}
