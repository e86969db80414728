package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/store"
	"stele/internal/uid"
)

// gallery is a workspace with one task of each sort, the newest last, and one of
// another workspace.
func gallery(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	newDesk(s)
	ids := make(map[string]string)
	for i, sort := range []struct {
		name string
		set  func(*generation.Task)
	}{
		{"picture", func(t *generation.Task) { t.State, t.Stage = media.Success, generation.Ended }},
		{"clip", func(t *generation.Task) { t.MediaType, t.Model, t.Key = "video", "stele/motion", "" }},
		{"failure", func(t *generation.Task) { t.State, t.Stage = media.Failed, generation.Ended }},
		{"stopped", func(t *generation.Task) { t.State, t.Stage = media.Canceled, generation.Ended }},
		{"run", func(t *generation.Task) { t.App, t.State, t.Stage = "social-card", media.Success, generation.Ended }},
		{"part", func(t *generation.Task) { t.State, t.Stage, t.Parent = media.Success, generation.Ended, ids["run"] }},
		{"foreign", func(t *generation.Task) { t.Workspace = "b" }},
	} {
		ids[sort.name] = inserted(t, s, func(t *generation.Task) {
			t.Workspace, t.MediaType, t.Model, t.Key = "a", "image", "stele/canvas", "key_1"
			t.Created = noon.Add(time.Duration(i/2) * time.Second) // two at a time: the id decides then
			sort.set(t)
		}).ID
	}
	return ids
}

func galleryFiltered(t *testing.T, s *store.Store) {
	ids := gallery(t, s)
	for name, test := range map[string]struct {
		wanted generation.Wanted
		want   []string
	}{
		"all":         {generation.Wanted{Workspace: "a"}, []string{"clip", "failure", "picture", "run", "stopped"}},
		"with parts":  {generation.Wanted{Workspace: "a", Parts: true}, []string{"clip", "failure", "part", "picture", "run", "stopped"}},
		"everybody's": {generation.Wanted{}, []string{"clip", "failure", "foreign", "picture", "run", "stopped"}},
		"clips":       {generation.Wanted{Workspace: "a", MediaType: "video"}, []string{"clip"}},
		"a model":     {generation.Wanted{Workspace: "a", Model: "stele/motion"}, []string{"clip"}},
		"running":     {generation.Wanted{Workspace: "a", Status: generation.Progressing}, []string{"clip"}},
		"done":        {generation.Wanted{Workspace: "a", Status: "success"}, []string{"picture", "run"}},
		"not done":    {generation.Wanted{Workspace: "a", Status: "failed"}, []string{"failure", "stopped"}},
		"people's":    {generation.Wanted{Workspace: "a", From: generation.FromPeople}, []string{"clip"}},
		"keys'":       {generation.Wanted{Workspace: "a", From: generation.FromKeys}, []string{"failure", "picture", "run", "stopped"}},
		"runs":        {generation.Wanted{Workspace: "a", From: generation.FromApps}, []string{"run"}},
		"an app":      {generation.Wanted{Workspace: "a", App: "social-card"}, []string{"run"}},
		"another app": {generation.Wanted{Workspace: "a", App: "none"}, nil},
	} {
		test.wanted.Limit = 10
		list, err := s.List(t.Context(), test.wanted)
		must(t, err)
		var got []string
		for _, v := range list {
			for name, id := range ids {
				if id == v.ID {
					got = append(got, name)
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func galleryPaged(t *testing.T, s *store.Store) {
	gallery(t, s)
	all, err := s.List(t.Context(), generation.Wanted{Workspace: "a", Limit: 10})
	must(t, err)
	if !slices.IsSortedFunc(all, func(a, b generation.Task) int { return b.Created.Compare(a.Created) }) {
		t.Error("not the newest first")
	}
	for i := range all {
		older, err := s.List(t.Context(), generation.Wanted{Workspace: "a", Limit: 1, Before: all[i].Cursor()})
		must(t, err)
		newer, err := s.List(t.Context(), generation.Wanted{Workspace: "a", Limit: 1, After: all[i].Cursor()})
		must(t, err)
		if i+1 < len(all) && (len(older) != 1 || older[0].ID != all[i+1].ID) || i+1 == len(all) && len(older) > 0 {
			t.Errorf("after place %d comes %v", i, older)
		}
		if i > 0 && (len(newer) != 1 || newer[0].ID != all[i-1].ID) || i == 0 && len(newer) > 0 {
			t.Errorf("before place %d comes %v", i, newer)
		}
	}
}

func tasksDeleted(t *testing.T, s *store.Store) {
	ids := gallery(t, s)
	var outputs []string
	for _, made := range []string{ids["run"], ids["part"], ids["picture"]} {
		f := &file.File{ID: uid.New("file"), Workspace: "a", Blob: "b", Kind: "image", Type: "image/png", Created: noon, Expires: noon.Add(time.Hour), Generation: made}
		must(t, s.InsertFile(t.Context(), f))
		must(t, s.FinishFile(t.Context(), f))
		outputs = append(outputs, f.ID)
	}
	user := inserted(t, s, func(t *generation.Task) {
		t.Workspace, t.Order.Sources = "a", []generation.Source{{Field: "image_urls", File: outputs[1]}}
	})
	entry := func(id string) access.Entry {
		return access.Entry{ID: uid.New("aud"), At: noon, Actor: "usr_1", Workspace: "a", Action: "generation.delete", Target: id}
	}
	for name, want := range map[string]error{"foreign": access.ErrNotFound, "clip": generation.ErrUnfinished} {
		if err := s.DeleteTask(t.Context(), "a", ids[name], entry(ids[name])); !errors.Is(err, want) {
			t.Errorf("delete %s: %v", name, err)
		}
	}
	must(t, s.DeleteTask(t.Context(), "a", ids["run"], entry(ids["run"])))
	for _, name := range []string{"run", "part"} {
		if _, err := s.Task(t.Context(), "", ids[name]); !errors.Is(err, access.ErrNotFound) {
			t.Errorf("the %s is still there: %v", name, err)
		}
	}
	for i, there := range []bool{false, true, true} { // the second is in use
		if _, err := s.File(t.Context(), "a", outputs[i]); (err == nil) != there {
			t.Errorf("file %d: %v", i, err)
		}
	}
	_, err := s.UpdateTask(t.Context(), user.Workspace, user.ID, func(v *generation.Task) error {
		v.Stage, v.State = generation.Ended, media.Success
		return nil
	})
	must(t, err)
	doomed, err := s.DoomFiles(t.Context(), noon, 10)
	must(t, err)
	if len(doomed) != 2 {
		t.Errorf("%d files go, want the run's and its part's", len(doomed))
	}
	if err := s.DeleteTask(t.Context(), "a", ids["run"], entry(ids["run"])); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("deleted twice: %v", err)
	}
}
