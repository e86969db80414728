package server

import (
	"errors"
	"os"
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
	none, soon, past := time.Time{}, time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	for i, step := range []struct {
		do   func() error
		want []time.Time // that the socket is given
		late bool
	}{
		{do: func() error { return c.SetReadDeadline(none) }},
		{do: func() error { c.expect(soon); return nil }},
		{do: func() error { return c.SetReadDeadline(none) }},
		{do: read},
		{do: func() error { c.expect(soon); return nil }},
		{do: read, want: []time.Time{soon}},
		{do: read},
		{do: func() error { return c.SetReadDeadline(none) }, want: []time.Time{none}},
		{do: func() error { c.expect(past); return nil }},
		{do: read, want: []time.Time{past}, late: true},
		{do: func() error { return c.SetReadDeadline(soon) }, want: []time.Time{soon}},
		{do: read},
	} {
		w.set = nil
		err := step.do()
		if errors.Is(err, os.ErrDeadlineExceeded) != step.late || !step.late && err != nil || !slices.Equal(w.set, step.want) {
			t.Errorf("step %d: %v, the socket was given %v", i, err, w.set)
		}
	}
}
