package file

import (
	"context"
	"log/slog"
	"time"

	"stele/internal/pause"
)

const (
	sweepEvery = 30 * time.Second
	bite       = 100 // files at a time
)

// Run forgets files when their time is over, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	for {
		if n, err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.LogAttrs(ctx, slog.LevelWarn, "old files not deleted", slog.Any("error", err))
		} else if n > 0 {
			s.Log.LogAttrs(ctx, slog.LevelInfo, "old files deleted", slog.Int("files", n))
		}
		if pause.For(ctx, sweepEvery) != nil {
			return
		}
	}
}

// Sweep forgets all files whose time is over and that no unfinished generation
// uses, and what broken uploads and earlier sweeps have left. It says how many.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	total := 0
	for {
		doomed, err := s.Store.DoomFiles(ctx, s.Now(), bite)
		if err != nil {
			return total, err
		}
		var failed error
		for i := range doomed {
			// One that cannot be deleted now keeps its mark and is tried again.
			if err := s.finish(ctx, &doomed[i]); err != nil {
				failed = err
				continue
			}
			total++
		}
		if failed != nil || len(doomed) < bite {
			return total, failed
		}
	}
}

// finish forgets a file that is marked already.
func (s *Service) finish(ctx context.Context, f *File) error {
	if err := s.Blobs.Delete(ctx, f.Blob); err != nil {
		return err
	}
	if f.Kind == Image {
		if err := s.Blobs.Delete(ctx, smallKey(f)); err != nil {
			return err
		}
	}
	return s.Store.DeleteFile(ctx, f.ID)
}
