package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/guard"
	"stele/internal/inflight"
	"stele/internal/seal"
)

// waits are how long after each failed attempt the next one follows: ten attempts
// in a little more than three days.
var waits = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	answerTime = 15 * time.Second
	bodyTime   = 2 * time.Second // for what follows the status, which is not used
	mostAnswer = 64 << 10        // bytes of an answer that are read, so that the connection can be used again
)

// Options are what a service stands on.
type Options struct {
	Store  Store
	Box    *seal.Box           // seals the secrets at rest
	Client func() *http.Client // one that reaches public addresses only and follows no redirect
	Now    func() time.Time
	Log    *slog.Logger

	Working *inflight.Record  // of what this process is working on; nil for none
	Aside   func(kind string) // told of what is set aside; may be nil
}

// Service delivers. It is safe for concurrent use.
type Service struct {
	Options

	addresses *addresses
}

// New makes a service.
func New(o Options) *Service { return &Service{o, newAddresses(o.Now)} }

// Deliver makes one attempt, unless its address has enough on its way already. again
// says when the next one is due, 0 for never.
func (s *Service) Deliver(ctx context.Context, job Deliver) (again time.Duration, err error) {
	d, err := s.Store.Delivery(ctx, job.ID)
	if errors.Is(err, access.ErrNotFound) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	if d.State != Pending {
		return 0, nil
	}
	v, again := s.addresses.enter(ctx, d.Workspace, d.URL)
	if v == nil {
		return again, nil
	}
	end, err := s.Working.Begin(ctx, d.ID, d.Deaths)
	if err != nil {
		v.end(true)
		return time.Second, nil //nolint:nilerr // it was not its turn before the server stopped
	}
	defer end()
	d.Tried = s.Now()
	d.Tries++
	var final bool
	d.Status, final, err = s.try(ctx, d, v)
	switch {
	case err == nil:
		d.State, d.Problem, d.Delivered = Delivered, "", s.Now()
	case final || d.Tries > len(waits):
		d.State, d.Problem = GivenUp, problem(err)
	default:
		d.Problem = problem(err)
		again = waits[d.Tries-1]
	}
	level := slog.LevelDebug
	if err != nil {
		level = slog.LevelWarn
	}
	s.Log.LogAttrs(ctx, level, "webhook", slog.String("delivery", d.ID), slog.String("subject", d.Subject), slog.Int("try", d.Tries),
		slog.String("state", string(d.State)), slog.Int("status", d.Status), slog.Any("error", err))
	return again, s.Store.SaveAttempt(ctx, d)
}

// try sends a delivery once, whatever happens in it. A panic is a failure like others.
func (s *Service) try(ctx context.Context, d *Delivery, v *visit) (status int, final bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		v.end(status > 0 || final)
	}()
	return s.post(ctx, d, v.within)
}

// SetAside ends a delivery during which processes have died.
func (s *Service) SetAside(ctx context.Context, id, reason string) error {
	d, err := s.Store.Delivery(ctx, id)
	if err != nil {
		return err
	}
	if err := s.Store.SetAsideDelivery(ctx, inflight.Aside{
		ID: d.ID, Workspace: d.Workspace, Kind: inflight.Webhook, About: hostOf(d.URL), Subject: d.Subject, Reason: reason, At: s.Now(),
	}); err != nil {
		return err
	}
	s.Log.LogAttrs(ctx, slog.LevelError, "a webhook was set aside", slog.String("delivery", d.ID), slog.String("workspace", d.Workspace),
		slog.String("reason", reason))
	if s.Aside != nil {
		s.Aside(inflight.Webhook)
	}
	return nil
}

// post sends a delivery once. final says that trying again is useless.
func (s *Service) post(ctx context.Context, d *Delivery, within time.Duration) (status int, final bool, err error) {
	secrets, err := s.secrets(ctx, d.Workspace)
	if err != nil {
		return 0, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return 0, true, err
	}
	now := s.Now()
	signature, err := secrets.sign(d.ID, now, d.Body)
	if err != nil {
		return 0, false, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Stele-Webhooks")
	r.Header.Set("webhook-id", d.ID)
	r.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("webhook-signature", signature)
	answer, err := s.Client().Do(r)
	if err != nil {
		_, refused := errors.AsType[*guard.Refused](err)
		return 0, refused, err
	}
	defer answer.Body.Close()
	defer time.AfterFunc(bodyTime, cancel).Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswer))
	switch {
	case answer.StatusCode >= 200 && answer.StatusCode < 300:
		return answer.StatusCode, false, nil
	case answer.StatusCode == http.StatusGone:
		return answer.StatusCode, true, errors.New("the receiver wants no more of these: 410")
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		return answer.StatusCode, false, fmt.Errorf("the receiver redirects, which is not followed: %d", answer.StatusCode)
	}
	return answer.StatusCode, false, fmt.Errorf("the receiver answered %d", answer.StatusCode)
}

// problem is an error in a few words, for lists.
func problem(err error) string {
	text := err.Error()
	if len(text) > 300 {
		text = text[:300]
	}
	return text
}
