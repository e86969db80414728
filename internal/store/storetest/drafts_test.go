package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/app"
)

// runDrafts runs the suite of apps that are written in the console.
func runDrafts(t *testing.T, open func(t *testing.T) app.DraftStore) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, app.DraftStore)
	}{
		{"DraftsComeBackAsTheyWereSaved", draftsComeBack},
		{"AVersionIsKeptWithItsDraft", draftsPublished},
		{"WhatIsRefusedChangesNothing", draftsRefused},
		{"OneWorkspaceSharesAnID", draftsShared},
		{"DraftsInParallelAreNotLost", draftsInParallel},
		{"ADeletedDraftLeavesNothing", draftsDeleted},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

func draft(workspace, id string) app.Draft {
	return app.Draft{Workspace: workspace, ID: id, Source: "app: " + id + "\n", Created: noon, Updated: noon, By: "usr_1"}
}

func line(action string) access.Entry {
	return access.Entry{ID: fmt.Sprintf("aud_%s_%d", action, lines.next()), At: noon, Actor: "usr_1", Workspace: "one", Action: action, Target: "x"}
}

// lines gives every audit entry of the suite an id of its own.
var lines counter

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

// published makes a draft's text its next version, and offers it.
func published(d *app.Draft, shared bool) (app.Change, error) {
	d.Latest++
	d.Offered, d.Shared = d.Latest, shared
	return app.Change{Entry: line("app.publish"), Version: &app.Version{
		Workspace: d.Workspace, App: d.ID, Number: d.Latest, Source: d.Source, At: noon, By: "usr_2",
	}}, nil
}

func draftsComeBack(t *testing.T, s app.DraftStore) {
	ctx := t.Context()
	must(t, s.InsertDraft(ctx, draft("one", "b"), line("app.create")))
	must(t, s.InsertDraft(ctx, draft("one", "a"), line("app.create")))
	must(t, s.InsertDraft(ctx, draft("two", "a"), line("app.create")))
	if err := s.InsertDraft(ctx, draft("one", "a"), line("app.create")); !errors.Is(err, access.ErrExists) {
		t.Errorf("a second draft of the same id gives %v", err)
	}
	got, err := s.Drafts(ctx, "one")
	must(t, err)
	if len(got) != 2 || got[0].ID != "a" || got[1].ID != "b" {
		t.Errorf("%+v", got)
	}
	want := draft("one", "a")
	want.Revision, want.Source = got[0].Revision, ""
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Draft(ctx, "two", "b"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("another workspace's draft gives %v", err)
	}
	if n, err := s.DraftRevision(ctx); err != nil || n < got[0].Revision {
		t.Errorf("revision %d, %v", n, err)
	}
}

func draftsPublished(t *testing.T, s app.DraftStore) {
	ctx := t.Context()
	must(t, s.InsertDraft(ctx, draft("one", "a"), line("app.create")))
	before, err := s.DraftRevision(ctx)
	must(t, err)
	for n := range 3 {
		_, err := s.UpdateDraft(ctx, "one", "a", func(d *app.Draft) (app.Change, error) {
			d.Source, d.Updated = fmt.Sprintf("app: a # %d\n", n+1), noon.Add(time.Hour)
			return published(d, n == 2)
		})
		must(t, err)
	}
	list, err := s.Versions(ctx, "one", "a", 2)
	must(t, err)
	if len(list) != 2 || list[0].Number != 3 || list[1].Number != 2 || list[0].Source != "" || list[0].By != "usr_2" || !list[0].At.Equal(noon) {
		t.Errorf("%+v", list)
	}
	second, err := s.Version(ctx, "one", "a", 2)
	must(t, err)
	if second.Source != "app: a # 2\n" {
		t.Errorf("%+v", second)
	}
	if _, err := s.Version(ctx, "two", "a", 2); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("another workspace's version gives %v", err)
	}
	offered, err := s.ListOffered(ctx)
	must(t, err)
	if len(offered) != 1 || offered[0].Number != 3 || !offered[0].Shared || offered[0].Source != "" {
		t.Errorf("%+v", offered)
	}
	if after, err := s.DraftRevision(ctx); err != nil || after != before+3 {
		t.Errorf("revision went from %d to %d, %v", before, after, err)
	}
	_, err = s.UpdateDraft(ctx, "one", "a", func(d *app.Draft) (app.Change, error) {
		d.Offered = 0
		return app.Change{Entry: line("app.unpublish")}, nil
	})
	must(t, err)
	if offered, err := s.ListOffered(ctx); err != nil || len(offered) != 0 {
		t.Errorf("%+v, %v", offered, err)
	}
}

