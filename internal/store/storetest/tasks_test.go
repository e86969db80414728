package storetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/store"
	"stele/internal/webhook"
)

var plain = cmpopts.IgnoreUnexported(generation.Task{})

func tasksComeBack(t *testing.T, s *store.Store) {
	newDesk(s)
	full := task("acme", noon)
	full.Environment, full.Sandbox, full.App, full.Webhook = "production", true, "poster", "https://example.com/?a=ü"
	full.Order = generation.Order{
		Prompt: "it's \"quoted\" \x00 <ünïcode> 🗿\n", Public: true, CopyProtected: true,
		Parameters: map[string]any{
			"seed": int64(math.MaxInt64), "scale": 2.5, "tiny": 1e-9, "style": "", "sharp": false, "list": []any{"a", int64(-1), nil, map[string]any{"b": 0.5}},
		},
	}
	full.State, full.Stage, full.Ticket = media.Processing, generation.Waiting, media.Ticket("\x00\xff{}")
	full.Progress, full.Tries, full.Collects, full.Owner = 0.1+0.2, 3, 4, "node_1"
	full.Outputs = []generation.Made{{
		File: "file_1", Kind: "image", Type: "image/png", Size: 1 << 40, Width: 1, Height: 2, Duration: 1.5, Role: "cover", Of: 1, Title: "T",
	}}
	full.Code, full.Message, full.Nano, full.Credits = "timeout", "It took too long.", math.MaxInt64, 1<<31-1
	full.Asked, full.NotBefore, full.Ended, full.Stopping = noon.Add(time.Millisecond), noon.Add(time.Hour), noon.Add(time.Minute), true
	must(t, s.InsertTask(t.Context(), full))
	for _, workspace := range []string{"acme", ""} {
		got, err := s.Task(t.Context(), workspace, full.ID)
		must(t, err)
		if diff := cmp.Diff(full, got, plain); diff != "" {
			t.Errorf("task changed in the store (-saved +read):\n%s", diff)
		}
	}
	bare := task("acme", noon)
	must(t, s.InsertTask(t.Context(), bare))
	got, err := s.UpdateTask(t.Context(), bare.Workspace, bare.ID, func(t *generation.Task) error {
		t.Message = "broken \xff\x00 text"
		t.Outputs = []generation.Made{{Title: "\xff"}}
		return nil
	})
	must(t, err)
	if got.Version != 2 || got.Ticket != nil {
		t.Errorf("version %d, ticket %v", got.Version, got.Ticket)
	}
	got, err = s.Task(t.Context(), "", bare.ID)
	must(t, err)
	if got.Message != "broken \uFFFD\uFFFD text" || got.Outputs[0].Title != "\uFFFD" || got.Ticket != nil || got.Version != 2 {
		t.Errorf("read %+v", got)
	}
}

func tasksWithJobs(t *testing.T, s *store.Store) {
	d := newDesk(s)
	v := task("default", noon)
	v.AddJob(job("first"))
	must(t, s.InsertTask(t.Context(), v))
	if queued(t, s, job("first")) != 1 || !slices.Equal(d.woken, []generation.Job{job("first")}) {
		t.Errorf("the job is not queued, or nobody was woken: %v", d.woken)
	}
	again := task("default", noon)
	again.ID = v.ID
	again.AddJob(job("taken"))
	if err := s.InsertTask(t.Context(), again); !errors.Is(err, access.ErrExists) || queued(t, s, job("taken")) != 0 {
		t.Errorf("a second task with the id: %v", err)
	}

	d.refuse = errors.New("no room")
	other := task("default", noon)
	other.AddJob(job("refused"))
	if err := s.InsertTask(t.Context(), other); !errors.Is(err, d.refuse) {
		t.Errorf("insert = %v", err)
	}
	if _, err := s.Task(t.Context(), "", other.ID); !errors.Is(err, access.ErrNotFound) || queued(t, s, job("refused")) != 0 {
		t.Errorf("a task was saved without its job: %v", err)
	}
	_, err := s.UpdateTask(t.Context(), v.Workspace, v.ID, func(t *generation.Task) error {
		t.Tries = 9
		t.AddJob(job("refused"))
		return nil
	})
	if !errors.Is(err, d.refuse) {
		t.Errorf("update = %v", err)
	}

	d.refuse = nil
	no := errors.New("no")
	_, err = s.UpdateTask(t.Context(), v.Workspace, v.ID, func(t *generation.Task) error {
		t.Tries = 9
		t.AddJob(job("unwanted"))
		return no
	})
	if !errors.Is(err, no) || queued(t, s, job("unwanted")) != 0 {
		t.Errorf("a refused change: %v", err)
	}
	got, err := s.Task(t.Context(), "", v.ID)
	must(t, err)
	if got.Tries != 0 || got.Version != 1 || len(d.woken) != 1 {
		t.Errorf("%d tries, version %d, woken %v after changes that were not saved", got.Tries, got.Version, d.woken)
	}
	if _, err := s.UpdateTask(t.Context(), "", "gen_none", func(*generation.Task) error { return nil }); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a task that is not there: %v", err)
	}
}

