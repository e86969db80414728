package blueprint

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/media"
	"stele/internal/memory"
	"stele/internal/provider/background"
	"stele/internal/race"
	"stele/internal/scope"
)

// An API that answers with the work itself.
const wholesale = `operation: acme/v1
kind: acme
submit: {post: /v1/pictures, whole: true}
outputs:
  - {path: "data[*]", value: b64, form: base64, kind: image}
  - {body: true, kind: image}
`

// Large answers are read one after the other in their workspace's share of the memory, and
// none is lost: those that find no room wait.
func TestLargeAnswersWaitForMemory(t *testing.T) {
	t.Parallel()
	picture := bytes.Repeat([]byte("0123456789abcdef"), 3<<16) // 3 MB
	answer := `{"data":[{"b64":"` + base64.StdEncoding.EncodeToString(picture) + `"}]}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
	defer server.Close()
	m := acting(t, wholesale, server.URL)
	m.memory = memory.New(30<<20, 15<<20) // an answer of 4 MB takes 12
	m.behind = background.New(m.makeWhole, background.Options{Parallel: 8})
	defer m.behind.Close()
	first := m.memory.Open("w")
	if err := first.Grow(t.Context(), 10<<20); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			req := simple("acme/v1")
			req.Key, req.Workspace = fmt.Sprint("gen_", i), "w"
			status, err := m.Submit(t.Context(), req)
			for err == nil && status.State != media.Success && status.State != media.Failed {
				time.Sleep(time.Millisecond)
				status, err = m.Poll(t.Context(), status.Ticket)
			}
			if err != nil || len(status.Outputs) != 1 {
				t.Errorf("%+v, %v", status, err)
				return
			}
			body, err := status.Outputs[0].Open(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, picture) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	time.Sleep(50 * time.Millisecond) // all of them wait
	if n := m.memory.Taken(); n != 10<<20 {
		t.Errorf("%d bytes are held before there is room", n)
	}
	first.Close()
	all.Wait()
	if n := m.memory.Taken(); n != 0 {
		t.Errorf("%d bytes are held in the end", n)
	}
}

// What is no JSON is an output as it lies on the disk, and takes no memory.
func TestALargeBodyIsAnOutputAsItIs(t *testing.T) {
	t.Parallel()
	picture := bytes.Repeat([]byte("not JSON"), 1<<19) // 4 MB
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(picture) }))
	defer server.Close()
	m := acting(t, wholesale, server.URL)
	m.memory = memory.New(1<<20, 1<<20)
	full := m.memory.Open("w")
	if err := full.Grow(t.Context(), 1<<20); err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	req := simple("acme/v1")
	req.Workspace = "w"
	list, err := m.makeWhole(t.Context(), req, func(float64) {})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	for range 2 { // a copy that breaks off is made again
		body, err := list[0].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(body); err != nil || !bytes.Equal(got, picture) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	}
}

// An answer of very many small values is not read, whatever asked for it, and a short one waits for
// memory like a long one.
func TestAnswersOfVeryManyValuesTakeLittle(t *testing.T) {
	t.Parallel()
	race.Skip(t, "nothing in it runs at the same time")
	for name, value := range map[string]string{"objects": `{},`, "lists": `[],`, "numbers": `0,`, "members": `{"a":{}},`} {
		for _, size := range []int{300 << 10, 8 << 20} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				t.Parallel()
				text := `{"data":[` + strings.Repeat(value, size/len(value)) + `0]}`
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
				defer server.Close()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				got, err := exchange(server.Client(), r, mostAnswer)
				if err != nil || got.doc != nil {
					t.Fatalf("it is read without memory for it: %v", err)
				}
				room := memory.New(64<<20, 48<<20)
				lease := room.Open("w")
				defer lease.Close()
				ctx := scope.With(t.Context(), &scope.Request{Memory: lease})
				if err := got.read(ctx); err != nil {
					t.Fatal(err)
				}
				if got.doc != nil && room.Taken() < valueBytes*int64(size/len(value)) {
					t.Errorf("%d bytes are held for %d values", room.Taken(), size/len(value))
				}
				if size > 1<<20 && got.doc != nil {
					t.Error("it is read")
				}
			})
		}
	}
}

// TestAPaidAnswerNeedsNoTemporaryFolder is not parallel: it takes the folder away.
func TestAPaidAnswerNeedsNoTemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	want := bytes.Repeat([]byte("paid "), inMemory/2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(want) }))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	got, err := exchange(server.Client(), r, mostWhole)
	if err != nil {
		t.Fatal(err)
	}
	body, err := got.output()(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(body); err != nil || !bytes.Equal(text, want) {
		t.Errorf("%d bytes of %d, %v", len(text), len(want), err)
	}
}
