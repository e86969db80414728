package webhook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/guard"
	"stele/internal/inflight"
	"stele/internal/label"
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
	keptAnswer = 512             // of them, how many people see
)

// Options are what a service stands on.
type Options struct {
	Store  Store
	Box    *seal.Box           // seals the secrets at rest
	Client func() *http.Client // one that reaches public addresses only and follows no redirect
	Now    func() time.Time
	Log    *slog.Logger

	Mail Mailer // nil: no mail is sent

	Working *inflight.Registry           // of what this process is working on; nil for none
	Aside   func(kind string)            // told of what is set aside; may be nil
	Tried   func(channel, result string) // told how attempts end: webhook or mail; delivered, failed or given_up; may be nil
}

// Mailer sends mail.
type Mailer interface {
	// Send sends a text to one mailbox. An error that wraps ErrRefused says that trying
	// again is useless.
	Send(ctx context.Context, m Mail) error
}

// Mail is a message to one mailbox. Its id is the same at every attempt.
type Mail struct{ ID, To, Subject, Text string }

// ErrRefused says that a mail server refuses a message for good.
var ErrRefused = errors.New("the mail server refuses it")

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
	if unwanted, err := s.follow(ctx, d); err != nil {
		return 0, err
	} else if unwanted != nil {
		d.State, d.Problem, d.Tried, d.Next = GivenUp, unwanted.Error(), s.Now(), time.Time{}
		s.note(ctx, d, unwanted)
		return 0, s.Store.SaveAttempt(ctx, d)
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
	out := s.try(ctx, d, v)
	d.Status, d.Answer, d.Next = out.status, out.answer, time.Time{}
	switch {
	case out.err == nil:
		d.State, d.Problem, d.Delivered = Delivered, "", s.Now()
	case out.final || d.Tries > len(waits):
		d.State, d.Problem = GivenUp, problem(out.err)
	default:
		d.Problem = problem(out.err)
		again = waits[d.Tries-1]
		d.Next = s.Now().Add(again)
	}
	s.note(ctx, d, out.err)
	return again, s.Store.SaveAttempt(ctx, d)
}

// note tells the log and the metrics how an attempt ended.
func (s *Service) note(ctx context.Context, d *Delivery, err error) {
	level := slog.LevelDebug
	if err != nil {
		level = slog.LevelWarn
	}
	s.Log.LogAttrs(ctx, level, "webhook", slog.String("delivery", d.ID), slog.String("subject", d.Subject), slog.Int("try", d.Tries),
		slog.String("state", string(d.State)), slog.Int("status", d.Status), slog.Any("error", err))
	if s.Tried == nil {
		return
	}
	channel, result := "webhook", "failed"
	if _, ok := mailbox(d.URL); ok {
		channel = "mail"
	}
	if d.State != Pending {
		result = string(d.State)
	}
	s.Tried(channel, result)
}

// outcome is how an attempt ended.
type outcome struct {
	status int    // of the answer; 0 for none
	answer string // its first bytes
	final  bool   // trying again is useless
	err    error  // nil: it was delivered
}

// try sends a delivery once, whatever happens in it. A panic is a failure like others.
func (s *Service) try(ctx context.Context, d *Delivery, v *visit) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		v.end(out.err == nil || out.status > 0 || out.final)
	}()
	if to, ok := mailbox(d.URL); ok {
		return s.mail(ctx, d, to, v.within)
	}
	return s.post(ctx, d, v.within)
}

// follow has a delivery go where its endpoint is now. unwanted says why it is not to be
// sent at all.
func (s *Service) follow(ctx context.Context, d *Delivery) (unwanted, err error) {
	if d.Endpoint == "" {
		return nil, nil
	}
	e, err := s.Store.Endpoint(ctx, d.Endpoint)
	switch {
	case errors.Is(err, access.ErrNotFound):
		return errors.New("the endpoint was deleted"), nil
	case err != nil:
		return nil, err
	case !e.Enabled:
		return errors.New("the endpoint is switched off"), nil
	}
	d.URL = e.URL
	return nil, nil
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

// post sends a delivery to a server, once.
func (s *Service) post(ctx context.Context, d *Delivery, within time.Duration) outcome {
	secrets, err := s.secrets(ctx, cmp.Or(d.Endpoint, d.Workspace))
	if err != nil {
		return outcome{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(d.Body))
	if err != nil {
		return outcome{final: true, err: err}
	}
	now := s.Now()
	signature, err := secrets.sign(d.ID, now, d.Body)
	if err != nil {
		return outcome{err: err}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Stele-Webhooks")
	r.Header.Set("webhook-id", d.ID)
	r.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	r.Header.Set("webhook-signature", signature)
	answer, err := s.Client().Do(r)
	if err != nil {
		_, refused := errors.AsType[*guard.Refused](err)
		return outcome{final: refused, err: err}
	}
	defer answer.Body.Close()
	defer time.AfterFunc(bodyTime, cancel).Stop()
	return read(answer)
}

// read is what a receiver's answer means.
func read(answer *http.Response) outcome {
	var first bytes.Buffer
	_, _ = io.CopyN(&first, answer.Body, keptAnswer)
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswer))
	out := outcome{status: answer.StatusCode, answer: label.Clean(strings.Join(strings.Fields(first.String()), " "), keptAnswer)}
	switch {
	case answer.StatusCode >= 200 && answer.StatusCode < 300:
	case answer.StatusCode == http.StatusGone:
		out.final, out.err = true, errors.New("the receiver wants no more of these: 410")
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		out.err = fmt.Errorf("the receiver redirects, which is not followed: %d", answer.StatusCode)
	default:
		out.err = fmt.Errorf("the receiver answered %d", answer.StatusCode)
	}
	return out
}

// mail sends a delivery to a mailbox, once.
func (s *Service) mail(ctx context.Context, d *Delivery, to string, within time.Duration) outcome {
	if s.Mail == nil {
		return outcome{final: true, err: errors.New("the configuration names no mail server")}
	}
	m, err := letter(d)
	if err != nil {
		return outcome{final: true, err: err}
	}
	m.To = to
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err = s.Mail.Send(ctx, m)
	return outcome{final: errors.Is(err, ErrRefused), err: err}
}

// problem is an error in a few words, for lists that members of the workspace read. The address
// stands beside it, and whom the server asks for names is none of theirs.
func problem(err error) string {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return label.Clean("the name "+e.Name+" cannot be looked up: "+e.Err, 300)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return label.Clean(err.Error(), 300)
}