func tasksInParallel(t *testing.T, s *store.Store) {
	newDesk(s)
	v := inserted(t, s, func(*generation.Task) {})
	const writers, times = 8, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range times {
				_, err := s.UpdateTask(t.Context(), v.Workspace, v.ID, func(t *generation.Task) error {
					t.Tries++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := s.Task(t.Context(), "", v.ID)
	must(t, err)
	if got.Tries != writers*times || got.Version != 1+writers*times {
		t.Errorf("%d tries and version %d after %d changes", got.Tries, got.Version, writers*times)
	}
}

func tasksAdopted(t *testing.T, s *store.Store) {
	newDesk(s)
	must(t, s.Beat(t.Context(), "node_dead", noon))
	const tasks, nodes = 120, 4
	for i := range tasks {
		inserted(t, s, func(t *generation.Task) {
			t.Stage = []generation.Stage{generation.Submitting, generation.Waiting, generation.Collecting}[i%3]
			t.Owner = []string{"node_dead", "node_never_heard_of", ""}[i%5%3]
		})
	}
	silent := noon.Add(time.Minute)
	var mu sync.Mutex
	owner := make(map[string]string)
	var wg sync.WaitGroup
	for n := range nodes {
		node := fmt.Sprint("node_", n)
		must(t, s.Beat(t.Context(), node, silent))
		wg.Go(func() {
			for empty := 0; empty < 3; { // what another is taking now is skipped, so once is not enough
				got, err := s.Adopt(t.Context(), node, silent, 7)
				if err != nil || len(got) > 7 {
					t.Error(len(got), err)
					return
				}
				if len(got) == 0 {
					empty++
				}
				mu.Lock()
				for _, v := range got {
					if owner[v.ID] != "" || v.Owner != node || v.Version != 2 {
						t.Errorf("%s was given to %q and to %s, version %d", v.ID, owner[v.ID], node, v.Version)
					}
					owner[v.ID] = node
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(owner) != tasks {
		t.Errorf("%d of %d tasks were adopted", len(owner), tasks)
	}
	for id, node := range owner {
		if v, err := s.Task(t.Context(), "", id); err != nil || v.Owner != node {
			t.Errorf("%s belongs to %q, was given to %q, %v", id, v.Owner, node, err)
		}
	}
}

func tasksKept(t *testing.T, s *store.Store) {
	newDesk(s)
	must(t, s.Beat(t.Context(), "node_living", noon))
	must(t, s.Beat(t.Context(), "node_me", noon.Add(-time.Hour)))
	inserted(t, s, func(t *generation.Task) { t.Stage, t.Owner = generation.Waiting, "node_living" })
	inserted(t, s, func(t *generation.Task) { t.Stage, t.Owner = generation.Waiting, "node_me" })
	inserted(t, s, func(t *generation.Task) { t.Stage, t.Owner = generation.Ordered, "" })
	inserted(t, s, func(t *generation.Task) { t.Stage, t.Owner, t.Ended = generation.Ended, "", noon })
	if got, err := s.Adopt(t.Context(), "node_me", noon, 10); err != nil || len(got) != 0 {
		t.Errorf("adopted %d, %v", len(got), err)
	}
	living, err := s.LivingNodes(t.Context(), noon)
	if err != nil || !slices.Equal(living, []string{"node_living"}) {
		t.Errorf("living: %v, %v", living, err)
	}
	must(t, s.Beat(t.Context(), "node_me", noon.Add(25*time.Hour))) // a day later the other is forgotten
	if living, err := s.LivingNodes(t.Context(), time.Time{}); err != nil || !slices.Equal(living, []string{"node_me"}) {
		t.Errorf("after a day: %v, %v", living, err)
	}
	if got, err := s.Adopt(t.Context(), "node_me", noon, 10); err != nil || len(got) != 1 || got[0].From != "node_living" {
		t.Errorf("then adopted %d, %v", len(got), err)
	}
}

func tasksReleased(t *testing.T, s *store.Store) {
	newDesk(s)
	for _, node := range []string{"node_1", "node_2"} {
		must(t, s.Beat(t.Context(), node, noon))
	}
	v := inserted(t, s, func(t *generation.Task) { t.Stage, t.Owner = generation.Waiting, "node_1" })
	inserted(t, s, func(t *generation.Task) { t.Stage, t.Owner = generation.Waiting, "node_2" })
	must(t, s.Release(t.Context(), "node_1"))
	got, err := s.Adopt(t.Context(), "node_3", noon, 10)
	if err != nil || len(got) != 1 || got[0].ID != v.ID || got[0].Owner != "node_3" || got[0].From != "" {
		t.Errorf("adopted %d, %v", len(got), err)
	}
	if living, err := s.LivingNodes(t.Context(), noon); err != nil || !slices.Equal(living, []string{"node_2"}) {
		t.Errorf("living: %v, %v", living, err)
	}
}

func tasksStopping(t *testing.T, s *store.Store) {
	newDesk(s)
	var want []string
	for i, owner := range []string{"", "node_1", "node_2", "node_1"} {
		v := inserted(t, s, func(t *generation.Task) {
			t.Stage, t.Owner, t.Stopping = generation.Waiting, owner, i < 3
		})
		if i < 2 {
			want = append(want, v.ID)
		}
	}
	inserted(t, s, func(t *generation.Task) { t.Stage, t.Stopping, t.Ended = generation.Ended, true, noon })
	got, err := s.TasksToStop(t.Context(), "node_1")
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("stopping %v, want %v, %v", got, want, err)
	}
}

func tasksListed(t *testing.T, s *store.Store) {
	newDesk(s)
	var ids []string
	for i, workspace := range []string{"a", "b", "a", "a"} {
		v := inserted(t, s, func(t *generation.Task) {
			t.Workspace, t.Created = workspace, noon.Add(time.Duration(i)*time.Second)
			if i == 3 {
				t.Stage = generation.Ended
			}
		})
		ids = append(ids, v.ID)
	}
	inserted(t, s, func(t *generation.Task) { t.Workspace, t.Key = "c", "key_2" })
	for workspace, want := range map[string][]string{"a": {ids[3], ids[2]}, "b": {ids[1]}, "": {ids[3], ids[2]}, "none": nil} {
		list, err := s.Tasks(t.Context(), workspace, 2)
		must(t, err)
		var got []string
		for _, v := range list {
			got = append(got, v.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("workspace %q: %v, want %v", workspace, got, want)
		}
	}
	for most, want := range map[int]int{100: 3, 3: 3, 2: 2} { // it counts no further
		if n, err := s.CountUnfinished(t.Context(), "key_1", most); n != want || err != nil {
			t.Errorf("%d unfinished of %d, %v", n, most, err)
		}
	}
	if _, err := s.Task(t.Context(), "b", ids[0]); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("another workspace's task: %v", err)
	}
}

func tasksForgotten(t *testing.T, s *store.Store) {
	newDesk(s)
	for i := range 620 { // more than a bite
		inserted(t, s, func(t *generation.Task) {
			t.Stage, t.Ended = generation.Ended, noon.Add(time.Duration(i)*time.Second)
		})
	}
	old := inserted(t, s, func(t *generation.Task) { t.Created = noon.Add(-time.Hour) })
	if n, err := s.DeleteTasksBefore(t.Context(), noon.Add(600*time.Second)); n != 600 || err != nil {
		t.Errorf("forgot %d, %v", n, err)
	}
	list, err := s.Tasks(t.Context(), "", 2000)
	if err != nil || len(list) != 21 {
		t.Errorf("%d left, %v", len(list), err)
	}
	if _, err := s.Task(t.Context(), "", old.ID); err != nil {
		t.Errorf("an unfinished task: %v", err)
	}
}

func tasksEnd(t *testing.T, s *store.Store) {
	d := newDesk(s)
	source := ready(t, s, noon)
	v := inserted(t, s, func(t *generation.Task) {
		t.Webhook = "https://example.com/hook"
		t.Order.Sources = []generation.Source{{Field: "start_frame", File: source.ID}, {Field: "end_frame", File: source.ID}}
	})
	room := service(s, "node_1")

	d.refuse = errors.New("no room")
	if _, err := room.Cancel(t.Context(), "default", v.ID); !errors.Is(err, d.refuse) {
		t.Errorf("cancel = %v", err)
	}
	if list, err := s.Deliveries(t.Context(), webhook.Filter{Limit: 10}); err != nil || len(list) != 0 {
		t.Errorf("%d messages of a task that has not ended, %v", len(list), err)
	}
	d.refuse = nil
	got, err := room.Cancel(t.Context(), "default", v.ID)
	must(t, err)
	if got.State != media.Canceled || got.Stage != generation.Ended {
		t.Errorf("state %s, stage %s", got.State, got.Stage)
	}
	list, err := s.Deliveries(t.Context(), webhook.Filter{Workspace: "default", Limit: 10})
	must(t, err)
	if len(list) != 1 || list[0].Subject != v.ID || list[0].Type != "generation.canceled" || list[0].State != webhook.Pending ||
		list[0].URL != v.Webhook || len(list[0].Body) == 0 || queued(t, s, webhook.Deliver{ID: list[0].ID}) != 1 {
		t.Errorf("messages: %+v", list)
	}
	records, err := s.Records(t.Context(), "default", 10)
	if err != nil || len(records) != 1 || records[0].Request != v.ID {
		t.Errorf("records: %+v, %v", records, err)
	}
	if doomed, err := s.DoomFiles(t.Context(), noon, 10); err != nil || len(doomed) != 1 {
		t.Errorf("%d files free after the end, %v", len(doomed), err)
	}
}
