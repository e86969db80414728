package seen

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector takes what is sent over OTLP/HTTP, as a collector of OpenTelemetry does: only
// protobuf, only posts, only with the header that was agreed on.
type collector struct {
	*httptest.Server

	mu      sync.Mutex // guards what follows
	spans   []*tracepb.Span
	metrics []*metricspb.Metric // of the last message
	raw     []byte              // all that came
	wrong   []string
}

const token = "collector-token-0123456789"

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := new(collector)
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-protobuf" || r.Header.Get("X-Token") != token {
		c.wrong = append(c.wrong, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type"))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.raw = append(c.raw, body...)
	switch r.URL.Path {
	case "/v1/traces":
		var data tracepb.TracesData
		if err = proto.Unmarshal(body, &data); err == nil {
			for _, of := range data.GetResourceSpans() {
				for _, scope := range of.GetScopeSpans() {
					c.spans = append(c.spans, scope.GetSpans()...)
				}
			}
		}
	case "/v1/metrics":
		var data metricspb.MetricsData
		if err = proto.Unmarshal(body, &data); err == nil {
			c.metrics = data.GetResourceMetrics()[0].GetScopeMetrics()[0].GetMetrics()
		}
	default:
		err = http.ErrNotSupported
	}
	if err != nil {
		c.wrong = append(c.wrong, r.URL.Path+": "+err.Error())
		w.WriteHeader(http.StatusBadRequest)
	}
}

// ofTrace are the spans of a trace, in the order they began.
func (c *collector) ofTrace(id string) []*tracepb.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*tracepb.Span
	for _, s := range c.spans {
		if hex.EncodeToString(s.GetTraceId()) == id {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *tracepb.Span) int { return int(a.GetStartTimeUnixNano()) - int(b.GetStartTimeUnixNano()) })
	return list
}

// sums adds the points of a metric up, by the value of a label.
func (c *collector) sums(metric, label string) map[string]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]float64)
	for _, m := range c.metrics {
		if m.GetName() != metric {
			continue
		}
		for _, p := range m.GetSum().GetDataPoints() {
			all[attribute(p.GetAttributes(), label).GetStringValue()] += p.GetAsDouble()
		}
	}
	return all
}

// attribute is the value of an attribute; nil where there is none.
func attribute(list []*commonpb.KeyValue, key string) *commonpb.AnyValue {
	for _, kv := range list {
		if kv.GetKey() == key {
			return kv.GetValue()
		}
	}
	return nil
}
