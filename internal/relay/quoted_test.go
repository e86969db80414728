package relay_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/dialect/openai"
	"stele/internal/limit"
	"stele/internal/price"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/route"
)

// oneBudget is a store with one limit, of which it gives whatever is asked for.
type oneBudget struct{ limit.Store }

func (oneBudget) LimitRevision(context.Context) (int64, error) { return 1, nil }

func (oneBudget) Limits(context.Context) ([]limit.Limit, error) {
	return []limit.Limit{{ID: "lim_1", Name: "budget", Measure: limit.Dollars, Window: limit.Day, Amount: 1 << 40}}, nil
}

func (oneBudget) Lease(_ context.Context, _ string, _ limit.Counter, _ *limit.Limit, need, want int64) (int64, limit.Balance, error) {
	return max(need, want), limit.Balance{ID: 1, Amount: 1 << 40}, nil
}

// TestACallUnderABudgetCostsWhatItWasHeldAt has the price of a model rise while it answers: what
// is settled must not pass what was held.
func TestACallUnderABudgetCostsWhatItWasHeldAt(t *testing.T) {
	t.Parallel()
	offered := catalog.New()
	offer := func(sheet string) {
		t.Helper()
		p := price.MustPrice(sheet)
		err := offered.Replace(catalog.Contents{
			Models: []catalog.Model{{ID: "m", Targets: []catalog.Target{{Provider: "p", Model: "up"}}}},
			Prices: catalog.Prices{Own: price.NewList([]*price.Entry{{Provider: "p", Names: []string{"up"}, Prices: []price.Price{*p}}})},
		})
		if err != nil {
			t.Error(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		offer("1000 - - 1000")
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`)
	}))
	t.Cleanup(server.Close)
	upstream := provider.NewChat(provider.Account{Name: "p", Kind: provider.Kind{Name: "openai", Dialect: "openai"}, BaseURL: server.URL}, openai.Codec{}, server.Client())
	limits := limit.New(limit.Options{Store: oneBudget{}, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	if err := limits.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := new(shelf)
	r := relay.New(relay.Options{
		Catalog: offered, Upstreams: func(string) (relay.Upstream, bool) { return upstream, true }, Router: route.New(), Keeper: kept, Limits: limits,
		Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	offer("1 - - 2")
	if _, err := r.Do(t.Context(), access.Principal{}, request(t, openai.Codec{}, strings.Replace(asked, `,"stream":true`, "", 1))); err != nil {
		t.Fatal(err)
	}
	all := kept.all()
	if len(all) != 1 || all[0].Nano != 13_000 || all[0].Rates != "1 - - 2" || all[0].Charges != "1:13000" {
		t.Errorf("kept %+v", all)
	}
}
