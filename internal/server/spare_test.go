package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"
)

// TestASpareConnectionStaysOpen uses a connection only when a head's time is long over, as Go's
// client does with those that it need not have opened. Then half a head has that time.
func TestASpareConnectionStaysOpen(t *testing.T) {
	t.Parallel()
	scaled(t, 100*time.Millisecond, func(stall time.Duration) error {
		c := open(t, Bounds{HeaderTime: stall}).at["console"](t)
		reader := bufio.NewReader(c)
		_ = c.SetReadDeadline(time.Now().Add(3 * stall))
		if _, err := reader.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("it ended: %w", err)
		}
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"); err != nil {
			return err
		}
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "2 bytes" {
			return fmt.Errorf("%q %w", text, err)
		}
		if _, err := io.WriteString(c, "POST /read HTTP/1.1\r\nA: "); err != nil {
			return err
		}
		if _, err := reader.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("half a head stays open: %w", err)
		}
		return nil
	})
}

// TestAFirstHeadHasItsTime sends a part of one over a connection that was opened a while ago.
func TestAFirstHeadHasItsTime(t *testing.T) {
	t.Parallel()
	c := open(t, Bounds{HeaderTime: 200 * time.Millisecond}).at["console"](t)
	_ = c.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
	_, _ = c.Read(make([]byte, 1))
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, "GET /read HTTP/1.1\r\nA: x"); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it stays open: %d, %v", n, err)
	}
}

// TestASpareConnectionEndsAtLast says nothing for longer than a connection may be idle.
func TestASpareConnectionEndsAtLast(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{HeaderTime: 50 * time.Millisecond, Idle: 200 * time.Millisecond})
	for name, dial := range h.at {
		if name == "control" {
			continue // it has the usual bounds
		}
		c := dial(t)
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		if n, err := c.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: it stays open: %d, %v", name, n, err)
		}
	}
}
