package engines

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// installed is an installation with files and rows that does not serve.
func installed(t *testing.T, flags ...string) *rig.House {
	t.Helper()
	f := &fleet{t: t}
	h := rig.Start(t, rig.Options{Flags: flags})
	f.servers, f.key = []*rig.House{h}, h.CreateKey(t).Key
	h.Await(t, f.key, http.StatusOK)
	for range 3 {
		if a := f.upload(); a.Status != http.StatusCreated {
			t.Fatal(a.Status, a.Body)
		}
		if err := f.chat(0); err != nil {
			t.Fatal(err)
		}
	}
	h.Stop(t)
	return h
}

// beside is a house of its own with the master key of another.
func beside(t *testing.T, h *rig.House, flags ...string) *rig.House {
	t.Helper()
	return rig.New(t, rig.Options{Flags: append(flags, "--master-key-file", filepath.Join(h.Data, "master.key"))})
}

// fails wants a command to have failed with a sentence in which there is no secret.
func fails(t *testing.T, r rig.Result, what string) {
	t.Helper()
	if r.Code == 0 || r.Stderr == "" || strings.Contains(r.Stderr, "goroutine ") || strings.Contains(r.Stderr, "-secret") {
		t.Errorf("%s: it ended with %d: %s", what, r.Code, r.Stderr)
	}
}

// cutOff is storage that breaks off in the middle of an object.
func cutOff(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet {
		return false
	}
	w.Header().Set("Content-Length", "100000")
	w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
	w.Header().Set("Etag", `"0123456789abcdef0123456789abcdef"`)
	_, _ = io.WriteString(w, "half of it")
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// from is a trouble that begins with the k-th request.
func from(k int64, trouble rig.Trouble) rig.Trouble {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) bool { return n.Add(1) >= k && trouble(w, r) }
}

// TestCommandsWhoseStorageFails has S3 fail from one request after another on, under a move there, a backup, a
// restore and a move back. Each ends with a sentence, and the next one gets further, in the same place, until it
// is through with all files.
func TestCommandsWhoseStorageFails(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]rig.Trouble{"gone": rig.Gone, "full": rig.Full, "cut off": cutOff} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rig.NewStorage(t)
			h := installed(t)
			one, two := s.Place("one"), s.Place("two")
			run := func(h *rig.House, args ...string) {
				t.Helper()
				defer s.Is(nil)
				for k := int64(1); k < 100; k++ {
					s.Is(from(k, trouble))
					r := h.Try(t, args...)
					if r.Code == 0 {
						t.Logf("%s: through at request %d", args[0], k)
						return
					}
					fails(t, r, fmt.Sprintf("%s, request %d", args[0], k))
				}
				t.Fatalf("%s never gets through", args[0])
			}
			run(h, "move", "--to-files", one)
			there := beside(t, h, "--blob-url", one)
			there.Data = h.Data
			folder := filepath.Join(t.TempDir(), "backup")
			run(there, "backup", folder)
			back := beside(t, h, "--blob-url", two)
			run(back, "restore", folder)
			run(back, "move", "--to-files", "folder")
			home := beside(t, h)
			home.Data = back.Data
			home.Run(t, "money", "verify")
			home.Run(t, "backup", folder+" again") // each file is as it was kept
		})
	}
}

// errand is a command that needs PostgreSQL.
type errand struct {
	database string
	through  func(url string) (on *rig.House, args []string) // with the database at another URL
	done     *rig.House                                      // what is there afterwards
}

// TestCommandsWhoseDatabaseGoesAway cuts the network to PostgreSQL after some bytes, more each time, under whatever
// copies an installation or changes its tables. Each ends with a sentence, and is done by the next try.
func TestCommandsWhoseDatabaseGoesAway(t *testing.T) {
	t.Parallel()
	h := installed(t)
	saved := filepath.Join(t.TempDir(), "saved")
	h.Run(t, "backup", saved)
	for name, begin := range map[string]func(t *testing.T) errand{
		"move": func(t *testing.T) errand {
			database := rig.NewDatabase(t)
			return errand{database, func(url string) (*rig.House, []string) {
				return h, []string{"move", "--to-database", url}
			}, beside(t, h, "--database-url", database)}
		},
		"restore": func(t *testing.T) errand {
			database := rig.NewDatabase(t)
			return errand{database, func(url string) (*rig.House, []string) {
				return beside(t, h, "--database-url", url), []string{"restore", saved}
			}, beside(t, h, "--database-url", database)}
		},
		"backup": func(t *testing.T) errand {
			database := rig.NewDatabase(t)
			there := beside(t, h, "--database-url", database)
			there.Run(t, "restore", saved)
			return errand{database, func(url string) (*rig.House, []string) {
				here := beside(t, h, "--database-url", url)
				here.Data = there.Data
				return here, []string{"backup", filepath.Join(t.TempDir(), "backup")}
			}, there}
		},
		"upgrade": func(t *testing.T) errand {
			old := rig.LoadRelease(t, rig.FirstRelease(t), "postgres", rig.Options{})
			return errand{old.Database, func(url string) (*rig.House, []string) {
				there := rig.New(t, rig.Options{Flags: []string{"--database-url", url}})
				there.Data = old.Data
				return there, []string{"upgrade"}
			}, old.House}
		},
	} {
		t.Run(name, func(t *testing.T) {
			total := int64(0)
			for i := range int64(breaks) {
				e := begin(t)
				w, url := wired(t, e.database)
				on, args := e.through(url)
				w.lasts(total * i / breaks) // the first time to the end
				r := on.Try(t, args...)
				if i == 0 {
					total = w.used()
				} else {
					fails(t, r, fmt.Sprintf("cut after %d of %d bytes", total*i/breaks, total))
					w.lasts(0)
					r = on.Try(t, args...)
				}
				if r.Code != 0 {
					t.Fatalf("part %d of %d: again: %s", i, breaks, r.Stderr)
				}
				e.done.Run(t, "money", "verify")
			}
		})
	}
}
