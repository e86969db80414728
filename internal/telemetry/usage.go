package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"stele/internal/meter"
)

// Labels say which names may become the value of a label: those of the catalog and of the
// configuration, never what a client wrote.
type Labels struct {
	Model    func(id string) bool
	Provider func(name string) bool
}

// What stands for a name that is no label's value, and for models beyond mostModels.
const (
	noLabel    = "none"
	otherLabel = "other"
)

// mostModels is how many models are told apart from a start on: each has up to seven series,
// and 2,000 of them are what an installation may cost a Prometheus.
const mostModels = 200

// classes of tokens, in the order of Figures.
var classes = [...]string{"input", "cache_read", "cache_write", "output", "reasoning"}

// usage counts what requests used, out of the records that were saved: its sums are those of
// the usage page. It counts in whole numbers, so that they are to the token and the
// billionth of a dollar.
type usage struct {
	labels    Labels
	tokens    *prometheus.Desc
	cost      *prometheus.Desc
	requests  *prometheus.Desc
	ends      *prometheus.Desc
	firstByte *prometheus.HistogramVec
	perToken  *prometheus.HistogramVec
	tries     *prometheus.CounterVec
	errors    *prometheus.CounterVec

	mu    sync.Mutex // guards what follows
	by    map[string]*modelFigures
	named int // of them, that have a model's own name
}

// modelFigures is what a model was used for.
type modelFigures struct {
	meter.Figures
	ends map[string]int64 // of generations
}

func newUsage(labels Labels) *usage {
	name := func(n string) string { return "stele_" + n }
	return &usage{
		labels: labels, by: make(map[string]*modelFigures),
		tokens:   prometheus.NewDesc(name("tokens_total"), "Tokens by model and class; no token is in two classes.", []string{"model", "class"}, nil),
		cost:     prometheus.NewDesc(name("cost_usd_total"), "What providers charge, by model.", []string{"model"}, nil),
		requests: prometheus.NewDesc(name("model_requests_total"), "Rows of usage by model: chats, generations and runs, however they ended.", []string{"model"}, nil),
		ends:     prometheus.NewDesc(name("generations_total"), "Generations that have ended, by model and how.", []string{"model", "end"}, nil),
		firstByte: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: name("first_byte_seconds"), Help: "How long chats waited for the first of their answer, by the provider that gave it.",
			Buckets: []float64{.25, .5, 1, 2.5, 10, 30},
		}, []string{"provider"}),
		perToken: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: name("output_token_seconds"), Help: "How long each token after the first took, in streamed answers, by provider.",
			Buckets: []float64{.005, .01, .02, .05, .1, .25},
		}, []string{"provider"}),
		tries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: name("provider_tries_total"), Help: "How often providers were asked.",
		}, []string{"provider"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: name("provider_errors_total"), Help: "Tries that failed, by provider and code.",
		}, []string{"provider", "class"}),
	}
}

// CountSaved counts records that are in the database now.
func (u *usage) CountSaved(records []*meter.Record) {
	u.mu.Lock()
	for _, r := range records {
		f := u.of(r.Model)
		f.Add(r.Figures())
		if end := r.End(); end != "" {
			f.ends[end]++
		}
	}
	u.mu.Unlock()
	for _, r := range records {
		u.countServing(r)
	}
}

// countServing counts what a record says of providers.
func (u *usage) countServing(r *meter.Record) {
	if r.Provider == "" {
		return
	}
	provider := u.provider(r.Provider)
	if r.FirstByte > 0 {
		u.firstByte.WithLabelValues(provider).Observe(r.FirstByte.Seconds())
	}
	if d := r.PerToken(); d > 0 {
		u.perToken.WithLabelValues(provider).Observe(d.Seconds())
	}
	if r.Path == "" { // nearly always
		u.tries.WithLabelValues(provider).Add(float64(r.Tries))
	} else {
		for _, t := range r.Trail() {
			u.tries.WithLabelValues(u.provider(t.Provider)).Inc()
		}
	}
	if r.Path == "" && r.Code == "" {
		return
	}
	for _, e := range r.Errors() {
		u.errors.WithLabelValues(u.provider(e.Provider), e.Code).Inc()
	}
}

// of is where a model is counted. The caller holds mu.
func (u *usage) of(model string) *modelFigures {
	if f := u.by[model]; f != nil {
		return f
	}
	label := model
	if !u.labels.Model(model) {
		label = noLabel
	} else if u.named >= mostModels {
		label = otherLabel
	}
	f := u.by[label]
	if f == nil {
		if label == model {
			u.named++
		}
		f = &modelFigures{ends: make(map[string]int64)}
		u.by[label] = f
	}
	return f
}

func (u *usage) provider(name string) string {
	if u.labels.Provider(name) {
		return name
	}
	return noLabel
}

// Describe is for the registry.
func (u *usage) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{u.tokens, u.cost, u.requests, u.ends} {
		to <- d
	}
	u.firstByte.Describe(to)
	u.perToken.Describe(to)
	u.tries.Describe(to)
	u.errors.Describe(to)
}

// Collect is for the registry.
func (u *usage) Collect(to chan<- prometheus.Metric) {
	u.mu.Lock()
	for model, f := range u.by {
		count := func(d *prometheus.Desc, n float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, n, append([]string{model}, labels...)...)
		}
		count(u.requests, float64(f.Requests))
		count(u.cost, float64(f.Nano)/1e9)
		for i, n := range []int64{f.Input, f.CacheRead, f.CacheWrite, f.Output, f.Reasoning} {
			if f.Tokens() > 0 {
				count(u.tokens, float64(n), classes[i])
			}
		}
		for end, n := range f.ends {
			count(u.ends, float64(n), end)
		}
	}
	u.mu.Unlock()
	u.firstByte.Collect(to)
	u.perToken.Collect(to)
	u.tries.Collect(to)
	u.errors.Collect(to)
}
