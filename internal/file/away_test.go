package file_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"stele/internal/fault"
	"stele/internal/media"
)

// troubles are the errors of a storage that is away, as folders and S3 give them.
var troubles = map[string]error{
	"refused":     &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
	"cut off":     io.ErrUnexpectedEOF,
	"told":        fault.NewAway(errors.New("503")),
	"not allowed": errors.New("403 Forbidden"),
	"the disk":    syscall.EIO,
}

// TestAnInputThatTheStorageDoesNotGiveIsTheStoragesFault: no maker is to blame for it, nor the
// client, and it is tried again.
func TestAnInputThatTheStorageDoesNotGiveIsTheStoragesFault(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, source := h.picture(t)
	read := func(ctx context.Context) error {
		r, err := source.Open(ctx)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(io.Discard, r)
		return err
	}
	for name, trouble := range troubles {
		for where, mood := range map[string]moody{"opened": {open: trouble}, "read": {breaks: trouble}} {
			h.blobs.open, h.blobs.breaks = mood.open, mood.breaks
			failed := media.ToFailure(read(t.Context()))
			if failed.Class != media.Storage || !failed.CanTryAgain() || !failed.Ours() || !errors.Is(failed, trouble) {
				t.Errorf("%s while it is %s: %v", name, where, failed)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h.blobs.open = context.Canceled
	if err := read(ctx); media.ToFailure(err).Class == media.Storage {
		t.Errorf("the caller has left: %v", err)
	}
}

// TestAnOutputThatOurOwnDiskDoesNotGiveIsTheDisksFault: what a maker of this installation has
// spooled was not lost by a provider.
func TestAnOutputThatOurOwnDiskDoesNotGiveIsTheDisksFault(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	away := fault.NewAway(syscall.EIO)
	for name, open := range map[string]func(context.Context) (io.ReadCloser, error){
		"opened": func(context.Context) (io.ReadCloser, error) { return nil, away },
		"read": func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(strings.NewReader(sample(t, "film.mp4")[:100]), iotest.ErrReader(away))), nil
		},
	} {
		_, err := h.Keep(t.Context(), "one", "gen_1", 0, media.Output{Kind: "video", Open: open})
		if f, ok := errors.AsType[*media.Failure](err); !ok || f.Class != media.Storage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
