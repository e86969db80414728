// Package console is the door for people: sign-in, the pages behind it, and
// the readable reference of the public API. It knows sessions and never looks
// at API keys; it must not know SQL, upstreams or the public routes' code.
package console

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/console/usage"
	"stele/internal/fair"
	"stele/internal/fleet"
	"stele/internal/limit"
	"stele/internal/memory"
	"stele/internal/scope"
	"stele/internal/share"
	"stele/internal/webhook"
)

// Options is what a Console is made of.
type Options struct {
	Access    *access.Service
	PublicURL func() *url.URL  // where people reach the console; its path is the base path of every link and cookie
	APIURL    func() *url.URL  // where programs reach the API, for examples; nil: as PublicURL
	Document  []byte           // the OpenAPI document of the public API, in YAML
	Version   string           // shown at the foot of the navigation
	Log       *slog.Logger     // for what is not one request's business
	Now       func() time.Time // nil: time.Now

	SignOn     *SignOn     // nil: people sign in with a password only
	Playground *Playground // nil: there is none
	Studio     *Studio     // nil: there is none
	Apps       *Apps       // nil: there are none
	Names      *Names      // nil: they are not shown
	Supply     Supply      // providers and models; nil: they are not shown

	Start    *Start              // nil: the first page has no snippets
	Usage    usage.Source        // nil: there is none
	Requests usage.RequestSource // nil: there are none
	Captures bool                // bodies are being kept
	Share    *share.Keeper       // what workspaces hold on disk; nil: it is not shown

	// AuditLags says how far the places are behind that the audit log is sent on to; may be nil.
	AuditLags func(context.Context) ([]AuditLag, error)
	Health    HealthSource // nil: not known

	Memory *memory.Budget // what requests may hold; nil: nothing is counted
	Asides Asides         // tasks that were set aside; nil: they are not shown
	Limits *limit.Manager // nil: they are not shown

	Endpoints *webhook.Manager // where messages go; nil: they are not shown
	Fleet     fleet.Source     // the servers on this database; nil: they are not shown
	Node      string           // this one among them

	// VerifyMoney adds up what limits count, and Bills is set beside providers' bills; nil: the pages are not there.
	VerifyMoney func(context.Context) (limit.Verified, error)
	Bills       Bills
	Settler     Settler // generations that may still be charged for; nil: they are not shown
}

// mostVisits is how many requests of one person may be open at a time, live pages and
// the playground's streams included.
const mostVisits = 100

// mostAsked is how many pages and forms of one person are worked on at a time: as many as a browser
// asks a server for at once.
const mostAsked = 6

// Console serves the browser's routes. It expects paths without the base path,
// which the server takes off, and a scope in the request's context. It is safe
// for concurrent use.
type Console struct {
	*page.Frame
	rooms

	access *access.Service
	signOn *SignOn
	log    *slog.Logger
	memory *memory.Budget
	visits *fair.Semaphore // requests that people have open, by person
	asked  *fair.Semaphore // those of them that do not wait for news, by person
	mux    *http.ServeMux
}

// New makes a Console. Its pages are read when they are first wanted; a test reads
// them all.
func New(o Options) (*Console, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Console{access: o.Access, signOn: o.SignOn, log: o.Log, memory: o.Memory, visits: fair.New(math.MaxInt64, mostVisits), asked: fair.New(math.MaxInt64, mostAsked)}
	var err error
	c.Frame, err = page.New(page.Options{
		PublicURL: o.PublicURL, APIURL: o.APIURL, Version: o.Version, Now: o.Now, Absent: absentRooms(&o), Surround: c.surround,
		SSOOnly: func() bool { return o.Access.SignInRules().SSOOnly }, Rooms: roomFiles(),
	})
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c.furnish(&o)
	c.mux = c.newMux()
	return c, nil
}

// What every answer carries. The referrer stays within the origin rather than
// being left out altogether: without one browsers send "Origin: null" with
// forms, which the cross-origin check has to refuse.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; media-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; connect-src 'self'; font-src 'self'"

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	defer c.rescue(w, r)
	if r.URL.Path == "" { // all of it was the base path
		_ = c.Redirect(w, r, "/console/")
		return
	}
	// The mux would redirect an unclean path, and without the base path.
	if p := r.URL.EscapedPath(); p != page.Clean(p) {
		c.answer(w, r, page.NoPage())
		return
	}
	c.mux.ServeHTTP(w, r)
}

// rescue turns a panic into a 500. Pages are rendered before they are
// written, so there is nothing to take back.
func (c *Console) rescue(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // a panic value
		panic(p)
	}
	c.log.LogAttrs(r.Context(), slog.LevelError, "panic in the console",
		slog.String("request_id", scope.From(r.Context()).ID), slog.Any("panic", p), slog.String("stack", stack()))
	scope.From(r.Context()).Note(slog.Any("panic", p))
	c.answer(w, r, fmt.Errorf("panic: %v", p))
}
