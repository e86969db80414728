package server

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// pair is a server's connection and its other end.
func pair(t *testing.T) (*conn, net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	far, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	near, err := doorway{l, newCrowd(func() Bounds { return standard }, func() []netip.Prefix { return nil }), false}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near.(*conn), far
}

func TestHeldWritesGoOutTogetherAndInOrder(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("0123456789"), mostPacked/10)
	for name, end := range map[string]func(*conn) error{
		"released":  (*conn).release,
		"closed":    (*conn).Close,
		"half shut": (*conn).CloseWrite,
		"finished": func(c *conn) error {
			c.finish()
			_, err := c.Write([]byte("end"))
			return err
		},
		"a file follows": func(c *conn) error {
			_, err := c.ReadFrom(strings.NewReader("file"))
			return err
		},
	} {
		for _, parts := range [][]string{{"a"}, {"a", "b", "c"}, {"a", string(long), "b"}, {string(long), string(long)}, {}} {
			near, far := pair(t)
			near.hold()
			done := make(chan error, 1)
			go func() {
				for _, part := range parts {
					if n, err := near.Write([]byte(part)); err != nil || n != len(part) {
						done <- err
						return
					}
				}
				done <- end(near)
				_ = near.Close()
			}()
			got, err := io.ReadAll(far)
			want := strings.Join(parts, "") + map[string]string{"finished": "end", "a file follows": "file"}[name]
			if err != nil || string(got) != want {
				t.Errorf("%s, %d parts: %d bytes, want %d (%v)", name, len(parts), len(got), len(want), err)
			}
			if err := <-done; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestNothingIsSentWhileItIsHeld(t *testing.T) {
	t.Parallel()
	near, far := pair(t)
	near.hold()
	if _, err := near.Write([]byte("held")); err != nil {
		t.Fatal(err)
	}
	if err := far.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := far.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("%d bytes came (%v)", n, err)
	}
}

// TestFlushedAnswersArriveWhole flushes answers of many sizes: each is there when
// its flush returns, and what is written last comes with the end.
func TestFlushedAnswersArriveWhole(t *testing.T) {
	t.Parallel()
	sizes := []int{1, worthPacking - 1, worthPacking, 4090, 4096, 5000, 20_000, mostPacked, 3 * mostPacked}
	next := make(chan struct{})
	_, url, _, _ := start(t, func(w http.ResponseWriter, _ *http.Request) {
		for _, size := range sizes {
			_, _ = w.Write(bytes.Repeat([]byte("x"), size))
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-next
		}
		_, _ = w.Write(bytes.Repeat([]byte("y"), 5000))
	})
	answer, err := http.Get(url) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for _, size := range sizes {
		if _, err := io.ReadFull(answer.Body, make([]byte, size)); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		next <- struct{}{}
	}
	rest, err := io.ReadAll(answer.Body)
	if err != nil || len(rest) != 5000 {
		t.Errorf("the end: %d bytes, %v", len(rest), err)
	}
}

// TestAnAnswerThatIsBrokenOffIsNotWhole aborts after a flush and after a write.
func TestAnAnswerThatIsBrokenOffIsNotWhole(t *testing.T) {
	t.Parallel()
	_, url, _, _ := start(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 10_000))
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(bytes.Repeat([]byte("y"), 10_000))
		panic(http.ErrAbortHandler)
	})
	answer, err := http.Get(url) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err == nil || len(got) < 10_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Of a head with very many lines few are given to net/http: it would take many times their
// length to refuse them. The next head is another matter.
func TestFewLinesOfALongHeadAreRead(t *testing.T) {
	t.Parallel()
	near, far := pair(t)
	read := func(least int) (text string) {
		for b := make([]byte, 1000); len(text) < least; {
			n, err := near.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			text += string(b[:n])
		}
		return text
	}
	go func() { _, _ = io.WriteString(far, strings.Repeat("a:b\r\n", 5000)) }()
	text := read(50_000)
	if lines := strings.Count(text, "\n"); lines < standard.Headers || lines > 2000 {
		t.Errorf("%d lines are read", lines)
	}
	if strings.Trim(text[40_000:], "x") != "" {
		t.Error("there is an end to the last line")
	}
	near.arrive()
	near.depart()
	if text := read(1000); !strings.HasPrefix(text, "a:b") && !strings.Contains(text, "\r\n") {
		t.Errorf("the next head is %q", text)
	}
}
