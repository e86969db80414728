package assembly

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/archive"
	"stele/internal/config"
	"stele/internal/file"
	"stele/internal/store"
	"stele/internal/store/storetest"
	"stele/internal/uid"
)

func TestABackupComesBackOnEitherEngine(t *testing.T) {
	t.Parallel()
	for _, way := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}} {
		t.Run(way[0]+" to "+way[1], func(t *testing.T) {
			t.Parallel()
			s := newSealedInstallation(t, way[0], false)
			s.addFileAndJob(t)
			secret, recipient, err := archive.NewIdentity()
			if err != nil {
				t.Fatal(err)
			}
			folder := filepath.Join(t.TempDir(), "backup")
			want := s.backup(t, folder, recipient)

			there := emptyConfig(t, way[1])
			r := Restore{Config: there, Folder: folder, Identity: strings.NewReader(secret), Getenv: os.Getenv}
			if out, err := r.Verify(t.Context()); err != nil || out.Sealed < 4 || out.Unfinished != 1 {
				t.Fatalf("Verify = %+v, %v", out, err)
			}
			if left, err := os.ReadDir(there.Data); err != nil || len(left) != 0 {
				t.Errorf("verifying left %v, %v", left, err)
			}
			r.Identity = strings.NewReader(secret)
			if _, err := r.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			restored := *s
			restored.cfg = there
			if got := restored.sums(t); got != want {
				t.Errorf("the sums differ:\n%s\n%s", got, want)
			}
			restored.check(t)
			restored.checkFile(t)
			again := func() error {
				r.Identity = strings.NewReader(secret)
				_, err := r.Run(t.Context())
				return err
			}
			if err := again(); err != nil {
				t.Errorf("what was put there and not heard of is not known: %v", err)
			}
			restored.with(t, func(h *Installation) {
				if err := h.Store.Set(t.Context(), "changed", "since"); err != nil {
					t.Fatal(err)
				}
			})
			if err := again(); !errors.Is(err, store.ErrNotEmpty) {
				t.Errorf("an installation in use was overwritten: %v", err)
			}
		})
	}
}

func TestADamagedBackupIsRefused(t *testing.T) {
	t.Parallel()
	s := newSealedInstallation(t, "sqlite", false)
	s.addFileAndJob(t)
	secret, recipient, err := archive.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "backup")
	s.backup(t, folder, recipient)
	for _, name := range []string{"database/keys.jsonl.gz", "blobs/" + testBlob, "manifest.json", "master.key.age"} {
		path := filepath.Join(folder, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := bytes.Clone(good)
		bad[len(bad)/2] ^= 1
		for what, content := range map[string][]byte{"changed": bad, "cut": good[:len(good)-1]} {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			r := Restore{Config: emptyConfig(t, "sqlite"), Folder: folder, Identity: strings.NewReader(secret), Getenv: os.Getenv}
			if _, err := r.Run(t.Context()); err == nil {
				t.Errorf("%s was %s, and the backup was restored", name, what)
			}
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other, _, err := archive.NewIdentity()
	if err != nil {
		t.Fatal(err)
	}
	r := Restore{Config: emptyConfig(t, "sqlite"), Folder: folder, Identity: strings.NewReader(other), Getenv: os.Getenv}
	if _, err := r.Run(t.Context()); err == nil {
		t.Error("another identity opened the master key")
	}
}

func TestABackupNamesFilesThatAreNotAsTheyWereKept(t *testing.T) {
	t.Parallel()
	s := newSealedInstallation(t, "sqlite", false)
	s.addFileAndJob(t)
	if err := os.WriteFile(filepath.Join(s.cfg.Data, "blobs", testBlob), []byte("other bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.with(t, func(h *Installation) {
		b := Backup{Installation: h, Folder: filepath.Join(t.TempDir(), "backup"), Getenv: os.Getenv}
		if _, err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), testBlob) {
			t.Errorf("Run = %v", err)
		}
		if _, err := archive.Open(b.Folder); err != nil {
			t.Errorf("the rest was not saved: %v", err)
		}
		if found, err := h.DamagedFiles(t.Context(), os.Getenv); err != nil || len(found) != 1 {
			t.Errorf("the doctor finds %v, %v", found, err)
		}
	})
}

