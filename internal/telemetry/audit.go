package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/access"
	"stele/internal/pause"
	"stele/internal/wire"
)

const (
	auditEvery  = 500 * time.Millisecond // how late an entry is sent on
	auditBatch  = 100                    // entries at once
	auditAnswer = 15 * time.Second
	auditLease  = time.Minute
	auditRest   = time.Minute // the longest wait after failures
	auditSink   = "url"
)

// AuditLog is the audit log as a chain, and how far it was sent on.
type AuditLog interface {
	AuditHead(ctx context.Context) (access.Head, error)
	EntriesAfter(ctx context.Context, seq int64, limit int) ([]access.Entry, error)
	TakeSink(ctx context.Context, name, owner string, now, until time.Time) (seq int64, ok bool, err error)
	MoveSink(ctx context.Context, name, owner string, seq int64) error
	SinkAt(ctx context.Context, name string) (int64, error)
}

// AuditSettings is where the audit log goes.
type AuditSettings struct{ File, URL, Token string }

// AuditOptions is what a Forwarder stands on.
type AuditOptions struct {
	Log      AuditLog
	Settings func() AuditSettings
	Client   func() *http.Client // to what the operator configured: guard's
	Node     string              // the name of this process
	Folder   string              // remembers how far the file was written
	Now      func() time.Time
}

// Forwarder sends the audit log on as it is written: every server to its file, one
// of them to the address. Entries are sent in their order; after a failure they
// are sent again, so that none is missing and some may come twice. It is safe for
// concurrent use.
type Forwarder struct {
	AuditOptions

	mu           sync.Mutex // guards all below
	destinations map[string]*destination
}

// destination is how it stands with the file or the address.
type destination struct {
	problem  string
	failures int
	rest     time.Time // not before
}

// Lag is how far a destination is behind.
type Lag struct {
	Place   string // "file" or "address"
	Behind  int64  // entries
	Problem string // why, if that is known here
}

// NewForwarder makes one. Nothing is sent until Run.
func NewForwarder(o AuditOptions) *Forwarder {
	return &Forwarder{AuditOptions: o, destinations: map[string]*destination{"file": {}, "address": {}}}
}

// Run sends until ctx ends.
func (f *Forwarder) Run(ctx context.Context, log *slog.Logger) {
	for {
		f.Send(ctx, log)
		if pause.For(ctx, auditEvery) != nil {
			return
		}
	}
}

// Send sends what there is to both destinations, once.
func (f *Forwarder) Send(ctx context.Context, log *slog.Logger) {
	settings := f.Settings()
	if settings.File != "" {
		f.try(ctx, log, "file", func(ctx context.Context) error { return f.toFile(ctx, settings.File) })
	}
	if settings.URL != "" {
		f.try(ctx, log, "address", func(ctx context.Context) error { return f.toURL(ctx, settings) })
	}
}

