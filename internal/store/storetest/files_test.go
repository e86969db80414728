package storetest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/store"
)

func filesComeBack(t *testing.T, s *store.Store) {
	f := upload("acme", noon.Add(time.Hour))
	must(t, s.InsertFile(t.Context(), f))
	f.Name, f.Kind, f.Type, f.Size, f.SHA256 = "ünï \"code\".mp4", file.Video, "video/mp4", 1<<40, "ab"
	f.Width, f.Height, f.Duration, f.Generation, f.Place, f.Expires = 1920, 1080, 12.5, "gen_1", 2, noon.Add(48*time.Hour)
	must(t, s.FinishFile(t.Context(), f))
	if f.State != file.Ready {
		t.Errorf("state %q", f.State)
	}
	for _, workspace := range []string{"acme", ""} {
		got, err := s.File(t.Context(), workspace, f.ID)
		must(t, err)
		if diff := cmp.Diff(f, got); diff != "" {
			t.Errorf("file changed in the store (-saved +read):\n%s", diff)
		}
	}
	got, err := s.MadeFile(t.Context(), "gen_1", 2)
	if err != nil || got.ID != f.ID {
		t.Errorf("made file: %+v, %v", got, err)
	}
	broken := upload("acme", noon)
	broken.Name = "a\xff\x00"
	must(t, s.InsertFile(t.Context(), broken))
}

func filesFound(t *testing.T, s *store.Store) {
	arriving := upload("default", noon)
	arriving.Generation = "gen_1"
	must(t, s.InsertFile(t.Context(), arriving))
	there := ready(t, s, noon.Add(time.Hour))
	gone := ready(t, s, noon.Add(time.Hour))
	must(t, s.DoomFile(t.Context(), gone.ID))
	for id, want := range map[string]error{arriving.ID: access.ErrNotFound, there.ID: nil, gone.ID: access.ErrNotFound, "file_none": access.ErrNotFound} {
		if _, err := s.File(t.Context(), "default", id); !errors.Is(err, want) {
			t.Errorf("file %s: %v, want %v", id, err, want)
		}
	}
	if _, err := s.File(t.Context(), "other", there.ID); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("another workspace's file: %v", err)
	}
	for generation, place := range map[string]int{"gen_1": 0, "": 0, "gen_2": 0} {
		if _, err := s.MadeFile(t.Context(), generation, place); !errors.Is(err, access.ErrNotFound) {
			t.Errorf("made file of %q: %v", generation, err)
		}
	}
	list, err := s.Files(t.Context(), "default", 10)
	if err != nil || len(list) != 1 || list[0].ID != there.ID {
		t.Errorf("listed %d, %v", len(list), err)
	}
	for _, f := range []*file.File{there, gone, upload("default", noon)} {
		if err := s.FinishFile(t.Context(), f); !errors.Is(err, access.ErrNotFound) {
			t.Errorf("a file that is not arriving was finished: %v", err)
		}
	}
}

func filesDoomed(t *testing.T, s *store.Store) {
	first, second := ready(t, s, noon), ready(t, s, noon.Add(time.Second))
	stuck := upload("default", noon.Add(2*time.Second))
	must(t, s.InsertFile(t.Context(), stuck))
	later := ready(t, s, noon.Add(time.Hour))
	doom := func(now time.Time, limit int, want ...string) {
		t.Helper()
		list, err := s.DoomFiles(t.Context(), now, limit)
		must(t, err)
		var got []string
		for _, f := range list {
			if f.State != file.Doomed || f.Blob == "" {
				t.Errorf("doomed: %+v", f)
			}
			got = append(got, f.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("doomed %v, want %v", got, want)
		}
	}
	doom(noon.Add(-time.Millisecond), 10)
	doom(noon.Add(time.Minute), 1, first.ID)
	doom(noon.Add(time.Minute), 2, first.ID, second.ID)
	must(t, s.DeleteFile(t.Context(), first.ID))
	must(t, s.DeleteFile(t.Context(), later.ID)) // it is not doomed: nothing happens
	doom(noon.Add(time.Minute), 10, second.ID, stuck.ID)
	must(t, s.DoomFile(t.Context(), later.ID))
	doom(noon.Add(time.Minute), 10, second.ID, stuck.ID, later.ID)
}

func filesInUse(t *testing.T, s *store.Store) {
	newDesk(s)
	f := ready(t, s, noon)
	uses := func(t *generation.Task) { t.Order.Sources = []generation.Source{{Field: "image_urls", File: f.ID}} }
	first, second := inserted(t, s, uses), inserted(t, s, uses)
	for i, v := range []*generation.Task{first, second} {
		if list, err := s.DoomFiles(t.Context(), noon.Add(time.Hour), 10); err != nil || len(list) != 0 {
			t.Fatalf("a file that %d tasks use was doomed, %v", 2-i, err)
		}
		_, err := s.UpdateTask(t.Context(), v.Workspace, v.ID, func(t *generation.Task) error {
			t.Stage, t.Ended = generation.Ended, noon
			return nil
		})
		must(t, err)
	}
	if list, err := s.DoomFiles(t.Context(), noon.Add(time.Hour), 10); err != nil || len(list) != 1 {
		t.Errorf("%d doomed after the last use, %v", len(list), err)
	}
	for _, id := range []string{f.ID, "file_none"} {
		v := task("default", noon)
		v.Order.Sources = []generation.Source{{Field: "image_urls", File: id}}
		if err := s.InsertTask(t.Context(), v); !errors.Is(err, access.ErrNotFound) {
			t.Errorf("a task with a file that is not there: %v", err)
		}
		if _, err := s.Task(t.Context(), "", v.ID); !errors.Is(err, access.ErrNotFound) {
			t.Errorf("it was saved: %v", err)
		}
	}
	v := task("other", noon)
	v.Order.Sources = []generation.Source{{Field: "image_urls", File: ready(t, s, noon.Add(time.Hour)).ID}}
	if err := s.InsertTask(t.Context(), v); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a task with another workspace's file: %v", err)
	}
}