// TestAFileThatIsNotAsItWasKeptIsNotMoved: nothing stands in its place, and the doctor is right about it.
func TestAFileThatIsNotAsItWasKeptIsNotMoved(t *testing.T) {
	t.Parallel()
	s := newSealedInstallation(t, "sqlite", false)
	s.addFileAndJob(t)
	path := filepath.Join(s.cfg.Data, "blobs", testBlob)
	for _, bytes := range []string{"same bytes", "some", "", "some bytes and more"} {
		if err := os.WriteFile(path, []byte(bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		s.with(t, func(h *Installation) {
			m := Move{Installation: h, To: *h.Config, Files: true, Getenv: os.Getenv}
			if err := m.Direct("", "file://"+to); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Run(t.Context()); !errors.Is(err, errChanged) || !strings.Contains(err.Error(), testBlob) {
				t.Errorf("%q: %v", bytes, err)
			}
			if _, err := os.Stat(filepath.Join(to, testBlob)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q was moved: %v", bytes, err)
			}
		})
	}
}

// TestMarkedFilesAreReadAgain: a mark says where to look, and the bytes decide.
func TestMarkedFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	s := newSealedInstallation(t, "sqlite", false)
	s.addFileAndJob(t)
	path := filepath.Join(s.cfg.Data, "blobs", testBlob)
	s.with(t, func(h *Installation) {
		for _, test := range []struct {
			mark  bool
			bytes string
			found int
		}{{false, "same bytes", 0}, {true, "same bytes", 1}, {true, "some", 1}, {true, "some bytes", 0}} {
			if err := os.WriteFile(path, []byte(test.bytes), 0o600); err != nil {
				t.Fatal(err)
			}
			if test.mark {
				if kept, err := h.Store.MarkDamaged(t.Context(), "file_1", time.Now()); err != nil || !kept {
					t.Fatal(kept, err)
				}
			}
			if found, err := h.DamagedFiles(t.Context(), os.Getenv); err != nil || len(found) != test.found {
				t.Errorf("%q: %v, %v", test.bytes, found, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if found, err := h.DamagedFiles(t.Context(), os.Getenv); err != nil || len(found) != 1 {
			t.Errorf("a lost file: %v, %v", found, err)
		}
	})
}

// TestFilesThatNobodyReadsAreVerified: a call reads as much as it may, goes on where the last one stopped, and marks what is damaged.
func TestFilesThatNobodyReadsAreVerified(t *testing.T) {
	t.Parallel()
	s := newSealedInstallation(t, "sqlite", false)
	s.addFileAndJob(t)
	damage := func(key string) error {
		return os.WriteFile(filepath.Join(s.cfg.Data, "blobs", key), []byte("same bytes"), 0o600)
	}
	s.with(t, func(h *Installation) {
		blobs, err := openBlobs(h.Config, os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		defer blobs.Close()
		const others = 4
		for i := range others {
			f := file.File{
				ID: fmt.Sprintf("file_2%d", i), Workspace: "default", Blob: fmt.Sprintf("ab/other%d", i), Size: 10, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte("some bytes"))),
				Expires: time.Now().Add(time.Hour),
			}
			_, err := blobs.Put(t.Context(), f.Blob, strings.NewReader("some bytes"))
			if err := errors.Join(err, h.Store.InsertFile(t.Context(), &f), h.Store.FinishFile(t.Context(), &f)); err != nil {
				t.Fatal(err)
			}
		}
		want := func(most int64, want Verified) {
			t.Helper()
			got, err := h.VerifyFiles(t.Context(), os.Getenv, most)
			if err != nil || got.Files != want.Files || got.Bytes != want.Bytes || got.Whole != want.Whole || !slices.Equal(got.Damaged, want.Damaged) {
				t.Errorf("VerifyFiles(%d) = %+v, %v, want %+v", most, got, err, want)
			}
		}
		want(1<<20, Verified{Files: 5, Bytes: 50, Whole: true})
		if err := errors.Join(damage("ab/other1"), os.Remove(filepath.Join(s.cfg.Data, "blobs", "ab", "other3"))); err != nil {
			t.Fatal(err)
		}
		want(0, Verified{Files: 1, Bytes: 10})
		want(11, Verified{Files: 2, Bytes: 20, Damaged: []string{"ab/other1"}})
		want(1<<20, Verified{Files: 2, Bytes: 20, Damaged: []string{"ab/other3"}, Whole: true})
		if found, err := h.DamagedFiles(t.Context(), os.Getenv); err != nil || len(found) != 2 {
			t.Errorf("stele doctor is told of %v, %v", found, err)
		}
		for _, damaged := range [][]string{nil, nil, {"ab/other1"}, nil, {"ab/other3"}, nil} { // one each, and the first once more
			want(0, Verified{Files: 1, Bytes: 10, Damaged: damaged})
		}
	})
}

func TestMovesThereAndBack(t *testing.T) {
	t.Parallel()
	s := newSealedInstallation(t, "sqlite", false)
	s.addFileAndJob(t)
	database, _ := storetest.Place(t, "postgres")
	files := "file://" + t.TempDir()
	move := func(database, files string) {
		t.Helper()
		want := s.sums(t)
		s.with(t, func(h *Installation) {
			m := Move{Installation: h, To: *h.Config, Database: true, Files: true, Getenv: os.Getenv}
			if err := m.Direct(database, files); err != nil {
				t.Fatal(err)
			}
			if out, err := m.Run(t.Context()); err != nil || out.Files != 1 || out.Jobs != 1 {
				t.Fatalf("Move = %+v, %v", out, err)
			}
			next := m.To
			s.cfg = &next
		})
		if got := s.sums(t); got != want {
			t.Errorf("the sums differ:\n%s\n%s", got, want)
		}
		s.check(t)
		s.checkFile(t)
	}
	move(database, files)
	home := *s.cfg
	home.Data = t.TempDir()
	home.MasterKeyFile = filepath.Join(s.cfg.Data, "master.key")
	s.cfg = &home
	move("sqlite", "folder")
}

const testBlob = "ab/testblob"

// addFileAndJob adds what is kept beside the tables.
func (s *sealedInstallation) addFileAndJob(t *testing.T) {
	t.Helper()
	s.with(t, func(h *Installation) {
		blobs, err := openBlobs(h.Config, os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		defer blobs.Close()
		if _, err := blobs.Put(t.Context(), testBlob, strings.NewReader("some bytes")); err != nil {
			t.Fatal(err)
		}
		_, err = h.Store.Writer().ExecContext(t.Context(), `INSERT INTO files (id, workspace, state, blob, name, kind, type, size, sha256, width, height, duration,
			generation, place, created_at, expires_at) VALUES ('file_1', 'default', 'ready', $1, 'n', 'image', 'image/png', 10, $2, 1, 1, 0.5, '', 0, 1, 4102444800000)`,
			testBlob, fmt.Sprintf("%x", sha256.Sum256([]byte("some bytes"))))
		if err != nil {
			t.Fatal(err)
		}
		q, err := openQueue(t.Context(), h.Store, uid.New("node"), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		tx, err := h.Store.Writer().BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Enqueue(t.Context(), tx, time.Now().Add(time.Hour), carriedJob{"gen_1"}); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
	})
}

type carriedJob struct {
	ID string `json:"id"`
}

func (carriedJob) Kind() string { return "generation" }

func (s *sealedInstallation) checkFile(t *testing.T) {
	t.Helper()
	blobs, err := openBlobs(s.cfg, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	defer blobs.Close()
	r, err := blobs.Open(t.Context(), testBlob, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if text, err := io.ReadAll(r); string(text) != "some bytes" || err != nil {
		t.Errorf("the file is %q, %v", text, err)
	}
}

// backup makes a backup and returns the sums of what was in the tables.
func (s *sealedInstallation) backup(t *testing.T, folder, recipient string) string {
	t.Helper()
	before := s.sums(t) // a backup writes down that it was made
	s.with(t, func(h *Installation) {
		b := Backup{Installation: h, Folder: folder, Recipients: []string{recipient}, Getenv: os.Getenv}
		if m, err := b.Run(t.Context()); err != nil || m.Blobs != 1 || m.Jobs.Rows != 1 {
			t.Fatalf("Backup = %+v, %v", m, err)
		}
	})
	return before
}

// sums is every table with its sum, and the jobs.
func (s *sealedInstallation) sums(t *testing.T) string {
	t.Helper()
	db, err := store.Open(t.Context(), s.cfg.DatabaseURL.Reveal(), s.cfg.Data)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	n, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	sums, err := n.Sums(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, one := range n.Tables {
		sum := sums[one.Name]
		fmt.Fprintf(&b, "%s %d %v\n", one.Name, sum.Rows(), &sum)
	}
	return b.String()
}

func emptyConfig(t *testing.T, engine string) *config.Config {
	t.Helper()
	database, folder := storetest.Place(t, engine)
	if folder == "" {
		folder = t.TempDir()
	}
	cfg := config.Default()
	cfg.Data, cfg.DatabaseURL = folder, config.Secret(database)
	return cfg
}
