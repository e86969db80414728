// Package server holds the doors open: listeners, TLS, request ids, the log
// line, health and draining. It must not know what is behind the doors.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"stele/internal/trace"
)

// Options are what a Server is made of.
type Options struct {
	Listen         string
	Certificate    *Certificate           // nil: plain HTTP
	BasePath       string                 // the public URL's path, taken off requests that carry it
	API            http.Handler           // everything under /api/
	Astray         func(path string) bool // whether a path elsewhere is meant for API, which says so; nil: none is
	Files          http.Handler           // everything under /files/
	Pages          http.Handler           // everything else
	ConsoleListen  string                 // where pages are, and nothing else; "": at Listen
	ConsolePath    string                 // BasePath of that listener
	ConsoleAllow   func() []netip.Prefix  // who may see pages; none: every client
	ConsoleHSTS    time.Duration          // HSTS of that listener
	HSTS           time.Duration          // for how long browsers are to come over TLS only; 0: they are not told
	Metrics        http.Handler
	MetricsListen  string                      // "": no metrics
	Bounds         func() Bounds               // asked for each request and each connection
	TrustedProxies func() []netip.Prefix       // whose X-Forwarded headers are believed
	Ready          func(context.Context) error // nil error: it serves
	Drain          func() time.Duration        // how long open requests may take to finish
	Observe        func(Served)                // called once for each finished request
	Trace          *trace.Tracer               // of requests to API; nil: none are traced
	Log            *slog.Logger
}

// Served is a finished request, for counting.
type Served struct {
	Route  string // the pattern, or "" where no route served it
	Method string
	Status int
	Took   time.Duration
}

// Server is the running process as clients see it.
type Server struct {
	Options
	draining atomic.Bool
	open     gauge
	streams  atomic.Int64 // answers that are being given in pieces
	crowd    *crowd
	multiple *streams
	heads    heads
	main     net.Listener
	console  net.Listener // nil: pages are at main
	metrics  net.Listener // nil: there are none
}

// New makes a Server. Nothing listens until Listen.
func New(o Options) *Server {
	return &Server{Options: o, crowd: newCrowd(o.Bounds, o.TrustedProxies), multiple: newStreams(o.Bounds), heads: newHeads()}
}

// Draining reports whether the server takes no new work. Handlers ask it.
func (s *Server) Draining() bool { return s.draining.Load() }

// Load is how many requests are open, and how many of them are answered in pieces.
func (s *Server) Load() (requests, streams int64) { return s.open.count(), s.streams.Load() }

// Listen opens the ports, so that a taken one is known before anything else is done.
func (s *Server) Listen() error {
	for _, port := range []struct {
		at, purpose string
		listener    *net.Listener
	}{
		{s.Options.Listen, "", &s.main},
		{s.ConsoleListen, " for the console", &s.console},
		{s.MetricsListen, " for metrics", &s.metrics},
	} {
		if port.at == "" {
			continue
		}
		listener, err := net.Listen("tcp", port.at)
		if err != nil {
			s.Close()
			return fmt.Errorf("listen on %s%s: %w", port.at, port.purpose, err)
		}
		*port.listener = listener
	}
	return nil
}

// Addr is where the server listens, after Listen.
func (s *Server) Addr() net.Addr { return s.main.Addr() }

// ConsoleAddr is where pages are served, after Listen, or "" if that is at Addr.
func (s *Server) ConsoleAddr() string { return addressText(s.console) }

// MetricsAddr is where metrics are served, after Listen, or "".
func (s *Server) MetricsAddr() string { return addressText(s.metrics) }

func addressText(l net.Listener) string {
	if l == nil {
		return ""
	}
	return l.Addr().String()
}

// Close gives the ports back when Run is never called.
func (s *Server) Close() {
	for _, l := range []net.Listener{s.main, s.console, s.metrics} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// Run serves until ctx ends, then drains: new work is refused with 503, open
// requests finish, and after Drain whatever is left is cut off.
func (s *Server) Run(ctx context.Context) error {
	failed := make(chan error, 3)
	doors := []*http.Server{s.serve(s.main, s.handler(s.dispatch, s.HSTS), s.Certificate, failed)}
	if s.console != nil {
		doors = append(doors, s.serve(s.console, s.handler(s.dispatchPages, s.ConsoleHSTS), s.Certificate, failed))
	}
	if s.metrics != nil {
		defer s.serve(s.metrics, Unlogged(s.Bounds, s.Metrics), nil, failed).Close()
	}
	select {
	case err := <-failed:
		_ = closeAll(doors)
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	return s.drain(doors)
}

// serve answers at a listener. Every one of them has the same bounds.
func (s *Server) serve(at net.Listener, handler http.Handler, certificate *Certificate, failed chan<- error) *http.Server {
	server := newHTTP(handler, s.Bounds())
	server.ErrorLog = slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug)
	listener := doorway{at, s.crowd, certificate != nil}
	if certificate == nil {
		go func() { failed <- server.Serve(listener) }()
		return server
	}
	server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.get}
	go func() { failed <- server.ServeTLS(listener, "", "") }()
	return server
}

// newHTTP makes a server with what net/http itself can bound. Its handler must hold
// its requests.
func newHTTP(handler http.Handler, b Bounds) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: b.HeaderTime, // of the handshake, too
		IdleTimeout:       b.Idle,
		MaxHeaderBytes:    b.HeaderBytes,
		ConnContext:       withConn,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:      b.Idle, // who vanished does not answer
			MaxConcurrentStreams: 64,
			MaxReadFrameSize:     16 << 10, // room for a frame is made by what is announced, and kept as long as its connection
		},
	}
}

func closeAll(doors []*http.Server) error {
	var problems []error
	for _, door := range doors {
		problems = append(problems, door.Close())
	}
	return errors.Join(problems...)
}

// cutTime is how long requests that were cut off have to notice that.
const cutTime = 2 * time.Second

// drain keeps the port open while requests finish, so that newcomers hear 503
// and when to come back instead of a refused connection.
func (s *Server) drain(doors []*http.Server) error {
	s.draining.Store(true)
	most := s.Drain()
	s.Log.LogAttrs(context.Background(), slog.LevelInfo, "draining", slog.Int64("open", s.open.count()), slog.String("at_most", most.String()))
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	cut := false
	select {
	case <-s.open.empty():
	case <-deadline.C:
		cut = true
	}
	end, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	for _, door := range doors {
		cut = cut || door.Shutdown(end) != nil
	}
	if cut {
		s.Log.LogAttrs(context.Background(), slog.LevelWarn, "open requests were cut off", slog.Int64("open", s.open.count()))
		err := closeAll(doors)
		select { // what they stand on is closed next
		case <-s.open.empty():
		case <-time.After(cutTime):
		}
		return err
	}
	return nil
}
