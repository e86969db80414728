package revision_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/revision"
)

// table is a database's revisions.
type table struct {
	mu   sync.Mutex // guards all below
	all  map[string]string
	away error
	lost strings.Builder // the log
}

func (t *table) set(name, value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all[name] = value
}

func (t *table) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.away = err
}

func (t *table) read(context.Context) (map[string]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.all), t.away
}

// follow runs a follower until the test ends.
func follow(t *testing.T, from *table, news <-chan struct{}, subscribers ...revision.Subscriber) {
	t.Helper()
	f := &revision.Follower{Read: from.read, News: news, Subscribers: subscribers, Log: slog.New(slog.NewTextHandler(&from.lost, nil))}
	var running sync.WaitGroup
	running.Go(func() { f.Run(t.Context()) })
	t.Cleanup(running.Wait)
	synctest.Wait()
}

// counted is a subscriber that counts its calls.
func counted(n *atomic.Int64, of ...string) revision.Subscriber {
	return revision.Subscriber{What: strings.Join(of, " and "), Of: of, CatchUp: func(context.Context) error { n.Add(1); return nil }}
}

// pass lets a look happen.
func pass() {
	time.Sleep(250 * time.Millisecond)
	synctest.Wait()
}

func TestASubscriberIsCalledForItsOwnChangesOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &table{all: map[string]string{"keys": "1", "people": "1", "apps": "7"}}
		var keys, apps atomic.Int64
		follow(t, db, nil, counted(&keys, "keys", "people"), counted(&apps, "apps", "missing"))
		for i, step := range []struct {
			name, value string
			keys, apps  int64
		}{
			{"apps", "7", 1, 1}, // at the start each is called once
			{"people", "2", 2, 1},
			{"keys", "2", 3, 1},
			{"apps", "1", 3, 2}, // back: a backup was restored
			{"missing", "", 3, 2},
			{"missing", "x", 3, 3},
			{"other", "x", 3, 3},
		} {
			db.set(step.name, step.value)
			pass()
			if keys.Load() != step.keys || apps.Load() != step.apps {
				t.Errorf("step %d: %d and %d calls, want %d and %d", i, keys.Load(), apps.Load(), step.keys, step.apps)
			}
		}
	})
}

func TestWhatFailedIsCalledAgainAndToldOfOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &table{all: map[string]string{"keys": "1"}}
		var calls atomic.Int64
		var well atomic.Bool
		follow(t, db, nil, revision.Subscriber{What: "keys", Of: []string{"keys"}, CatchUp: func(context.Context) error {
			calls.Add(1)
			if well.Load() {
				return nil
			}
			return errors.New("cannot be read")
		}})
		pass()
		pass()
		if calls.Load() != 3 {
			t.Errorf("%d calls, want 3", calls.Load())
		}
		well.Store(true)
		pass()
		pass()
		if calls.Load() != 4 {
			t.Errorf("%d calls after it went well, want 4", calls.Load())
		}
		db.fail(errors.New("is away"))
		db.set("keys", "2")
		pass()
		pass()
		if calls.Load() != 4 {
			t.Error("it was called although nothing could be read")
		}
		db.fail(nil)
		pass()
		if calls.Load() != 5 {
			t.Errorf("%d calls when the database is back, want 5", calls.Load())
		}
		if text := db.lost.String(); strings.Count(text, "cannot be read") != 1 || strings.Count(text, "is away") != 1 {
			t.Errorf("log:\n%s", text)
		}
	})
}

// One that takes long holds up no other, and sees what changed meanwhile.
func TestASlowSubscriberHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &table{all: map[string]string{"keys": "1", "offers": "1"}}
		var keys, offers atomic.Int64
		follow(t, db, nil, revision.Subscriber{What: "offers", Of: []string{"offers"}, CatchUp: func(context.Context) error {
			offers.Add(1)
			time.Sleep(2 * time.Second)
			return nil
		}}, counted(&keys, "keys"))
		db.set("offers", "2")
		db.set("keys", "2")
		pass()
		if keys.Load() != 2 || offers.Load() != 1 {
			t.Errorf("%d and %d calls, want 2 and 1", keys.Load(), offers.Load())
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if offers.Load() != 2 {
			t.Errorf("%d calls of the slow one, want 2", offers.Load())
		}
	})
}

func TestNewsAndWhatIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &table{all: map[string]string{"keys": "1"}}
		news := make(chan struct{}, 1)
		var due atomic.Bool
		var calls atomic.Int64
		s := counted(&calls, "keys")
		s.Due = due.Load
		follow(t, db, news, s)
		db.set("keys", "2")
		news <- struct{}{}
		synctest.Wait()
		if calls.Load() != 2 {
			t.Errorf("%d calls right after the news, want 2", calls.Load())
		}
		pass()
		due.Store(true)
		pass()
		pass()
		if calls.Load() != 4 {
			t.Errorf("%d calls, want one for each look at which it was due: 4", calls.Load())
		}
	})
}
