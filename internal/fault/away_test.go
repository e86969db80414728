package fault_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"stele/internal/fault"
)

// state is an error of a database as drivers give it.
type state string

func (s state) Error() string    { return "state " + string(s) }
func (s state) SQLState() string { return string(s) }

func TestWhatIsAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		err  error
		away bool
	}{
		"no connection":    {&net.OpError{Op: "dial", Err: errors.New("refused")}, true},
		"cut":              {fmt.Errorf("commit: %w", io.ErrUnexpectedEOF), true},
		"took too long":    {context.DeadlineExceeded, true},
		"shutting down":    {state("57P01"), true},
		"starting":         {state("57P03"), true},
		"a standby":        {state("25006"), true},
		"full":             {state("53100"), true},
		"a wrong query":    {state("42601"), false},
		"a duplicate":      {state("23505"), false},
		"the client left":  {fmt.Errorf("read: %w", context.Canceled), false},
		"anything else":    {errors.New("a bug"), false},
		"said by the room": {fault.New(fault.FileNotFound, "No."), false},
	} {
		e := fault.From(fmt.Errorf("do: %w", c.err))
		if e.Away != c.away || c.away && (e.Code != fault.Unavailable || e.RetryAfter == 0 || !e.Unsure()) {
			t.Errorf("%s: %+v", text, e)
		}
	}
}
