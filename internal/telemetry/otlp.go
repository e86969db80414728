package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"

	"stele/internal/pause"
	"stele/internal/trace"
)

// OTLPOptions say where traces and metrics are sent.
type OTLPOptions struct {
	Client   *http.Client
	Endpoint string        // without /v1/traces
	Headers  string        // name=value,name=value; values may be percent-encoded
	Sample   float64       // the part of traces that begin here and are recorded
	Every    time.Duration // how often metrics are sent
	Version  string
	Node     string
	Metrics  *Metrics
	Log      *slog.Logger
}

// OTLP sends traces and metrics to a collector, over HTTP.
type OTLP struct {
	OTLPOptions
	headers  http.Header
	spans    *spans
	resource []byte // what spans are of, as it is sent
	began    time.Time
	failures *prometheus.CounterVec

	mu      sync.Mutex // guards failing
	failing bool
}

// How long a collector is waited for.
const (
	sendTime  = 10 * time.Second
	sendTries = 3
)

// Names of signals.
const (
	traces  = "traces"
	metrics = "metrics"
)

// NewOTLP makes a sender. Nothing is sent before Run.
func NewOTLP(o OTLPOptions) (*OTLP, error) {
	headers, err := parseHeaders(o.Headers)
	if err != nil {
		return nil, err
	}
	s := &OTLP{OTLPOptions: o, headers: headers, spans: newSpans(), began: time.Now(), failures: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "stele_otlp_failures_total", Help: "Batches that the collector did not take, by signal. They are lost.",
	}, []string{"signal"})}
	for _, signal := range []string{traces, metrics} {
		s.failures.WithLabelValues(signal)
	}
	o.Metrics.registry.MustRegister(s.failures)
	s.resource, err = proto.Marshal(s.resourceOf())
	if len(s.resource) > headRoom/2 {
		err = fmt.Errorf("the name of this node or its version is too long for telemetry: %d bytes", len(s.resource))
	}
	return s, err
}

// Tracer begins traces whose spans are sent.
func (s *OTLP) Tracer() *trace.Tracer { return trace.New(s.Sample, s.spans.take) }

// Run sends both until ctx ends, and then what is left of them. A collector that is slow to take one
// does not hold up the other.
func (s *OTLP) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { s.runMetrics(ctx) })
	both.Go(func() { s.runSpans(ctx) })
	both.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
	defer cancel()
	s.sendMetrics(last)
	for last.Err() == nil && s.sendSpans(last) {
	}
}

// send posts a message, several times where that may help. What is not taken is lost, and
// counted.
func (s *OTLP) send(ctx context.Context, signal string, body []byte) {
	err := s.post(ctx, signal, body)
	if err != nil {
		s.failures.WithLabelValues(signal).Inc()
	}
	s.tell(ctx, signal, err)
}

// tell logs when sending begins to fail and when it works again.
func (s *OTLP) tell(ctx context.Context, signal string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && !s.failing:
		s.Log.LogAttrs(ctx, slog.LevelWarn, "the collector of telemetry does not take it", slog.String("signal", signal), slog.Any("error", err))
	case err == nil && s.failing:
		s.Log.LogAttrs(ctx, slog.LevelInfo, "the collector of telemetry takes it again")
	}
	s.failing = err != nil
}

func (s *OTLP) post(ctx context.Context, signal string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	for try := 1; ; try++ {
		again, err := s.postOnce(ctx, signal, body)
		if err == nil || !again || try == sendTries {
			return err
		}
		if pause.For(ctx, time.Duration(try)*time.Second) != nil {
			return err
		}
	}
}

// postOnce posts a message, and says of a failure whether it may pass.
func (s *OTLP) postOnce(ctx context.Context, signal string, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(s.Endpoint, "/")+"/v1/"+signal, bytes.NewReader(body))
	if err != nil {
		return false, fmt.Errorf("ask the collector: %w", err)
	}
	r.Header = s.headers.Clone()
	r.Header.Set("Content-Type", "application/x-protobuf")
	answer, err := s.Client.Do(r)
	if err != nil {
		return true, fmt.Errorf("ask the collector: %w", err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, longestText)) // so that the connection can be used again
	if answer.StatusCode/100 == 2 {
		return false, nil
	}
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	return again, fmt.Errorf("the collector answers %s", answer.Status)
}

// Reach sends nothing, in a way that a collector takes, and says whether it does.
func Reach(ctx context.Context, client *http.Client, endpoint, headers string) error {
	parsed, err := parseHeaders(headers)
	if err != nil {
		return err
	}
	s := &OTLP{OTLPOptions: OTLPOptions{Client: client, Endpoint: endpoint}, headers: parsed}
	_, err = s.postOnce(ctx, traces, nil)
	return err
}

// parseHeaders reads headers as OpenTelemetry writes them: name=value,name=value.
func parseHeaders(text string) (http.Header, error) {
	headers := make(http.Header)
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok && strings.TrimSpace(text) == "" {
			break
		}
		plain, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, fmt.Errorf("headers are written name=value,name=value")
		}
		headers.Set(name, plain)
	}
	return headers, nil
}

// resourceOf is what metrics are of, as that of spans.
func (s *OTLP) resourceOf() *resourcepb.Resource {
	return &resourcepb.Resource{Attributes: attributesOf(map[string]string{
		"service.name": "stele", "service.version": s.Version, "service.instance.id": s.Node,
	})}
}
