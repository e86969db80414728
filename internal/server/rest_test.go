package server

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// TestABodyOfAnyLengthIsReadBehindItsAnswer sends the whole of a body no handler reads before
// it looks for the answer, as Python's urllib does: the answer is there, and no reset.
func TestABodyOfAnyLengthIsReadBehindItsAnswer(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{})
	for _, size := range []int64{1, 1 << 20, 9 << 20, 33 << 20} {
		for kind, head := range map[string]string{
			"announced": fmt.Sprintf("Content-Length: %d\r\n\r\n", size),
			"chunked":   fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", size),
		} {
			c := h.at["main"](t)
			_ = c.SetDeadline(time.Now().Add(time.Minute))
			if _, err := io.WriteString(c, "POST /api/v1/nothing HTTP/1.1\r\nHost: x\r\n"+head); err != nil {
				t.Fatal(err)
			}
			if _, err := io.CopyN(c, zeros{}, size); err != nil {
				t.Errorf("%s, %d bytes: %v", kind, size, err)
				continue
			}
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Errorf("%s, %d bytes: %v", kind, size, err)
				continue
			}
			if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "done" {
				t.Errorf("%s, %d bytes: %q %v", kind, size, text, err)
			}
			_ = answer.Body.Close()
		}
	}
}

// TestABodyThatComesLateIsReadBehindItsAnswer begins to send it when the answer is on its way.
func TestABodyThatComesLateIsReadBehindItsAnswer(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{})
	const size = 9 << 20
	for kind, head := range map[string]string{
		"announced": fmt.Sprintf("Content-Length: %d\r\n\r\n", size),
		"chunked":   fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", size),
	} {
		c := h.at["main"](t)
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, "POST /api/v1/nothing HTTP/1.1\r\nHost: x\r\n"+head); err != nil {
			t.Fatal(err)
		}
		reader := bufio.NewReader(c)
		if _, err := reader.Peek(1); err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(c, zeros{}, size); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestABodyThatWasAskedForIsReadBehindItsAnswer has the client wait until it is told to send, as curl does
// with anything large, and the server answer in the middle of what comes then.
func TestABodyThatWasAskedForIsReadBehindItsAnswer(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{})
	const size = 9 << 20
	for kind, head := range map[string]string{
		"announced": fmt.Sprintf("Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", size),
		"chunked":   fmt.Sprintf("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n%x\r\n", size),
	} {
		c := h.at["main"](t)
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, "POST /api/v1/begin HTTP/1.1\r\nHost: x\r\n"+head); err != nil {
			t.Fatal(err)
		}
		reader := bufio.NewReader(c)
		if _, err := io.CopyN(c, zeros{}, size); err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		answer, err := http.ReadResponse(reader, nil)
		if err == nil && answer.StatusCode == http.StatusContinue {
			answer, err = http.ReadResponse(reader, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "done" {
			t.Errorf("%s: %q %v", kind, text, err)
		}
		_ = answer.Body.Close()
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
