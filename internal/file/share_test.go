package file_test

import (
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/media"
	"stele/internal/share"
)

var words = strings.Repeat("Some words. ", 10_000)

// bounded gives every workspace of a house so many bytes.
func (h *house) bounded(t *testing.T, most int64) {
	t.Helper()
	h.Share = share.New(share.Options{
		Sums: h.store.Held, Free: func() share.Held { return share.Held{Files: share.Unknown, Rows: share.Unknown} },
		Most: func() int64 { return most }, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return h.now },
	})
	var running sync.WaitGroup
	running.Go(func() { h.Share.Run(t.Context()) })
	t.Cleanup(running.Wait)
}

func TestAFullWorkspaceTakesNoMoreFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.bounded(t, int64(len(words))+2000) // beside it is room for what is known of it
	if _, err := h.Save(t.Context(), file.Upload{Workspace: "one", Body: strings.NewReader(words), Documents: true}); err != nil {
		t.Fatal(err)
	}
	unread := &counting{Reader: strings.NewReader(words)}
	for name, up := range map[string]file.Upload{
		"one that is announced":     {Body: unread, Announced: 1 << 30},
		"one that is not announced": {Body: strings.NewReader(words)},
	} {
		up.Workspace, up.Documents = "one", true
		_, err := h.Save(t.Context(), up)
		if e := fault.From(err); err == nil || e.Code != fault.PermissionDenied || !e.Lasting() || e.Details["limit"] == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if unread.n > 64<<10 {
		t.Errorf("%d bytes were taken of what was refused", unread.n)
	}
	if h.left(t) != 1 {
		t.Errorf("%d files in the folder", h.left(t))
	}
	if _, err := h.Take(t.Context(), "one", "data:text/plain,"+words, file.Want{Kind: file.Document}); code(err) != fault.PermissionDenied {
		t.Errorf("an input: %v", err)
	}
	if _, err := h.Keep(t.Context(), "one", "gen_1", 0, made("image", sample(t, "a.jpg"))); err != nil {
		t.Errorf("what was made and paid: %v", err)
	}
	_, err := h.KeepUnpaid(t.Context(), "one", "gen_2", 0, made("image", sample(t, "a.jpg")))
	if failure, ok := errors.AsType[*media.Failure](err); !ok || failure.CanTryAgain() || !strings.Contains(failure.Message, "on disk") {
		t.Errorf("what cost nothing: %v", err)
	}
	if _, err := h.Save(t.Context(), file.Upload{Workspace: "two", Body: strings.NewReader(words), Documents: true}); err != nil {
		t.Errorf("another workspace: %v", err)
	}
}

// Uploads that arrive at the same time count before any of them is there.
func TestUploadsOnTheirWayCount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.bounded(t, int64(len(words))+2000)
	slow, end := io.Pipe()
	first := make(chan error, 1)
	go func() {
		_, err := h.Save(t.Context(), file.Upload{Workspace: "one", Body: slow, Documents: true})
		first <- err
	}()
	cut := len(words) - 1
	if _, err := io.WriteString(end, words[:cut]); err != nil {
		t.Fatal(err)
	}
	for {
		if s, _ := h.Share.Standing(t.Context(), "one"); s.Held.Files >= int64(cut) {
			break
		}
		runtime.Gosched() // until what was sent is written
	}
	_, err := h.Save(t.Context(), file.Upload{Workspace: "one", Body: strings.NewReader(words), Documents: true})
	if code(err) != fault.PermissionDenied {
		t.Errorf("a second one: %v", err)
	}
	_, _ = io.WriteString(end, words[cut:])
	_ = end.Close()
	if err := <-first; err != nil {
		t.Errorf("the first one: %v", err)
	}
}

// counting is a reader that counts what was read of it.
type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += n
	return n, err
}
