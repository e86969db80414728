package assembly

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"stele/internal/disk"
	"stele/internal/inflight"
)

// openUnsent reads which chats the last process had marked as asked and never sent, and begins
// the list of this one. Its name has the machine's run in it: a list that is not synced says
// nothing after a power cut.
func (w *mediaStack) openUnsent(folder string) error {
	boot := disk.Boot()
	if boot == "" {
		return nil
	}
	path := filepath.Join(folder, "unsent."+boot)
	old, err := filepath.Glob(filepath.Join(folder, "unsent.*"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if name != path {
			if err := disk.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	if w.leftUnsent, err = inflight.ReadLeft(path); err != nil {
		return err
	}
	w.unsent, err = inflight.Open(path)
	return err
}

// forgetUnsent has clients that come again ask for what was never sent. Where that fails they
// are told that the outcome is not known.
func (w *mediaStack) forgetUnsent(ctx context.Context) {
	if err := w.replay.ForgetUnsent(ctx, w.before, w.leftUnsent); err != nil {
		w.log.LogAttrs(ctx, slog.LevelWarn, "chats that were never sent stay as they are", slog.Any("error", err))
	}
}
