package fleet_test

import (
	"context"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/fleet"
	"stele/internal/route"
	"stele/internal/store"
	"stele/internal/store/template"
)

// server is one of several on a database.
type server struct {
	*fleet.Exchange

	t     *testing.T
	store *store.Store
}

// newServers are servers with a connection each to one PostgreSQL.
func newServers(t *testing.T, names ...string) []*server {
	t.Helper()
	databaseURL, folder := template.Place(t, "postgres")
	var list []*server
	for _, name := range names {
		s, err := store.Open(t.Context(), databaseURL, folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		router := route.New()
		router.Share(name)
		list = append(list, &server{
			Exchange: &fleet.Exchange{Store: s, Router: router, Now: time.Now}, t: t, store: s,
		})
	}
	return list
}

func (s *server) round() {
	s.t.Helper()
	if err := s.Round(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// ask makes a request to a model whose upstream answers with an error or with none, and
// reports whether it was asked.
func (s *server) ask(caller, model string, failure error) (reached bool, err error) {
	s.t.Helper()
	m := &catalog.Model{ID: model, Targets: []catalog.Target{{Provider: "acme", Model: model, Weight: 1}}}
	_, err = s.Router.Do(s.t.Context(), caller, m, func(context.Context, catalog.Target) error {
		reached = true
		return failure
	})
	return reached, err
}

var (
	refused = &fault.Error{Code: fault.UpstreamError, Message: "refused", Unreached: true}
	limited = &fault.Error{Code: fault.RateLimited, Message: "slow down", RetryAfter: 30 * time.Second}
)

func TestServersTellEachOtherOfTargets(t *testing.T) {
	t.Parallel()
	s := newServers(t, "one", "two")
	for range 5 {
		if reached, _ := s[0].ask("w", "down", refused); !reached {
			t.Fatal("held back too early")
		}
	}
	if _, err := s[0].ask("w", "busy", limited); err == nil {
		t.Fatal("a failure is none")
	}
	s[0].round()
	s[1].round()
	if reached, _ := s[1].ask("anyone", "down", nil); reached {
		t.Error("a breaker that is open on one server is closed on another")
	}
	reached, err := s[1].ask("w", "busy", nil)
	if e := fault.From(err); reached || e.Code != fault.RateLimited || e.RetryAfter <= 0 || e.RetryAfter > 30*time.Second {
		t.Errorf("what a provider asked one server for: another one asked it %v, %v", reached, err)
	}
	if h := s[1].Router.Health()["acme"]; len(h.Breakers) == 0 {
		t.Error("the other server shows no breakers")
	}

	s[1].Router.Forget("acme") // another account
	s[1].round()
	s[0].round()
	if reached, _ := s[0].ask("w", "down", nil); !reached {
		t.Error("what one server has forgotten is remembered by another")
	}
	if left, err := s[0].store.States(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOneServerClaimsATrial(t *testing.T) {
	t.Parallel()
	s := newServers(t, "one", "two")
	now := time.UnixMilli(time.Now().UnixMilli()).UTC()
	state := route.State{
		Provider: "acme", Model: "m", Opened: now.Add(-10 * time.Second), Until: now, Trier: "gone", TryBy: now, Node: "gone",
	}
	if err := s[0].store.SaveStates(t.Context(), []route.State{state}); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"one", "two"} {
		claim := state
		claim.Trier, claim.TryBy = name, now.Add(5*time.Second)
		if err := s[i].store.ClaimTrial(t.Context(), claim, now); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s[1].store.States(t.Context())
	if err != nil || len(all) != 1 || all[0].Trier != "one" || !all[0].TryBy.Equal(now.Add(5*time.Second)) {
		t.Errorf("%+v, %v", all, err)
	}
	if err := s[1].store.DropStates(t.Context(), all[0].Expires()); err != nil {
		t.Fatal(err)
	}
	if all, err = s[0].store.States(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("what has expired is kept: %+v, %v", all, err)
	}
}

// TestADatabaseThatIsAwayLosesNoNews cuts a server off when it has something to tell.
func TestADatabaseThatIsAwayLosesNoNews(t *testing.T) {
	t.Parallel()
	s := newServers(t, "one", "two")
	for range 5 {
		_, _ = s[0].ask("w", "down", refused)
	}
	away, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s[0].Round(away); err == nil {
		t.Fatal("told without a database")
	}
	s[0].round()
	s[1].round()
	if reached, _ := s[1].ask("w", "down", nil); reached {
		t.Error("what could not be told at first was never told")
	}
}
