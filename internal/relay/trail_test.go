package relay_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/dialect/openai"
	"stele/internal/price"
	"stele/internal/provider"
	"stele/internal/relay"
	"stele/internal/route"
)

func TestTheRecordTellsOfEveryTryWhereThereWasMoreThanOne(t *testing.T) {
	t.Parallel()
	upstreams := make(map[string]relay.Upstream)
	for name, serve := range map[string]http.HandlerFunc{
		"down": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"up": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, frames+done)
		},
	} {
		server := httptest.NewServer(serve)
		t.Cleanup(server.Close)
		upstreams[name] = provider.NewChat(provider.Account{Name: name, Kind: provider.Kind{Name: "openai", Dialect: "openai"}, BaseURL: server.URL}, openai.Codec{}, server.Client())
	}
	for _, test := range []struct {
		targets []catalog.Target
		want    []string // provider and code of each try
		path    bool
	}{
		{[]catalog.Target{{Provider: "up", Model: "a"}}, []string{"up "}, false},
		{[]catalog.Target{{Provider: "down", Model: "a"}}, []string{"down upstream_error"}, false},
		{[]catalog.Target{{Provider: "gone", Model: "z"}, {Provider: "down", Model: "a"}, {Provider: "up", Model: "b"}}, []string{"gone upstream_error", "down upstream_error", "up "}, true},
		{[]catalog.Target{{Provider: "down", Model: "a"}, {Provider: "gone", Model: "b"}}, []string{"down upstream_error", "gone upstream_error"}, true},
	} {
		offered := catalog.New()
		if err := offered.Replace(catalog.Contents{Models: []catalog.Model{{ID: "m", Targets: test.targets, Price: price.MustPrice("3 - - -")}}}); err != nil {
			t.Fatal(err)
		}
		kept := new(shelf)
		r := relay.New(relay.Options{
			Catalog: offered, Router: route.New(), Keeper: kept, Vault: relay.NewVault(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
			Upstreams: func(name string) (relay.Upstream, bool) { u, ok := upstreams[name]; return u, ok },
		})
		reply, err := r.Do(t.Context(), access.Principal{}, request(t, openai.Codec{}, asked))
		if err == nil {
			for _, err := range reply.Stream {
				if err != nil {
					t.Error(err)
				}
			}
		}
		all := kept.all()
		if len(all) != 1 {
			t.Fatalf("%d records", len(all))
		}
		tries := all[0].Trail()
		if len(tries) != len(test.want) || all[0].Tries != len(tries) || (all[0].Path != "") != test.path {
			t.Errorf("%v: %d tries, %+v, path %q", test.targets, all[0].Tries, tries, all[0].Path)
			continue
		}
		for i, try := range tries {
			if got := try.Provider + " " + try.Code; got != test.want[i] || try.Target != test.targets[i].Model || try.Took < 0 || try.Took > all[0].Took {
				t.Errorf("try %d is %+v, want %s", i, try, test.want[i])
			}
		}
		if err == nil && all[0].Rates != "3 - - -" {
			t.Errorf("rates %q", all[0].Rates)
		}
	}
}
