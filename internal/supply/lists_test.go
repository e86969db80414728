package supply

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/catalog"
)

// fakeList is an upstream's list that can be told what to say.
type fakeList struct {
	mu    sync.Mutex // guards all below
	names []string
	err   error
	asked int
}

func (*fakeList) Lists() bool { return true }

func (f *fakeList) List(context.Context) ([]catalog.Listed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	var list []catalog.Listed
	for _, name := range f.names {
		list = append(list, catalog.Listed{ID: name})
	}
	return list, f.err
}

func (f *fakeList) say(err error, names ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names, f.err = names, err
}

func listedIDs(c *catalog.Catalog) (ids []string) {
	for _, m := range c.Models(access.Scope{}) {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestUpstreamsListsAreInTheCatalog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		models := catalog.New()
		s := newModelLists(models)
		upstream := new(fakeList)
		upstream.say(nil, "a", "b")
		offered := catalog.Contents{
			Models: []catalog.Model{{ID: "fast"}, {ID: "up/b", Name: "by hand"}},
			Open:   map[string]catalog.Model{"up": {Owner: "up", Retries: 2}},
		}
		if err := s.publishWith(offered, map[string]source{"up": {upstream, "x"}}); err != nil {
			t.Fatal(err)
		}
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if diff := cmp.Diff(want, listedIDs(models)); diff != "" {
				t.Error(diff)
			}
		}
		expect("fast", "up/b") // no caller waits for an upstream
		var told strings.Builder
		log := slog.New(slog.NewTextHandler(&told, nil))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go s.run(ctx, log)
		expect("fast", "up/b", "up/a")
		if m, err := models.Model("up/a", access.Scope{}); err != nil || m.Name != "a" || m.Retries != 2 || m.Targets[0].Model != "a" {
			t.Error(m, err)
		}
		if _, err := models.Model("up/unlisted", access.Scope{}); err != nil {
			t.Error(err)
		}

		upstream.say(nil, "c")
		time.Sleep(listEvery - time.Second)
		expect("fast", "up/b", "up/a")
		time.Sleep(2 * time.Second)
		expect("fast", "up/b", "up/c")

		upstream.say(errors.New("down"))
		time.Sleep(listEvery)
		expect("fast", "up/b", "up/c") // it is likely to be back
		if !strings.Contains(told.String(), "not listed") || !strings.Contains(told.String(), "down") {
			t.Error(told.String())
		}
		before := told.Len()
		upstream.say(nil, "d")
		time.Sleep(listAgain)
		expect("fast", "up/b", "up/d")
		if told.Len() != before {
			t.Errorf("said twice: %s", told.String())
		}

		other := new(fakeList)
		other.say(nil, "e")
		if err := s.publishWith(offered, map[string]source{"up": {other, "y"}}); err != nil {
			t.Fatal(err)
		}
		expect("fast", "up/b", "up/e") // another address, another list, at once
		if err := s.publishWith(catalog.Contents{Models: []catalog.Model{{ID: "x"}, {ID: "x"}}}, nil); err == nil {
			t.Error("two models of one id")
		}
		expect("fast", "up/b", "up/e")
		if err := s.publishWith(catalog.Contents{Models: []catalog.Model{{ID: "fast"}}}, nil); err != nil {
			t.Fatal(err)
		}
		expect("fast")
	})
}
