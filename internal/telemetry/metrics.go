package telemetry

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"stele/internal/meter"
)

// Metrics counts what the process does, for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  prometheus.Counter
	damaged  prometheus.Counter
	aside    *prometheus.CounterVec
	messages *prometheus.CounterVec
	limits   *prometheus.CounterVec

	mu     sync.RWMutex // guards served
	served map[served]*series
}

// served is what is counted by itself.
type served struct {
	route, method string
	status        int
}

// series is where a finished request is counted. Its labels are looked up once.
type series struct {
	requests prometheus.Counter
	seconds  prometheus.Observer
}

// NewMetrics makes the counters, all at zero.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		served:   make(map[served]*series),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stele_http_requests_total", Help: "Finished HTTP requests by route, method and status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "stele_http_request_seconds", Help: "How long HTTP requests took, by route.",
			Buckets: []float64{.005, .05, .5, 5, 60},
		}, []string{"route"}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "stele_usage_refused_total", Help: "Usage records that the database refused and that were set aside.",
		}),
		damaged: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "stele_files_damaged_total", Help: "Times that a file was found lost or not as it was kept.",
		}),
		aside: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stele_set_aside_total", Help: "Tasks set aside because the process died or failed twice in them, by kind.",
		}, []string{"kind"}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stele_messages_total", Help: "Attempts to deliver webhooks and mail, by how they ended: delivered, failed, given_up.",
		}, []string{"channel", "result"}),
		limits: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stele_limit_refusals_total", Help: "Chats and generations that a limit refused, by what it counts.",
		}, []string{"measure"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "stele_build_info", Help: "Always 1; the label says which version runs.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.refused, m.damaged, m.aside, m.messages, m.limits, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// ShowMemoryInFlight shows what is held for requests and other work, as taken tells.
func (m *Metrics) ShowMemoryInFlight(taken func() int64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "stele_memory_in_flight_bytes", Help: "Bytes held for bodies, answers and pictures that are being worked on.",
	}, func() float64 { return float64(taken()) }))
}

// Usage counts what requests used, out of the records that the result is given once they
// are saved.
func (m *Metrics) Usage(labels Labels) (saved func([]*meter.Record)) {
	u := newUsage(labels)
	m.registry.MustRegister(u)
	return u.CountSaved
}

// methods are those that a label may name: what routes are served with.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost}

// Request counts a finished request. A route of "" is one that was not served, and
// a method that no route takes is another: what clients make up does not become a
// label's value. The pages of the console, which are many, are one.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	if _, path, ok := strings.Cut(route, " "); ok && !strings.HasPrefix(path, "/api/") {
		route = "console"
	}
	switch {
	case route == "":
		route, method = noLabel, "any"
	case !slices.Contains(methods, method):
		method = "other"
	}
	if status < 100 || status > 599 {
		status = 0
	}
	to := m.series(served{route, method, status})
	to.requests.Inc()
	to.seconds.Observe(took.Seconds())
}

func (m *Metrics) series(of served) *series {
	m.mu.RLock()
	known := m.served[of]
	m.mu.RUnlock()
	if known == nil {
		known = &series{m.requests.WithLabelValues(of.route, of.method, strconv.Itoa(of.status)), m.seconds.WithLabelValues(of.route)}
		m.mu.Lock()
		m.served[of] = known
		m.mu.Unlock()
	}
	return known
}

// CountUsageRefused counts a record of usage that was set aside.
func (m *Metrics) CountUsageRefused() { m.refused.Inc() }

// CountFileDamaged counts a file that was found lost or not as it was kept.
func (m *Metrics) CountFileDamaged() { m.damaged.Inc() }

// SetAside counts a task that was set aside: a generation, a run or a webhook.
func (m *Metrics) SetAside(kind string) { m.aside.WithLabelValues(kind).Inc() }

// CountLimitRefused counts what a limit refused that counts so.
func (m *Metrics) CountLimitRefused(measure string) { m.limits.WithLabelValues(measure).Inc() }

// CountMessage counts an attempt to deliver a webhook or a mail.
func (m *Metrics) CountMessage(channel, result string) {
	m.messages.WithLabelValues(channel, result).Inc()
}

// Handler serves /metrics to those who bring the token; "": to every client.
func (m *Metrics) Handler(token func() string) http.Handler {
	mux := http.NewServeMux()
	shown := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{DisableCompression: true}) // packing takes a third of a look, and much memory
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if !opens(r.Header.Values("Authorization"), token()) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="stele"`)
			http.Error(w, "This needs the token of metrics.token.", http.StatusUnauthorized)
			return
		}
		shown.ServeHTTP(w, r)
	})
	return mux
}

// opens reports whether a header brings the token. How long that takes says nothing
// of the token, its length included.
func opens(sent []string, token string) bool {
	if token == "" {
		return true
	}
	if len(sent) != 1 {
		return false
	}
	scheme, brought, _ := strings.Cut(strings.TrimSpace(sent[0]), " ")
	a, b := sha256.Sum256([]byte(strings.TrimSpace(brought))), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
