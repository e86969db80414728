package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"stele/internal/blob"
)

// runSuite runs the suite. Each call of open gives an empty place and closes it with
// the test; list names every blob that is really there.
func runSuite(t *testing.T, open func(t *testing.T) (place blob.Store, list func() []string)) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, blob.Store, func() []string)
	}{
		{"WhatWasPutComesBack", comesBack},
		{"APieceComesBack", pieces},
		{"PuttingAgainReplaces", replaces},
		{"ABrokenReaderLeavesNothing", brokenReader},
		{"ABrokenReaderLeavesWhatWasThere", brokenOver},
		{"AnEndedContextLeavesNothing", endedContext},
		{"WhatIsNotThereIsNotFound", notThere},
		{"DeletedIsGone", deleted},
		{"KeysCannotEscape", escape},
		{"ManyAtOnce", many},
		{"ThePlaceCanBeReached", reached},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			place, list := open(t)
			test.run(t, place, list)
		})
	}
}

func comesBack(t *testing.T, place blob.Store, list func() []string) {
	for key, body := range map[string][]byte{
		"a": []byte("one"), "ws/2026-01/file_x.png": bytes.Repeat([]byte("0123456789abcdef"), 300_000), "empty.bin": {},
	} {
		n, err := place.Put(t.Context(), key, bytes.NewReader(body))
		if err != nil || n != int64(len(body)) {
			t.Fatalf("put %s: %d, %v", key, n, err)
		}
		if got := read(t, place, key, 0, -1); !bytes.Equal(got, body) {
			t.Errorf("%s: %d bytes came back of %d", key, len(got), len(body))
		}
	}
	if got := list(); len(got) != 3 {
		t.Error(got)
	}
}

func pieces(t *testing.T, place blob.Store, _ func() []string) {
	put(t, place, "digits", "0123456789")
	for _, test := range []struct {
		off, n int64
		want   string
	}{
		{0, 3, "012"}, {4, 2, "45"}, {9, 1, "9"}, {7, 100, "789"}, {3, -1, "3456789"}, {10, 5, ""}, {50, -1, ""}, {2, 0, ""}, {0, 10, "0123456789"},
	} {
		if got := read(t, place, "digits", test.off, test.n); string(got) != test.want {
			t.Errorf("%d bytes from %d: %q, not %q", test.n, test.off, got, test.want)
		}
	}
}

func replaces(t *testing.T, place blob.Store, list func() []string) {
	put(t, place, "k/v", "a longer first text")
	put(t, place, "k/v", "second")
	if got := read(t, place, "k/v", 0, -1); string(got) != "second" {
		t.Errorf("%q", got)
	}
	if got := list(); len(got) != 1 {
		t.Error(got)
	}
}

var errTorn = errors.New("torn")

// torn gives n bytes and then breaks.
func torn(n int64) io.Reader {
	return io.MultiReader(io.LimitReader(endless{}, n), broken{})
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errTorn }

func brokenReader(t *testing.T, place blob.Store, list func() []string) {
	for _, n := range []int64{0, 1, 100_000, 6 << 20} {
		if _, err := place.Put(t.Context(), "half/way", torn(n)); !errors.Is(err, errTorn) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	if got := list(); len(got) != 0 {
		t.Error("left behind:", got)
	}
	absent(t, place, "half/way")
}

func brokenOver(t *testing.T, place blob.Store, _ func() []string) {
	put(t, place, "kept", "first")
	if _, err := place.Put(t.Context(), "kept", torn(10)); !errors.Is(err, errTorn) {
		t.Error(err)
	}
	if got := read(t, place, "kept", 0, -1); string(got) != "first" {
		t.Errorf("%q", got)
	}
}

func endedContext(t *testing.T, place blob.Store, list func() []string) {
	ctx, cancel := context.WithCancel(t.Context())
	r := io.MultiReader(strings.NewReader("some"), readerFunc(func(b []byte) (int, error) { cancel(); return copy(b, "more"), nil }))
	if _, err := place.Put(ctx, "ended", r); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := list(); len(got) != 0 {
		t.Error("left behind:", got)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func notThere(t *testing.T, place blob.Store, _ func() []string) {
	absent(t, place, "nothing")
	absent(t, place, "nothing/here")
	put(t, place, "folder/blob", "x")
	absent(t, place, "folder")
	if err := place.Delete(t.Context(), "nothing"); err != nil {
		t.Error(err)
	}
}

func deleted(t *testing.T, place blob.Store, list func() []string) {
	put(t, place, "a/b", "x")
	put(t, place, "a/c", "y")
	for range 2 {
		if err := place.Delete(t.Context(), "a/b"); err != nil {
			t.Fatal(err)
		}
	}
	absent(t, place, "a/b")
	if got := list(); len(got) != 1 {
		t.Error(got)
	}
}

func escape(t *testing.T, place blob.Store, list func() []string) {
	for _, key := range []string{
		"", "/", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "./a", "a//b", "a/", ".staging/x", ".hidden", "a/.b", `a\b`, "a\x00b", "a b",
		"ä", "a%2e%2e", "a:b", "a?b", "a#b", strings.Repeat("x", 600),
	} {
		if _, err := place.Put(t.Context(), key, strings.NewReader("x")); !errors.Is(err, blob.ErrKey) {
			t.Errorf("put %q: %v", key, err)
		}
		if r, err := place.Open(t.Context(), key, 0, -1); !errors.Is(err, blob.ErrKey) {
			t.Errorf("open %q: %v", key, err)
			if err == nil {
				r.Close()
			}
		}
		if err := place.Delete(t.Context(), key); !errors.Is(err, blob.ErrKey) {
			t.Errorf("delete %q: %v", key, err)
		}
	}
	if got := list(); len(got) != 0 {
		t.Error("left behind:", got)
	}
}

func many(t *testing.T, place blob.Store, list func() []string) {
	var group sync.WaitGroup
	for i := range 24 {
		group.Go(func() {
			key := fmt.Sprintf("ws%d/%d", i%3, i)
			if _, err := place.Put(t.Context(), key, strings.NewReader(key)); err != nil {
				t.Error(err)
				return
			}
			r, err := place.Open(t.Context(), key, 0, -1)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			if got, err := io.ReadAll(r); err != nil || string(got) != key {
				t.Errorf("%s: %q, %v", key, got, err)
			}
		})
	}
	group.Wait()
	if got := list(); len(got) != 24 {
		t.Error(len(got))
	}
}

func reached(t *testing.T, place blob.Store, _ func() []string) {
	if err := place.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func put(t *testing.T, place blob.Store, key, body string) {
	t.Helper()
	if _, err := place.Put(t.Context(), key, strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, place blob.Store, key string, off, n int64) []byte {
	t.Helper()
	r, err := place.Open(t.Context(), key, off, n)
	if err != nil {
		t.Fatalf("open %s: %v", key, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("read %s: %v", key, err)
	}
	return b
}

func absent(t *testing.T, place blob.Store, key string) {
	t.Helper()
	for _, n := range []int64{-1, 0, 3} {
		r, err := place.Open(t.Context(), key, 0, n)
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", key, err)
		}
		if err == nil {
			r.Close()
		}
	}
}
