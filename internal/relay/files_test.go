package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"

	"stele/internal/fault"
	"stele/internal/file"
)

// broken is a cabinet whose files cannot be opened, or not be read to their end.
type broken struct {
	cabinet
	err   error
	later bool
}

func (b *broken) Open(context.Context, *file.File, int64, int64) (io.ReadCloser, error) {
	if b.later {
		return io.NopCloser(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(b.err))), nil
	}
	return nil, b.err
}

// TestAFileThatIsNotAsItWasKeptIsNotSent: the client hears what to do about it, and no target is to blame.
func TestAFileThatIsNotAsItWasKeptIsNotSent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		code fault.Code
	}{
		{fmt.Errorf("read file: %w", file.ErrDamaged), fault.FileNotFound},
		{fmt.Errorf("read file: %w", fs.ErrNotExist), fault.FileNotFound},
		{fault.NewAway(errors.New("no answer")), fault.Unavailable},
	} {
		for _, later := range []bool{false, true} {
			files := &broken{cabinet: cabinet{size: 100}, err: test.err, later: later}
			_, err := new(fetched).load(t.Context(), files, "w", "file_1", func(int64) error { return nil })
			if fault.From(err).Code != test.code || !errors.Is(err, errors.Unwrap(test.err)) {
				t.Errorf("%v, later %v: %v", test.err, later, err)
			}
		}
	}
}
