package download_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/internal/file"
)

// wrong is a place for files that gives other bytes, as many as it was asked for.
type wrong struct{ file.Blobs }

func (w *wrong) Open(ctx context.Context, key string, off, n int64) (io.ReadCloser, error) {
	r, err := w.Blobs.Open(ctx, key, off, n)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return io.NopCloser(strings.NewReader(strings.ReplaceAll(string(b), "f", "F"))), err
}

// TestADamagedFileIsNoSuccess: a client that asks for all of it sees a transfer that breaks, and then
// a refusal. A part cannot be compared.
func TestADamagedFileIsNoSuccess(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 20 << 16} { // 16 bytes, and 20 MB
		for _, part := range []string{"", "bytes=0-", "items=0-1"} {
			b := newBench(t)
			f := b.save(t, "a.txt", strings.Repeat("0123456789abcdef", size))
			good := b.blobs.Blobs
			b.blobs.Blobs = &wrong{good}
			if answer, body := b.ask(t, "GET", b.files.Address(f), "Range", "bytes=0-3"); answer.StatusCode != http.StatusPartialContent || body != "0123" {
				t.Error(answer.StatusCode, body)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.files.Address(f), http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Range", part)
			if answer, err := b.Client().Do(r); err == nil { // what is short breaks before its head is sent, and may be asked for again
				n, err := io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if answer.StatusCode < 300 && (err == nil || n >= f.Size) {
					t.Errorf("%d bytes, %q: %d were sent with %d, and then %v", f.Size, part, n, answer.StatusCode, err)
				}
			}
			if answer, body := b.ask(t, "GET", b.files.Address(f)); answer.StatusCode != http.StatusInternalServerError || !strings.Contains(body, "damaged") {
				t.Error(answer.StatusCode, body)
			}
			b.blobs.Blobs = good
			b.now = b.now.Add(time.Minute)
			if answer, body := b.ask(t, "GET", b.files.Address(f)); answer.StatusCode != http.StatusOK || int64(len(body)) != f.Size {
				t.Error(answer.StatusCode, len(body))
			}
		}
	}
}