func draftsRefused(t *testing.T, s app.DraftStore) {
	ctx := t.Context()
	must(t, s.InsertDraft(ctx, draft("one", "a"), line("app.create")))
	before, err := s.Draft(ctx, "one", "a")
	must(t, err)
	no := errors.New("no")
	if _, err := s.UpdateDraft(ctx, "one", "a", func(d *app.Draft) (app.Change, error) {
		d.Source = "changed"
		return app.Change{Entry: line("app.save")}, no
	}); !errors.Is(err, no) {
		t.Error(err)
	}
	same, err := s.UpdateDraft(ctx, "one", "a", func(d *app.Draft) (app.Change, error) {
		d.Source = "changed"
		return app.Change{}, nil
	})
	must(t, err)
	after, err := s.Draft(ctx, "one", "a")
	must(t, err)
	if diff := cmp.Diff(before, after); diff != "" || same.Source != before.Source {
		t.Error(diff, same.Source)
	}
	if _, err := s.UpdateDraft(ctx, "two", "a", nil); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("another workspace's draft gives %v", err)
	}
}

func draftsShared(t *testing.T, s app.DraftStore) {
	ctx := t.Context()
	share := func(workspace string, shared bool) error {
		_, err := s.UpdateDraft(ctx, workspace, "a", func(d *app.Draft) (app.Change, error) { return published(d, shared) })
		return err
	}
	for _, workspace := range []string{"one", "two"} {
		must(t, s.InsertDraft(ctx, draft(workspace, "a"), line("app.create")))
	}
	must(t, share("one", true))
	must(t, share("two", false))
	if err := share("two", true); !errors.Is(err, access.ErrExists) {
		t.Errorf("two workspaces share an id: %v", err)
	}
	if d, err := s.Draft(ctx, "two", "a"); err != nil || d.Latest != 1 || d.Shared {
		t.Errorf("%+v, %v", d, err)
	}
	if list, err := s.Versions(ctx, "two", "a", 10); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
}

func draftsInParallel(t *testing.T, s app.DraftStore) {
	ctx := t.Context()
	must(t, s.InsertDraft(ctx, draft("one", "a"), line("app.create")))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.UpdateDraft(ctx, "one", "a", func(d *app.Draft) (app.Change, error) { return published(d, false) }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if d, err := s.Draft(ctx, "one", "a"); err != nil || d.Latest != 8 {
		t.Errorf("%+v, %v", d, err)
	}
}

func draftsDeleted(t *testing.T, s app.DraftStore) {
	ctx := t.Context()
	for _, workspace := range []string{"one", "two"} {
		must(t, s.InsertDraft(ctx, draft(workspace, "a"), line("app.create")))
		_, err := s.UpdateDraft(ctx, workspace, "a", func(d *app.Draft) (app.Change, error) { return published(d, false) })
		must(t, err)
	}
	_, err := s.UpdateDraft(ctx, "one", "a", func(*app.Draft) (app.Change, error) {
		return app.Change{Entry: line("app.delete"), Delete: true}, nil
	})
	must(t, err)
	if _, err := s.Draft(ctx, "one", "a"); !errors.Is(err, access.ErrNotFound) {
		t.Error(err)
	}
	if list, err := s.Versions(ctx, "one", "a", 10); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := s.Versions(ctx, "two", "a", 10); err != nil || len(list) != 1 {
		t.Errorf("another workspace's went too: %+v, %v", list, err)
	}
}
