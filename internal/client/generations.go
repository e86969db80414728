package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/generation"
	"stele/internal/pause"
	"stele/internal/wire"
)

// Generations is where generations are ordered.
const Generations = "/api/v1/generations"

const (
	mostTries    = 5           // in a row, of what failed on the way
	betweenTries = time.Second // a server that restarts is back soon
	longestEvent = 8 << 20
)

// AppPath is where runs of an app are ordered.
func AppPath(app string) string { return "/api/v1/apps/" + url.PathEscape(app) + "/generations" }

// Order places an order at a path: Generations or AppPath. However often its answer is
// lost on the way, one task comes of it.
func (s *Server) Order(ctx context.Context, path string, body []byte) (v generation.View, err error) {
	once := http.Header{"Idempotency-Key": {"order-" + rand.Text()}, "Content-Type": {"application/json"}}
	err = persist(ctx, func() error {
		return s.do(ctx, request{
			Method: http.MethodPost, Path: path, Header: once, Body: func() io.Reader { return bytes.NewReader(body) },
		}, &v)
	})
	return v, err
}

// Generation shows a task as it stands.
func (s *Server) Generation(ctx context.Context, id string) (v generation.View, err error) {
	err = s.Get(ctx, Generations+"/"+url.PathEscape(id), &v)
	return v, err
}

// Cancel stops a task, which may take a moment. One that has ended stays as it is.
func (s *Server) Cancel(ctx context.Context, id string) (v generation.View, err error) {
	body, err := json.Marshal(map[string]string{"cancel": id})
	if err != nil {
		return v, err
	}
	err = persist(ctx, func() error { return s.Post(ctx, Generations, body, &v) })
	return v, err
}

// HasEnded reports whether a task has come to its end.
func HasEnded(v generation.View) bool { return v.Status != "pending" && v.Status != "processing" }

// Follow tells how a task goes on until it has ended, and gives its last state with an
// error too. It bears connections that break.
func (s *Server) Follow(ctx context.Context, v generation.View, seen func(generation.View)) (last generation.View, err error) {
	last = v
	path := Generations
	if v.App != "" {
		path = AppPath(v.App) // the key may open apps and nothing else
	}
	for failed := 0; ; failed++ {
		err = s.follow(ctx, path+"/"+url.PathEscape(v.ID), func(v generation.View) {
			last, failed = v, 0
			seen(v)
		})
		switch {
		case HasEnded(last):
			return last, nil
		case ctx.Err() != nil:
			return last, ctx.Err()
		case !canTryAgain(err) && !isFull(err), failed == mostTries:
			return last, err
		}
		if err := pause.For(ctx, betweenTries); err != nil {
			return last, err
		}
	}
}

// follow reads one stream of events.
func (s *Server) follow(ctx context.Context, path string, seen func(generation.View)) error {
	answer, err := s.send(ctx, request{
		Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {wire.EventStream}},
	})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return readRefusal(answer)
	}
	events := wire.NewSSE(answer.Body, longestEvent)
	defer events.Close()
	for {
		frame, err := events.Next()
		if err != nil {
			return fmt.Errorf("follow the generation: %w", err)
		}
		switch string(frame.Event) {
		case "error":
			return read(http.StatusUnauthorized, frame.Data, nil)
		case "progress", "end":
			var v generation.View
			if err := json.Unmarshal(frame.Data, &v); err != nil {
				return fmt.Errorf("follow the generation: %w", err)
			}
			seen(v)
			if HasEnded(v) {
				return nil
			}
		}
	}
}

// persist tries again what failed on the way.
func persist(ctx context.Context, try func() error) error {
	for n := 1; ; n++ {
		err := try()
		if err == nil || !canTryAgain(err) || n == mostTries || ctx.Err() != nil {
			return err
		}
		if pause.For(ctx, betweenTries) != nil {
			return err
		}
	}
}

// isFull reports whether the server has too many clients that wait just now.
func isFull(err error) bool {
	refused, ok := errors.AsType[*Refusal](err)
	return ok && refused.Status == http.StatusTooManyRequests
}

// canTryAgain reports whether trying again may help: the connection broke, or the server
// is busy with the same order, full, or going down.
func canTryAgain(err error) bool {
	refused, ok := errors.AsType[*Refusal](err)
	if !ok {
		return true
	}
	switch refused.Status {
	case http.StatusConflict:
		return refused.Code == "idempotency_in_progress"
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
