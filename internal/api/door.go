package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/label"
	"stele/internal/memory"
	"stele/internal/relay"
	"stele/internal/replay"
	"stele/internal/scope"
	"stele/internal/share"
)

// Settings are what an operator may change while the door is open.
type Settings struct {
	AcceptGoogHeader bool  // x-goog-api-key may carry the key as well
	AllowDevelopment bool  // development keys open the door
	JSONBody         int64 // bytes
	UploadBody       int64 // bytes
	OpenChats        int64 // chat requests of one key at a time; 0: any number
	OpenWaits        int64 // requests of one key that wait for a generation; 0: any number
	KeepAlive        time.Duration
	Linger           time.Duration // how long a chat with an Idempotency-Key goes on without its client
	Kept             int64         // bytes of a chat's answer that are kept for its Idempotency-Key
}

// Options are what a Door is made of.
type Options struct {
	Access  *access.Service
	Catalog *catalog.Catalog
	Apps    *app.Runner
	Relay   *relay.Relay
	// Files keeps what clients upload.
	Files *file.Service
	// Generations makes media.
	Generations *generation.Service
	// Replay answers repeated requests as the first was answered.
	Replay *replay.Service
	// Bodies keeps what is said in chat; nil: it is not kept.
	Bodies Bodies
	// TraceBodies has spans carry what Bodies keeps.
	TraceBodies bool

	Settings func() Settings
	Draining func() bool // no new work is taken
	// Public is where clients reach this server; nil: not known.
	Public func() *url.URL
	// Memory is what requests may hold; nil: nothing is counted.
	Memory *memory.Budget
	// Share is how much a workspace may hold on disk; nil: any amount.
	Share *share.Keeper
}

// Door is the public API as an http.Handler for everything under /api/.
type Door struct {
	Options
	chats, kept, waits *concurrency
	written            written
}

// New makes the door.
func New(o Options) *Door {
	return &Door{
		Options: o,
		chats:   newConcurrency("chat requests", func() int64 { return o.Settings().OpenChats }),
		kept:    newConcurrency("chat requests with an Idempotency-Key", func() int64 { return o.Settings().OpenChats }),
		waits:   newConcurrency("requests that wait for a generation", func() int64 { return o.Settings().OpenWaits }),
	}
}

// ServeHTTP finds the route, checks the key, asks the room, answers.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := &startedWriter{ResponseWriter: w}
	routes, params := match(r.URL.EscapedPath())
	chosen := choose(routes, r.Method)
	var family family
	if chosen != nil {
		family = chosen.family.of(r)
	} else {
		family = familyOf(r)
	}
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { //nolint:errorlint,err113 // a panic value, compared as the standard library does
				panic(v)
			}
			scope.From(r.Context()).Note(slog.Any("panic", v))
			d.fail(answer, r, family, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	if r.Method == http.MethodGet {
		w.Header().Set("Cache-Control", "private, no-cache")
	}
	switch {
	case len(routes) == 0:
		d.answerNoRoute(answer, r, family)
		return
	case chosen == nil:
		d.fail(answer, r, family, refuseMethod(w.Header(), routes))
		return
	}
	scope.From(r.Context()).SetRoute(chosen.method + " " + chosen.path)
	if err := d.serve(chosen, answer, r, params); err != nil {
		d.fail(answer, r, family, err)
	}
}

// answerNoRoute answers a request that found no route.
func (d *Door) answerNoRoute(w *startedWriter, r *http.Request, f family) {
	if there := d.findRoute(r); there != "" {
		w.Header().Set("Location", there)
		w.WriteHeader(http.StatusPermanentRedirect)
		return
	}
	d.fail(w, r, f, d.refuseNowhere(r))
}

// serve takes a request that found its route through the checks, in this
// order: is there room, who is it, may they, how much is it.
func (d *Door) serve(route *route, w http.ResponseWriter, r *http.Request, params map[string]string) error {
	// A client that waits for work that is already paid for is not cut off.
	if _, task := params["id"]; d.Draining() && !task {
		return fault.Stopping()
	}
	who, pass, err := d.authenticate(r)
	if who.Key != "" {
		note(r, who)
	}
	if err != nil {
		return err
	}
	if !who.Scope.Allows(route.group) {
		sentence := "This key's scopes do not include %q, which this route needs."
		if own := (access.Scope{Groups: who.Scope.Groups}); own.Allows(route.group) {
			sentence = "The policy of this workspace does not open %q, which this route needs."
		}
		return fault.New(fault.PermissionDenied, sentence, route.group).With("scope", string(route.group))
	}
	undeclared := attribute(&who, r.Header)
	held, release := d.Access.Hold(r.Context(), pass, route.group)
	defer release()
	r = r.WithContext(held)
	lease := d.Memory.OpenPart(who.Workspace, who.Key)
	defer lease.Close()
	scope.From(r.Context()).Memory = lease
	if err := checkParams(params); err != nil {
		return err
	}
	if route.group == access.GroupChat {
		leave, err := d.chats.take(who)
		if err != nil {
			d.Relay.Refuse(r.Context(), who, route.family.name, err)
			return err
		}
		defer leave()
	}
	if err := d.boundBody(route, w, r); err != nil {
		if route.group == access.GroupChat {
			d.Relay.Refuse(r.Context(), who, route.family.name, err)
		}
		return err
	}
	c := call{Request: r, who: who, pass: pass, route: route, params: params, undeclared: undeclared}
	if d.Bodies != nil && route.group == access.GroupChat && who.Scope.AllowsCapture() {
		return d.serveCaptured(w, c)
	}
	return d.handle(w, c)
}

// handle serves a request that is let in. Whatever fails because its key has ended
// meanwhile is told so.
func (d *Door) handle(w http.ResponseWriter, c call) error {
	err := c.route.handler(d, w, c)
	if err != nil {
		if ended := access.WhyEnded(c.Context()); ended != nil {
			return ended
		}
	}
	return err
}

// unnamed is what is not there where a path's placeholder names nothing that can be.
var unnamed = map[string]*fault.Error{"app": app.NoApp(), "id": generation.NoTask()}

// checkParams refuses what a path names if nothing can be called so: no room and no
// database is asked about it.
func checkParams(params map[string]string) error {
	for name, value := range params {
		switch {
		case label.IsModelID(value):
		case unnamed[name] != nil:
			return unnamed[name]
		default:
			return catalog.NoModel(value)
		}
	}
	return nil
}

// choose picks the route for a method among those at a path; nil where none takes it.
func choose(routes []*route, method string) *route {
	for _, route := range routes {
		if route.method == method {
			return route
		}
	}
	return nil
}

// refuseMethod says which methods a path takes.
func refuseMethod(h http.Header, routes []*route) error {
	methods := make([]string, len(routes))
	for i, route := range routes {
		methods[i] = route.method
	}
	allow := strings.Join(methods, ", ")
	h.Set("Allow", allow)
	return fault.New(fault.MethodNotAllowed, "This path takes %s.", allow)
}
