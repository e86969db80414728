package assembly

import (
	"context"
	"log/slog"
	"time"

	"stele/internal/config"
	"stele/internal/queue"
	"stele/internal/telemetry"
	"stele/internal/trace"
	"stele/internal/webhook"
)

// openMetrics has the rooms tell what is counted.
func (n *node) openMetrics() {
	n.metrics.ShowMemoryInFlight(n.runtime.memory.Taken)
	n.Store.OnSaved(n.metrics.Usage(telemetry.Labels{
		Model: func(id string) bool {
			if n.catalog.Has(id) {
				return true
			}
			_, app := n.apps.FindDeclared(id)
			return app
		},
		Provider: n.hasProvider,
	}))
	n.metrics.Watch(n.standing)
}

// openOTLP makes what sends traces and metrics to a collector, where there is one.
func (n *node) openOTLP() (err error) {
	o := n.Config.Telemetry.OTLP
	if !o.On() {
		return nil
	}
	n.otlp, err = telemetry.NewOTLP(telemetry.OTLPOptions{
		Client: n.operator, Endpoint: o.Endpoint, Headers: o.Headers.Reveal(), Sample: o.Sample, Every: o.Every,
		Version: n.Version, Node: n.journal.Owner(), Metrics: n.metrics, Log: n.log,
	})
	return err
}

// tracer begins traces; nil where they are not collected.
func (n *node) tracer() *trace.Tracer {
	if n.otlp == nil {
		return nil
	}
	return n.otlp.Tracer()
}

// hasProvider reports whether a provider or a built-in maker has this name.
func (n *node) hasProvider(name string) bool {
	if _, ok := n.supply.Upstream(name); ok {
		return true
	}
	_, ok := n.supply.Maker(name)
	return ok
}

// breakerStates are those of route.Breaker, as figures.
var breakerStates = map[string]int{"closed": 0, "half-open": 1, "open": 2}

// nearly is how many percent of a budget have to be taken until operators should know.
const nearly = 90

// standing is how the installation stands, as far as this server can tell.
func (n *node) standing(ctx context.Context) (s telemetry.Standing) {
	s.Breakers = make(map[string]int)
	for provider, h := range n.router.Health() {
		if provider == config.Builtin || !n.hasProvider(provider) {
			continue
		}
		state := 0
		for _, b := range h.Breakers {
			if b.Caller == "" {
				state = max(state, breakerStates[b.State])
			}
		}
		s.Breakers[provider] = state
	}
	lag := n.journal.Lag()
	s.Journal.Records, s.Journal.Since = lag.Records, lag.Since
	s.Disk.Free, s.Disk.Size = DiskSpace(n.Config.Data)
	var err error
	if s.Shared, err = n.readShared(ctx); err != nil {
		n.log.LogAttrs(ctx, slog.LevelDebug, "metrics lack what the database knows", slog.Any("error", err))
	}
	return s
}

// readShared reads what the database knows.
func (n *node) readShared(ctx context.Context) (*telemetry.Shared, error) {
	unfinished, err := n.Store.UnfinishedTasks(ctx)
	if err != nil {
		return nil, err
	}
	waiting, err := queue.Waiting(ctx, n.Store.Reader(), webhook.Deliver{}.Kind())
	if err != nil {
		return nil, err
	}
	budgets, err := n.Store.CountNearlyUsed(ctx, nearly, time.Now())
	if err != nil {
		return nil, err
	}
	return &telemetry.Shared{Stages: unfinished.Stages, Oldest: unfinished.Oldest, Messages: waiting, NearlyUsed: budgets}, nil
}
