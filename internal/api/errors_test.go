package api

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/fault"
)

// TestAnErrorIsHeardBeforeTheConnectionBreaks has streams end in the middle. Who listens has time
// for the error, also where the request was ended from here; nobody waits for one who is gone.
func TestAnErrorIsHeardBeforeTheConnectionBreaks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		end   func(cancel context.CancelCauseFunc)
		waits time.Duration
	}{
		{"the upstream failed", func(context.CancelCauseFunc) {}, hearing},
		{"it was ended from here", func(cancel context.CancelCauseFunc) { cancel(fault.New(fault.Unavailable, "Draining.")) }, hearing},
		{"the client is gone", func(cancel context.CancelCauseFunc) { cancel(nil) }, 0},
		{"the client has heard", func(cancel context.CancelCauseFunc) {
			time.AfterFunc(hearing/2, func() { cancel(nil) })
		}, hearing / 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				test.end(cancel)
				from := time.Now()
				defer func() {
					if v := recover(); v != http.ErrAbortHandler { //nolint:errorlint,err113 // a panic value
						t.Errorf("it ended with %v", v)
					}
					if waited := time.Since(from); waited != test.waits {
						t.Errorf("it broke off after %s, not %s", waited, test.waits)
					}
				}()
				r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/chat/completions", nil)
				new(Door).fail(&startedWriter{ResponseWriter: httptest.NewRecorder(), started: true}, r, openAI, io.ErrUnexpectedEOF)
			})
		})
	}
}