func filesRace(t *testing.T, s *store.Store) {
	newDesk(s)
	const files, workers = 60, 3
	ids := make([]string, files)
	for i := range ids {
		ids[i] = ready(t, s, noon).ID
	}
	var used, doomed sync.Map
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			<-begin
			for i := worker; i < files; i += workers {
				v := task("default", noon)
				v.Order.Sources = []generation.Source{{Field: "image_urls", File: ids[i]}}
				if err := s.InsertTask(t.Context(), v); err == nil {
					used.Store(ids[i], true)
				} else if !errors.Is(err, access.ErrNotFound) {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		<-begin
		for range files {
			list, err := s.DoomFiles(t.Context(), noon, 2)
			for _, f := range list {
				doomed.Store(f.ID, true)
				err = errors.Join(err, s.DeleteFile(t.Context(), f.ID))
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	close(begin)
	wg.Wait()
	var both, gone int
	for _, id := range ids {
		_, inUse := used.Load(id)
		_, over := doomed.Load(id)
		if over {
			gone++
		}
		if inUse == over {
			both++
		}
	}
	if both > 0 {
		t.Errorf("%d of %d files were both used and doomed, or neither; %d doomed", both, files, gone)
	}
}

func damagedFiles(t *testing.T, s *store.Store) {
	one, two := ready(t, s, noon.Add(time.Hour)), ready(t, s, noon.Add(time.Hour))
	arriving := upload("acme", noon)
	must(t, s.InsertFile(t.Context(), arriving))
	for _, id := range []string{arriving.ID, "file_none", "", "%"} {
		if kept, err := s.MarkDamaged(t.Context(), id, noon); err != nil || kept {
			t.Errorf("%q: %v, %v", id, kept, err)
		}
	}
	for _, f := range []*file.File{one, two, one} {
		if kept, err := s.MarkDamaged(t.Context(), f.ID, noon); err != nil || !kept {
			t.Error(kept, err)
		}
	}
	wantMarks := func(want ...string) {
		t.Helper()
		list, err := s.DamagedFiles(t.Context(), 10)
		must(t, err)
		var got []string
		for _, f := range list {
			got = append(got, f.ID)
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("marked are %v, not %v", got, want)
		}
	}
	wantMarks(one.ID, two.ID)
	first, second := min(one.ID, two.ID), max(one.ID, two.ID)
	for after, want := range map[string][]string{"": {first, second}, first: {second}, second: nil} {
		list, err := s.FilesAfter(t.Context(), after, 10)
		must(t, err)
		if len(list) != len(want) || len(want) > 0 && list[0].ID != want[0] {
			t.Errorf("after %q come %v, want %v", after, list, want)
		}
	}
	must(t, s.DoomFile(t.Context(), one.ID))
	wantMarks(two.ID)
	if _, err := s.MarkDamaged(t.Context(), two.ID, noon); err != nil {
		t.Error(err)
	}
	if left, err := s.Setting(t.Context(), "damaged/"+one.ID); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("the mark of a file that is gone stays: %q, %v", left, err)
	}
}
