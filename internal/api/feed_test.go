package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/chat"
	"stele/internal/dialect/openai"
)

// fed serves one passed stream and gives what its client reads.
func fed(t *testing.T, seen *chat.Seen, stream chat.Stream) io.Reader {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f := newFeed(w, openai.Codec{}, new(chat.Request), time.Hour, false)
		defer f.Stop()
		if err := f.pump(&chat.Reply{Passed: true, Seen: seen, Stream: stream}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	answer, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer.Body
}

// TestTheLastWordIsNotKeptByAnUpstreamThatLingers has one that says [DONE] and does
// not end its answer before the client has seen that.
func TestTheLastWordIsNotKeptByAnUpstreamThatLingers(t *testing.T) {
	t.Parallel()
	const word, done = "data: {}\n\n", "data: [DONE]\n\n"
	seen, read := new(chat.Seen), make(chan struct{})
	body := fed(t, seen, func(yield func(chat.Chunk, error) bool) {
		_ = yield(chat.Chunk{Raw: []byte(word)}, nil)
		seen.Ended = true
		_ = yield(chat.Chunk{Raw: []byte(done)}, nil)
		<-read
	})
	got := make([]byte, len(word+done))
	if _, err := io.ReadFull(body, got); err != nil || string(got) != word+done {
		t.Errorf("%q, %v", got, err)
	}
	close(read)
	if rest, err := io.ReadAll(body); err != nil || len(rest) > 0 {
		t.Errorf("%q follows, %v", rest, err)
	}
}

// TestFramesKeepTheirOrderHoweverTheyCome mixes short and long ones, some of them
// with more at hand, some not shown.
func TestFramesKeepTheirOrderHoweverTheyCome(t *testing.T) {
	t.Parallel()
	long := "data: " + strings.Repeat("x", 10_000) + "\n\n"
	chunks := []chat.Chunk{
		{Raw: []byte("data: 1\n\n"), More: true}, {Raw: []byte(long)}, {Raw: []byte("data: 2\n\n")}, {Raw: []byte(long), More: true},
		{Raw: []byte("data: usage\n\n"), Hidden: true, More: true}, {Raw: []byte("data: 3\n\n"), More: true}, {Raw: []byte(long), More: true},
		{Raw: []byte("data: usage\n\n"), Hidden: true}, {Raw: []byte("data: 4\n\n")},
	}
	read := make(chan struct{})
	var want strings.Builder
	body := fed(t, new(chat.Seen), func(yield func(chat.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
			if !c.More {
				<-read // what has nothing at hand behind it is on its way
			}
		}
	})
	for _, c := range chunks {
		if !c.Hidden {
			want.Write(c.Raw)
		}
		if c.More {
			continue
		}
		got := make([]byte, want.Len())
		if _, err := io.ReadFull(body, got); err != nil || string(got) != want.String() {
			t.Fatalf("%.50q… of %d bytes, want %.50q… of %d (%v)", got, len(got), want.String(), want.Len(), err)
		}
		want.Reset()
		read <- struct{}{}
	}
}
