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
	files, leave, err := h.openFiles(getenv)
	if err != nil {
		return nil, err
	}
	defer leave()
	var still []file.File
	for i := range marked {
		switch err := files.Compare(ctx, &marked[i]); {
		case isDamage(err):
			still = append(still, marked[i])
		case err != nil:
			return nil, err
		}
	}
	return still, nil
}

// openFiles opens the files of an installation for reading.
func (h *Installation) openFiles(getenv func(string) string) (files *file.Service, leave func(), err error) {
	blobs, err := openBlobs(h.Config, getenv)
	if err != nil {
		return nil, nil, err
	}
	return file.New(file.Options{Store: h.Store, Blobs: blobs, Log: slog.New(slog.DiscardHandler), Now: time.Now}), func() { blobs.Close() }, nil
}

// isDamage reports whether an error says that a file is not as it was kept.
func isDamage(err error) bool {
	return errors.Is(err, file.ErrDamaged) || errors.Is(err, fs.ErrNotExist)
}

// Verified is what came of reading files.
type Verified struct {
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`
	Damaged []string `json:"damaged"` // where they lie
	Whole   bool     `json:"whole"`   // the last of all files was among them: the next call begins anew
}

// verifiedRows is how many files are listed at a time.
const verifiedRows = 100

// VerifyFiles reads files and compares them, about as many bytes as most says and at least one file, from where the
// last call has stopped. Those that are damaged are marked for stele doctor, as if a client had asked for them.
func (h *Installation) VerifyFiles(ctx context.Context, getenv func(string) string, most int64) (out Verified, err error) {
	files, leave, err := h.openFiles(getenv)
	if err != nil {
		return out, err
	}
	defer leave()
	out.Damaged = []string{}
	after, err := h.Store.VerifiedUntil(ctx)
	for err == nil && !out.Whole && (out.Files == 0 || out.Bytes < most) {
		var list []file.File
		if list, err = h.Store.FilesAfter(ctx, after, verifiedRows); err != nil {
			break
		}
		if len(list) == 0 && out.Files == 0 && after != "" { // the last call stopped right at the end
			after = ""
			continue
		}
		for i := 0; i < len(list) && err == nil && (out.Files == 0 || out.Bytes < most); i++ {
			if err = h.verify(ctx, files, &list[i], &out); err == nil {
				after = list[i].ID
			}
		}
		out.Whole = err == nil && len(list) == 0
	}
	if out.Whole {
		after = ""
	}
	return out, errors.Join(err, h.Store.SetVerifiedUntil(context.WithoutCancel(ctx), after))
}

// verify reads a file. One that is deleted meanwhile is no loss.
func (h *Installation) verify(ctx context.Context, files *file.Service, f *file.File, out *Verified) error {
	err := files.Compare(ctx, f)
	if isDamage(err) {
		var kept bool
		if kept, err = h.Store.MarkDamaged(ctx, f.ID, time.Now()); kept {
			out.Damaged = append(out.Damaged, f.Blob)
		}
	}
	if err == nil {
		out.Files++
		out.Bytes += f.Size
	}
	return err
}
