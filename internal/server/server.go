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
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 120 * time.Second
	headerBytes   = 64 << 10
)

// Options are what a Server is made of.
type Options struct {
	Listen         string
	Certificate    *Certificate // nil: plain HTTP
	BasePath       string       // the public URL's path, taken off requests that carry it
	API            http.Handler // everything under /api/
	Files          http.Handler // everything under /files/
	Pages          http.Handler // everything else
	Metrics        http.Handler
	MetricsListen  string                      // "": no metrics
	TrustedProxies func() []netip.Prefix       // whose X-Forwarded headers are believed
	Ready          func(context.Context) error // nil error: it serves
	Drain          func() time.Duration        // how long open requests may take to finish
	Observe        func(Served)                // called once for each finished request
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
	main     net.Listener
	metrics  net.Listener
}

// New makes a Server. Nothing listens until Listen.
func New(o Options) *Server { return &Server{Options: o} }

// Draining reports whether the server takes no new work. Handlers ask it.
func (s *Server) Draining() bool { return s.draining.Load() }

// Listen opens the ports, so that a taken one is known before anything else is done.
func (s *Server) Listen() error {
	var err error
	if s.main, err = net.Listen("tcp", s.Options.Listen); err != nil {
		return fmt.Errorf("listen on %s: %w", s.Options.Listen, err)
	}
	if s.MetricsListen == "" {
		return nil
	}
	if s.metrics, err = net.Listen("tcp", s.MetricsListen); err != nil {
		return errors.Join(fmt.Errorf("listen on %s for metrics: %w", s.MetricsListen, err), s.main.Close())
	}
	return nil
}

// Addr is where the server listens, after Listen.
func (s *Server) Addr() net.Addr { return s.main.Addr() }

// MetricsAddr is where metrics are served, after Listen, or "".
func (s *Server) MetricsAddr() string {
	if s.metrics == nil {
		return ""
	}
	return s.metrics.Addr().String()
}

// Close gives the ports back when Run is never called.
func (s *Server) Close() {
	_ = s.main.Close()
	if s.metrics != nil {
		_ = s.metrics.Close()
	}
}

// Run serves until ctx ends, then drains: new work is refused with 503, open
// requests finish, and after Drain whatever is left is cut off.
func (s *Server) Run(ctx context.Context) error {
	main := &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
		ConnContext:       withPacked,
	}
	failed := make(chan error, 2)
	listener := packer{s.main}
	if s.Certificate != nil {
		main.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: s.Certificate.get}
		go func() { failed <- main.ServeTLS(listener, "", "") }()
	} else {
		go func() { failed <- main.Serve(listener) }()
	}
	if s.metrics != nil {
		side := &http.Server{Handler: s.Metrics, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout}
		go func() { failed <- side.Serve(s.metrics) }()
		defer side.Close()
	}
	select {
	case err := <-failed:
		_ = main.Close()
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	return s.drain(main)
}

// drain keeps the port open while requests finish, so that newcomers hear 503
// and when to come back instead of a refused connection.
func (s *Server) drain(main *http.Server) error {
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
	if cut || main.Shutdown(end) != nil {
		s.Log.LogAttrs(context.Background(), slog.LevelWarn, "open requests were cut off", slog.Int64("open", s.open.count()))
		return main.Close()
	}
	return nil
}
