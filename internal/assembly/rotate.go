package assembly

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/disk"
	"stele/internal/pause"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/supply"
)

// Rotation is a change of the master key. It goes in steps of which each can be
// done again: one that is killed in between goes on where that was.
//
//  1. the new key is written to a file beside the old one
//  2. the database opens with both, and seals and signs with new keys
//  3. every sealed value is sealed anew
//  4. the new file takes the place of the old one
//  5. the database opens with the new key only
//
// At each moment the file in place opens the database.
type Rotation struct {
	*Installation

	NewKeyFile string        // "": beside the master key
	KeepLinks  time.Duration // how long addresses work that were signed before
	Wait       time.Duration // for running servers to take the new key
	Out        io.Writer

	step func(name string) error // tests end it there
}

func (r *Rotation) markDone(step string) error {
	if r.step != nil {
		return r.step(step)
	}
	return nil
}

// Prepare does what must be done before other machines get the new key.
func (r *Rotation) Prepare(ctx context.Context) error {
	next, err := r.begin(ctx)
	if err != nil {
		return err
	}
	r.say("The new master key %s is in %s and opens the database beside the old one.\n"+
		"Copy it to every other machine, beside its master key file with .next at the end of the name, or in its place.\n"+
		"Then: stele master-key rotate", next.Fingerprint(), r.next())
	return nil
}

func (r *Rotation) next() string { return cmp.Or(r.NewKeyFile, r.files.next()) }

// begin makes the new key and lets it open the database.
func (r *Rotation) begin(ctx context.Context) (*seal.Master, error) {
	old := r.Keyring.State()
	next, err := seal.LoadOrMake(r.next())
	if err == nil && old.To == "" && next.Fingerprint() == old.Using { // it is left of an earlier change
		if err = disk.Remove(r.next()); err == nil {
			next, err = seal.LoadOrMake(r.next())
		}
	}
	if err != nil {
		return nil, err
	}
	if err := r.markDone("new key"); err != nil {
		return nil, err
	}
	if err := r.Keyring.Begin(ctx, next, r.KeepLinks, time.Now()); err != nil {
		return nil, err
	}
	if old.To != next.Fingerprint() {
		change := access.Change{Field: "fingerprint", Old: old.Using, New: next.Fingerprint()}
		if err := r.note(ctx, "begun", change); err != nil {
			return nil, err
		}
	}
	return next, r.markDone("both keys")
}

// Run makes the change, or what is left of one that was begun.
func (r *Rotation) Run(ctx context.Context) error {
	state := r.Keyring.State()
	to := state.To
	if to == "" || to != state.Using { // else the new key is in its place already
		next, err := r.begin(ctx)
		if err != nil {
			return err
		}
		to = next.Fingerprint()
	}
	if err := r.await(ctx); err != nil {
		return err
	}
	n, err := r.reseal(ctx)
	if err != nil {
		return err
	}
	if err := r.markDone("all sealed anew"); err != nil {
		return err
	}
	if err := r.install(to); err != nil {
		return err
	}
	if err := r.markDone("new key in its place"); err != nil {
		return err
	}
	if err := r.Keyring.Finish(ctx, time.Now()); err != nil {
		return err
	}
	if err := r.markDone("old key ended"); err != nil {
		return err
	}
	if err := r.note(ctx, "ended", access.Change{Field: "sealed anew", New: fmt.Sprint(n)}); err != nil {
		return err
	}
	r.say("The master key is %s now: %d values were sealed anew. The old key opens nothing any more.\n"+
		"Replace its copy in your backups: a backup of the database from before needs the old key, one from now on the new.", to, n)
	return nil
}

// await waits until every server that runs has the new key at hand.
func (r *Rotation) await(ctx context.Context) error {
	const heard, again = 15 * time.Second, 100 * time.Millisecond
	deadline := time.Now().Add(r.Wait)
	for {
		lagging, err := r.Keyring.Lagging(ctx, time.Now().Add(-heard))
		if err != nil || len(lagging) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d of the running servers do not have the new key yet (%s): copy %s to their machines, beside the master key file "+
				"with .next at the end of its name or in its place, then call stele master-key rotate again: %w",
				len(lagging), strings.Join(lagging, ", "), r.next(), errLagging)
		}
		if err := pause.For(ctx, again); err != nil {
			return err
		}
	}
}

// reseal seals everything with the newest key. What it was sealed for stays.
func (r *Rotation) reseal(ctx context.Context) (n int, err error) {
	// What an older version sealed for no address in particular gets its own first.
	records := catalog.NewRecords(catalog.RecordsOptions{
		Store: r.Store, Box: r.Keyring.Box(supply.SecretsBox), Reach: supply.Reach(connector{}), Now: time.Now,
		Take: func([]catalog.UnsealedRecord) error { return nil },
	})
	if err := records.Load(ctx); err != nil {
		return 0, err
	}
	for _, column := range store.SealedColumns() {
		box := r.Keyring.Box(column.Purpose)
		err := r.Store.EachSealed(ctx, column, func(s store.Sealed) ([]byte, error) {
			if !box.Stale(s.Value) {
				return nil, nil
			}
			next, err := box.Reseal(s.For, s.Value)
			if errors.Is(err, seal.ErrBroken) {
				if column.Passing {
					return nil, nil
				}
				r.say("%s does not open, and is left as it is: set it again.", s.Name)
				return nil, nil
			}
			n++
			return next, errors.Join(err, r.markDone("one sealed anew"))
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// install puts the new key where the old one is.
func (r *Rotation) install(to string) error {
	current, err := seal.Load(r.files.path)
	if err != nil {
		return err
	}
	if current.Fingerprint() == to {
		if err := disk.Remove(r.files.next()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", r.files.next(), err)
		}
		return nil
	}
	if err := seal.Replace(r.next(), r.files.path); err != nil {
		return fmt.Errorf("put the new key in its place (put it there yourself and call stele master-key rotate again): %w", err)
	}
	return nil
}

// say tells the operator how far it is.
func (r *Rotation) say(format string, args ...any) { _, _ = fmt.Fprintf(r.Out, format+"\n", args...) }

var errLagging = errors.New("the old master key still counts")

// note writes a change of the master key into the audit log.
func (h *Installation) note(ctx context.Context, detail string, changes ...access.Change) error {
	who := access.CommandLine(access.DefaultWorkspace)
	return h.Access.Note(ctx, who, "master_key.rotate", "master key", detail, changes...)
}

// VerifySealed opens every sealed value that stays and names those that do not open.
func (h *Installation) VerifySealed(ctx context.Context) (opened int, broken []string, err error) {
	for _, column := range store.SealedColumns() {
		if column.Passing {
			continue
		}
		box := h.Keyring.Box(column.Purpose)
		err := h.Store.EachSealed(ctx, column, func(s store.Sealed) ([]byte, error) {
			if box.Verify(s.Value) != nil {
				broken = append(broken, s.Name)
			} else {
				opened++
			}
			return nil, nil
		})
		if err != nil {
			return 0, nil, err
		}
	}
	return opened, broken, nil
}
