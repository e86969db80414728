package storetest

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/store"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// runMedia runs the suite of generations and files. Each call of open gives an
// empty store and closes it with the test.
func runMedia(t *testing.T, open func(t *testing.T) *store.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, *store.Store)
	}{
		{"TasksComeBackAsTheyWereSaved", tasksComeBack},
		{"ATaskAndItsJobsAreSavedTogetherOrNotAtAll", tasksWithJobs},
		{"TaskChangesInParallelAreNotLost", tasksInParallel},
		{"ATaskIsAdoptedByOneProcess", tasksAdopted},
		{"WhoseOwnerLivesIsNotAdopted", tasksKept},
		{"AProcessThatGoesLeavesItsTasks", tasksReleased},
		{"CanceledTasksAreFoundByTheirOwner", tasksStopping},
		{"TasksAreCountedAndListed", tasksListed},
		{"OldTasksAreForgotten", tasksForgotten},
		{"TheGalleryShowsWhatIsWanted", galleryFiltered},
		{"TheGalleryGoesOnWhereItWas", galleryPaged},
		{"ATaskIsDeletedWithAllItMade", tasksDeleted},
		{"TheEndOfATaskIsSavedWithAllThatFollows", tasksEnd},
		{"StepsComeBackAsTheyWereSaved", stepsComeBack},
		{"WhatAStepHasFinishedStays", stepsStay},
		{"OldStepsAreForgotten", stepsForgotten},
		{"PartsOfOthersDoNotCount", partsDoNotCount},
		{"FilesComeBackAsTheyWereSaved", filesComeBack},
		{"DamagedFilesAreMarkedAsLongAsTheyAreThere", damagedFiles},
		{"OnlyReadyFilesAreFound", filesFound},
		{"FilesAreDoomedWhenTheirTimeIsOver", filesDoomed},
		{"AFileInUseIsNotDoomed", filesInUse},
		{"DoomAndUseNeverBothWin", filesRace},
		{"AClaimIsTakenOnce", claimsTaken},
		{"ADeadProcessesClaimIsTakenUp", claimsTakenUp},
		{"ALostClaimChangesNothing", claimsLost},
		{"OldClaimsAreForgotten", claimsForgotten},
		{"PiecesOfAnAnswerComeBack", piecesComeBack},
		{"DeliveriesAreReplayedOnce", deliveriesReplayed},
		{"WebhookSecretsAreChangedByOne", secretsChanged},
		{"TheSandboxRemembersTheFirst", sandboxRemembers},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
}

// desk is a queue that writes the kinds of jobs down as settings: what is in the
// same transaction is there, or is not, with the task.
type desk struct {
	refuse error

	mu    sync.Mutex // guards woken
	woken []generation.Job
}

func newDesk(s *store.Store) *desk {
	d := new(desk)
	s.SetQueue(store.Queue{Enqueue: func(ctx context.Context, tx *sql.Tx, jobs []generation.Job) error {
		for _, j := range jobs {
			if _, err := tx.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, '1')
				ON CONFLICT (name) DO UPDATE SET value = settings.value || '1'`, name(j)); err != nil {
				return err
			}
		}
		return d.refuse
	}, Wake: func(jobs []generation.Job) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.woken = append(d.woken, jobs...)
	}})
	return d
}

type job string

func (j job) Kind() string { return string(j) }

func name(j generation.Job) string {
	if d, ok := j.(webhook.Deliver); ok {
		return "job webhook " + d.ID
	}
	return "job " + j.Kind()
}

// queued is how often a job was queued.
func queued(t *testing.T, s *store.Store, j generation.Job) int {
	t.Helper()
	strokes, err := s.Setting(t.Context(), name(j))
	if err != nil && !errors.Is(err, access.ErrNotFound) {
		t.Fatal(err)
	}
	return len(strokes)
}

func task(workspace string, at time.Time) *generation.Task {
	return &generation.Task{
		ID: uid.New("gen"), Workspace: workspace, Key: "key_1", Model: "stele/canvas", MediaType: "image", Mode: "text_to_image",
		Provider: "stele/studio", State: media.Pending, Stage: generation.Ordered, Created: at, Updated: at, Deadline: at.Add(time.Hour), Version: 1,
	}
}

// inserted saves a task after change made something of it.
func inserted(t *testing.T, s *store.Store, change func(*generation.Task)) *generation.Task {
	t.Helper()
	v := task("default", noon)
	change(v)
	must(t, s.InsertTask(t.Context(), v))
	return v
}

func upload(workspace string, expires time.Time) *file.File {
	id := uid.New("file")
	return &file.File{
		ID: id, Workspace: workspace, State: file.Arriving, Blob: "a/" + id, Name: "cat.png", Kind: file.Image, Type: "image/png",
		Size: 1, SHA256: "00", Created: noon, Expires: expires,
	}
}

// ready saves a file that is there.
func ready(t *testing.T, s *store.Store, expires time.Time) *file.File {
	t.Helper()
	f := upload("default", expires)
	must(t, s.InsertFile(t.Context(), f))
	must(t, s.FinishFile(t.Context(), f))
	return f
}

// service is a room that can end tasks, without any maker.
func service(s *store.Store, node string) *generation.Service {
	return generation.New(generation.Options{
		Node: node, Store: s, Makers: func(string) (generation.Maker, bool) { return nil, false },
		Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon.Add(time.Minute) },
		Settings: func() generation.Settings { return generation.Settings{CreditsPerUSD: 100} },
	})
}
