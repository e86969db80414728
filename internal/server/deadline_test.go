package server

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

// watched notes the deadlines of reads that a socket is given.
type watched struct {
	socket
	set []time.Time
}

func (w *watched) SetReadDeadline(t time.Time) error {
	w.set = append(w.set, t)
	return w.socket.SetReadDeadline(t)
}

func (c *conn) isReading() bool {
	c.reading.Lock()
	defer c.reading.Unlock()
	return c.waits
}

func TestADeadlineIsSetWhereSomethingIsReadFromTheSocket(t *testing.T) {
	t.Parallel()
	c, far := pair(t)
	w := &watched{socket: c.socket}
	c.socket = w
	read := func() error {
		if _, err := far.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		_, err := c.Read(make([]byte, 1))
		return err
	}
	set := func(at time.Time) func() error { return func() error { return c.SetReadDeadline(at) } }
	none, soon, past := time.Time{}, time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	wait := func() error { // in a read, while the deadline is set
		ended := make(chan error, 1)
		go func() {
			_, err := c.Read(make([]byte, 2))
			ended <- err
		}()
		for !c.isReading() {
			runtime.Gosched()
		}
		if err := c.SetReadDeadline(past); err != nil {
			return err
		}
		return <-ended
	}
	for i, step := range []struct {
		do   func() error
		want []time.Time // that the socket is given
		late bool
	}{
		{do: set(none)},
		{do: set(soon)},
		{do: set(none)},
		{do: read},
		{do: set(past)},
		{do: set(soon)},
		{do: read, want: []time.Time{soon}},
		{do: read},
		{do: set(none)},
		{do: read, want: []time.Time{none}},
		{do: wait, want: []time.Time{past}, late: true},
		{do: set(soon)},
		{do: read, want: []time.Time{soon}},
		{do: set(past)},
		{do: read, want: []time.Time{past}, late: true},
	} {
		w.set = nil
		err := step.do()
		if errors.Is(err, os.ErrDeadlineExceeded) != step.late || !step.late && err != nil || !slices.Equal(w.set, step.want) {
			t.Errorf("step %d: %v, the socket was given %v", i, err, w.set)
		}
	}
}
