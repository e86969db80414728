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
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/access"
	"stele/internal/fair"
	"stele/internal/fault"
	"stele/internal/memory"
	"stele/internal/scope"
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
	Supply     Supply      // providers and models; nil: they are not shown

	Start    *Start        // nil: the first page has no snippets
	Usage    UsageSource   // nil: there is none
	Requests RequestSource // nil: there are none
	Captures bool          // bodies are being kept

	// AuditLags says how far the places are behind that the audit log is sent on to; may be nil.
	AuditLags func(context.Context) ([]AuditLag, error)
	Health    HealthSource // nil: nobody knows

	Memory *memory.Budget // what requests may hold; nil: nothing is counted
	Asides Asides         // tasks that were set aside; nil: they are not shown
}

// mostVisits is how many requests of one person may be open at a time, live pages and
// the playground's streams included.
const mostVisits = 100

// Console serves the browser's routes. It expects paths without the base path,
// which the server takes off, and a scope in the request's context. It is safe
// for concurrent use.
type Console struct {
	access    *access.Service
	publicURL func() *url.URL
	apiURL    func() *url.URL
	document  []byte
	reference func() (*reference, error) // read when somebody wants it: it takes longer than all else here
	shelf     atomic.Pointer[shelf]      // the reference page, ready to send
	making    sync.Mutex                 // held by who makes that page
	version   string
	log       *slog.Logger
	now       func() time.Time
	pages     map[string]page
	assets    *assets
	mux       *http.ServeMux

	absent     map[string]bool // rooms that are not there, by the first word of their path after /console/
	signOn     *SignOn
	playground *Playground
	studio     *Studio
	apps       *Apps
	supply     Supply

	start     *Start
	usage     UsageSource
	requests  RequestSource
	captures  bool
	auditLags func(context.Context) ([]AuditLag, error)
	health    HealthSource
	memory    *memory.Budget
	visits    *fair.Semaphore // requests that people have open, by person
	asides    Asides
}

// New makes a Console. Its pages are read when they are first wanted; a test reads
// them all.
func New(o Options) (*Console, error) {
	c := &Console{
		access: o.Access, publicURL: o.PublicURL, apiURL: o.APIURL, document: o.Document,
		version: o.Version, log: o.Log, now: o.Now,
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.apiURL == nil {
		c.apiURL = o.PublicURL
	}
	c.signOn = o.SignOn
	c.playground = o.Playground
	c.studio = o.Studio
	c.apps = o.Apps
	c.supply = o.Supply
	c.memory = o.Memory
	c.visits = fair.New(math.MaxInt64, mostVisits)
	c.start, c.usage, c.requests, c.captures, c.health = o.Start, o.Usage, o.Requests, o.Captures, o.Health
	c.auditLags = o.AuditLags
	c.asides = o.Asides
	c.absent = map[string]bool{
		"oidc":       o.SignOn == nil,
		"playground": o.Playground == nil,
		"studio":     o.Studio == nil,
		"apps":       o.Apps == nil,
		"providers":  o.Supply == nil,
		"models":     o.Supply == nil,
		"usage":      o.Usage == nil,
		"requests":   o.Requests == nil,
		"aside":      o.Asides == nil,
	}
	var err error
	if c.assets, err = loadAssets(); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	if c.pages, err = newPages(); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c.reference = sync.OnceValues(func() (*reference, error) { return readReference(o.Document) })
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
		c.redirect(w, r, "/console/")
		return
	}
	// The mux would redirect an unclean path, and without the base path.
	if p := r.URL.EscapedPath(); p != clean(p) {
		c.answer(w, r, errNoPage())
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
	c.answer(w, r, fmt.Errorf("panic: %v", p))
}

func errNoPage() *fault.Error { return fault.New(fault.NotFound, "There is no such page.") }

func clean(p string) string {
	cleaned := path.Clean("/" + p)
	if strings.HasSuffix(p, "/") && cleaned != "/" {
		cleaned += "/"
	}
	return cleaned
}