// try does one thing unless it has failed lately, and tells of the first failure.
func (f *Forwarder) try(ctx context.Context, log *slog.Logger, name string, do func(context.Context) error) {
	f.mu.Lock()
	p := *f.destinations[name]
	f.mu.Unlock()
	if f.Now().Before(p.rest) {
		return
	}
	err := do(ctx)
	if ctx.Err() != nil {
		return
	}
	if err == nil {
		p = destination{}
	} else {
		if p.failures == 0 {
			log.LogAttrs(ctx, slog.LevelError, "the audit log cannot be sent on", slog.String("to", name), slog.Any("error", err))
		}
		p.rest = f.Now().Add(min(auditRest, time.Second<<min(p.failures, 10)))
		p.failures, p.problem = p.failures+1, err.Error()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.destinations[name] = &p
}

// Lags says how far the destinations are behind that the log is sent to.
func (f *Forwarder) Lags(ctx context.Context) (list []Lag, err error) {
	settings := f.Settings()
	head, err := f.Log.AuditHead(ctx)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	add := func(name string, at int64) {
		if behind := head.Seq - max(at, head.Base.Seq); behind > 0 {
			list = append(list, Lag{name, behind, f.destinations[name].problem})
		}
	}
	if settings.File != "" {
		add("file", f.fileAt(settings.File))
	}
	if settings.URL != "" {
		at, err := f.Log.SinkAt(ctx, auditSink)
		if err != nil {
			return nil, err
		}
		add("address", at)
	}
	return list, nil
}

// toURL posts what the address does not have yet, if no other server does.
func (f *Forwarder) toURL(ctx context.Context, s AuditSettings) error {
	head, err := f.Log.AuditHead(ctx)
	if err != nil {
		return err
	}
	if at, err := f.Log.SinkAt(ctx, auditSink); err != nil || at >= head.Seq {
		return err
	}
	for {
		seq, ours, err := f.Log.TakeSink(ctx, auditSink, f.Node, f.Now(), f.Now().Add(auditLease))
		if err != nil || !ours {
			return err
		}
		list, err := f.Log.EntriesAfter(ctx, seq, auditBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := f.post(ctx, s, list); err != nil {
			return err
		}
		if err := f.Log.MoveSink(ctx, auditSink, f.Node, list[len(list)-1].Seq); err != nil {
			return err
		}
	}
}

func (f *Forwarder) post(ctx context.Context, s AuditSettings, list []access.Entry) error {
	ctx, cancel := context.WithTimeout(ctx, auditAnswer)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(auditLines(list)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.Header.Set("User-Agent", "stele")
	if s.Token != "" {
		r.Header.Set("Authorization", "Bearer "+s.Token)
	}
	answer, err := f.Client().Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the address answered with status %d", answer.StatusCode)
	}
	return nil
}

// toFile adds what the file does not have yet. It is opened anew each time, so that
// it can be moved away.
func (f *Forwarder) toFile(ctx context.Context, name string) error {
	head, err := f.Log.AuditHead(ctx)
	if err != nil {
		return err
	}
	seq := f.fileAt(name)
	for seq < head.Seq {
		list, err := f.Log.EntriesAfter(ctx, seq, auditBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := appendTo(name, auditLines(list)); err != nil {
			return err
		}
		seq = list[len(list)-1].Seq
		if err := f.noteFile(seq); err != nil {
			return err
		}
	}
	return nil
}

func appendTo(name string, lines []byte) error {
	out, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	last := make([]byte, 1) // half a line is what a killed process left: it is not gone on with
	if size, err := out.Seek(0, io.SeekEnd); err == nil && size > 0 {
		if _, err := out.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			lines = append([]byte{'\n'}, lines...)
		}
	}
	_, err = out.Write(lines)
	return errors.Join(err, out.Sync(), out.Close())
}

const fileMark = "audit-file.seq"

// fileAt is how far the file was written: what was noted, or its last line if that
// is further on.
func (f *Forwarder) fileAt(name string) int64 {
	text, _ := os.ReadFile(filepath.Join(f.Folder, fileMark)) // missing: from the beginning
	noted, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return max(noted, lastLine(name))
}

func (f *Forwarder) noteFile(seq int64) error {
	name := filepath.Join(f.Folder, fileMark)
	if err := os.WriteFile(name+".new", []byte(strconv.FormatInt(seq, 10)+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// lastLine is the place of the last whole line of a file, 0 where it has none.
func lastLine(name string) int64 {
	in, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer in.Close()
	const most = 256 << 10
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return 0
	}
	tail := make([]byte, min(size, most))
	if _, err := in.ReadAt(tail, size-int64(len(tail))); err != nil {
		return 0
	}
	tail = tail[:bytes.LastIndexByte(tail, '\n')+1]
	lines := bytes.Split(bytes.TrimSpace(tail), []byte{'\n'})
	var line struct {
		Seq int64 `json:"seq"`
	}
	if json.Unmarshal(lines[len(lines)-1], &line) != nil {
		return 0
	}
	return line.Seq
}

// wireEntry is an entry as programs read it.
type wireEntry struct {
	Seq       int64        `json:"seq"`
	ID        string       `json:"id"`
	At        string       `json:"at"`
	Actor     string       `json:"actor"`
	ActorName string       `json:"actor_name,omitempty"`
	Workspace string       `json:"workspace"`
	Action    string       `json:"action"`
	Target    string       `json:"target"`
	Detail    string       `json:"detail"`
	Changes   []wireChange `json:"changes,omitempty"`
	Hash      string       `json:"hash"`
}

type wireChange struct {
	Field string `json:"field"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// AuditLine is an entry as a line of JSON.
func AuditLine(e access.Entry) []byte {
	w := wireEntry{
		Seq: e.Seq, ID: e.ID, At: wire.Time(e.At), Actor: e.Actor, ActorName: e.ActorName, Workspace: e.Workspace,
		Action: e.Action, Target: e.Target, Detail: e.Detail, Hash: e.Hash,
	}
	for _, c := range e.Changes {
		w.Changes = append(w.Changes, wireChange(c))
	}
	line, err := json.Marshal(w, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // texts and numbers
	}
	return append(line, '\n')
}

func auditLines(list []access.Entry) []byte {
	var b []byte
	for _, e := range list {
		b = append(b, AuditLine(e)...)
	}
	return b
}
