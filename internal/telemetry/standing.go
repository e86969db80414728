package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Standing is how an installation stands at a moment.
type Standing struct {
	Breakers map[string]int // by provider: 0 closed, 1 being tried, 2 open
	Journal  struct {
		Records int
		Since   time.Time // zero: none waits
	}
	Disk struct{ Free, Size int64 } // of the data folder; Size 0: not known

	Shared *Shared // nil: the database did not answer
}

// Shared is what the database knows: every server of an installation says the same.
type Shared struct {
	Stages     map[string]int // unfinished generations
	Oldest     time.Time      // when the oldest of them was ordered; zero: none
	Messages   int            // webhooks and mails that are to be sent
	NearlyUsed int            // budgets of which 90 % or more are taken
}

// How long a look at an installation may take, and how often it is looked at most: so
// seldom that it takes a twentieth of the time, however long one is.
const (
	lookTime  = 2 * time.Second
	lookEvery = 5 * time.Second
	lookShare = 20
)

// Watch shows how the installation stands whenever it is asked for, as look tells.
func (m *Metrics) Watch(look func(context.Context) Standing) {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("stele_"+name, help, labels, nil)
	}
	m.registry.MustRegister(&watch{
		look:     look,
		breaker:  desc("breaker_state", "Of the worst breaker of a provider's targets: 0 closed, 1 being tried, 2 open.", "provider"),
		records:  desc("journal_records", "Usage records that are not in the database yet."),
		lag:      desc("journal_lag_seconds", "How long the oldest of them has waited."),
		diskFree: desc("disk_free_bytes", "What may still be written to the data folder."),
		diskSize: desc("disk_size_bytes", "The size of the disk that the data folder is on."),
		tasks:    desc("tasks", "Generations that have not ended, by stage.", "stage"),
		oldest:   desc("oldest_task_seconds", "Since when the oldest of them was ordered."),
		messages: desc("webhooks_waiting", "Webhooks and mails that are to be sent, or sent again."),
		budgets:  desc("budgets_nearly_used", "Budgets of which 90 % or more are taken."),
	})
}

// watch is a collector of standings.
type watch struct {
	look func(context.Context) Standing

	breaker, records, lag, diskFree, diskSize, tasks, oldest, messages, budgets *prometheus.Desc

	mu   sync.Mutex // guards last and next
	last Standing
	next time.Time // when to look again
}

// stages of generations that have not ended: each is shown, also at 0.
var stages = []string{"ordered", "submitting", "waiting", "collecting"}

// Describe is for the registry.
func (w *watch) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.breaker, w.records, w.lag, w.diskFree, w.diskSize, w.tasks, w.oldest, w.messages, w.budgets} {
		to <- d
	}
}

// Collect is for the registry. What could not be learned is left out.
func (w *watch) Collect(to chan<- prometheus.Metric) {
	now := time.Now()
	s := w.standing(now)
	show := func(d *prometheus.Desc, n float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, n, labels...)
	}
	for provider, state := range s.Breakers {
		show(w.breaker, float64(state), provider)
	}
	show(w.records, float64(s.Journal.Records))
	show(w.lag, age(s.Journal.Since, now))
	if s.Disk.Size > 0 {
		show(w.diskFree, float64(s.Disk.Free))
		show(w.diskSize, float64(s.Disk.Size))
	}
	if s.Shared == nil {
		return
	}
	for _, stage := range stages {
		show(w.tasks, float64(s.Shared.Stages[stage]), stage)
	}
	show(w.oldest, age(s.Shared.Oldest, now))
	show(w.messages, float64(s.Shared.Messages))
	show(w.budgets, float64(s.Shared.NearlyUsed))
}

// standing looks, or tells what was seen a moment ago.
func (w *watch) standing(now time.Time) Standing {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Before(w.next) {
		return w.last
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	w.last = w.look(ctx)
	end := time.Now()
	w.next = end.Add(max(lookEvery, lookShare*end.Sub(now)))
	return w.last
}

func age(since, now time.Time) float64 {
	if since.IsZero() {
		return 0
	}
	return max(0, now.Sub(since).Seconds())
}
