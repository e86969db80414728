package assembly

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"stele/internal/file"
)

// mostCompared is how many files are read anew at most that were found damaged once.
const mostCompared = 100

// DamagedFiles reads those files anew that servers have found damaged, and lists the ones that are
// so still. It changes nothing.
func (h *Installation) DamagedFiles(ctx context.Context, getenv func(string) string) ([]file.File, error) {
	marked, err := h.Store.DamagedFiles(ctx, mostCompared)
	if err != nil || len(marked) == 0 {
		return nil, err
	}
	blobs, err := openBlobs(h.Config, getenv)
	if err != nil {
		return nil, err
	}
	defer blobs.Close()
	files := file.New(file.Options{Store: h.Store, Blobs: blobs, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	var still []file.File
	for i := range marked {
		switch err := files.Compare(ctx, &marked[i]); {
		case errors.Is(err, file.ErrDamaged), errors.Is(err, fs.ErrNotExist):
			still = append(still, marked[i])
		case err != nil:
			return nil, err
		}
	}
	return still, nil
}
