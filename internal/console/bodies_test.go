package console_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/memory"
	"stele/internal/race"
)

var errHungUp = errors.New("the client hung up")

// flood is a body that says how much of it was read.
type flood struct {
	io.Reader
	read int64
	look func()
}

func (f *flood) Read(p []byte) (int, error) {
	f.look()
	n, err := f.Reader.Read(p)
	f.read += int64(n)
	if err == io.EOF { //nolint:errorlint // as readers return it
		err = errHungUp
	}
	return n, err
}

type letters struct{}

var manyLetters = bytes.Repeat([]byte("x"), 64<<10)

func (letters) Read(p []byte) (int, error) { return copy(p, manyLetters), nil }

// everyRoom is a console with all its rooms, whose memory is counted.
func everyRoom(t *testing.T) (*consoletest.House, *memory.Budget) {
	t.Helper()
	budget := memory.New(1<<40, 1<<40)
	var a consoletest.Atelier
	_, supplies := consoletest.WithSupply(t)
	h := consoletest.OpenSignedIn(t, consoletest.WithApps(&consoletest.Workshop{}), consoletest.WithStudio(&a), consoletest.WithPlayground(&consoletest.Shelf{Kept: make(chan struct{}, 1000)}), supplies, consoletest.WithUsage,
		func(h *consoletest.House, o *console.Options) { o.Memory, o.Now = budget, h.Clock })
	return h, budget
}

var kindsOfBody = []string{
	"application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=b", "MULTIPART/form-data; boundary=b", "multipart/mixed; boundary=b",
	"text/plain", "application/octet-stream", "",
}

// uploads are the routes that keep files as they arrive, and so may read long bodies.
var uploads = []string{"/console/playground/files", "/console/apps/files", "/console/studio/files"}

// TestNoRouteReadsMoreThanItsBound floods every route there is, whatever the flood is called.
func TestNoRouteReadsMoreThanItsBound(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it sends gigabytes")
	h, budget := everyRoom(t)
	for _, route := range console.Routes() {
		if route.Pattern == "/console/signout" || route.Pattern == "/console/studio/events" {
			continue // the session is needed, and a stream has no end
		}
		for _, kind := range kindsOfBody {
			for _, announced := range []int64{-1, 1 << 40} {
				most := int64(0)
				body := &flood{Reader: io.LimitReader(letters{}, 64<<20), look: func() { most = max(most, budget.Taken()) }}
				h.SendBody(route, kind, body, announced)
				bound := int64(8<<20 + 4<<10) // a little more is read to see that there is more
				if slices.Contains(uploads, route.Pattern) {
					bound = 64 << 20
				}
				if body.read > bound || most > 32<<20 {
					t.Errorf("%s %s, %q: %d bytes read, %d held", route.Method, route.Pattern, kind, body.read, most)
				}
				if budget.Taken() != 0 {
					t.Fatalf("%s %s, %q: %d bytes are held after the answer", route.Method, route.Pattern, kind, budget.Taken())
				}
			}
		}
	}
}

// TestAnAnnouncedGiantHoldsLittle sends one byte of a body of a terabyte.
func TestAnAnnouncedGiantHoldsLittle(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it sends gigabytes")
	h, budget := everyRoom(t)
	for _, route := range console.Routes() {
		if route.Pattern == "/console/signout" || route.Pattern == "/console/studio/events" {
			continue
		}
		for _, kind := range kindsOfBody {
			for _, announced := range []int64{1 << 39, 8 << 20, 64 << 10} {
				most := int64(0)
				body := &flood{Reader: io.LimitReader(letters{}, 1), look: func() { most = max(most, budget.Taken()) }}
				h.SendBody(route, kind, body, announced)
				if most > 64<<10 {
					t.Errorf("%s %s, %q: one byte of %d holds %d", route.Method, route.Pattern, kind, announced, most)
				}
			}
		}
	}
}
