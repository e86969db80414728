package memory_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"stele/internal/fault"
	"stele/internal/memory"
)

func TestABodyIsReadWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 1000, 15_871, 15_872, 16 << 10, 16<<10 + 1, 64 << 10, 64<<10 + 1, 1 << 20, 2 << 20, 2<<20 + 1, 5 << 20} {
		content := bytes.Repeat([]byte("0123456789abcdef!"), size/17+1)[:size]
		for name, announced := range map[string]int64{"as long as it is": int64(size), "nothing": -1, "less": int64(size / 2), "more": int64(2 * size), "a giant": 1 << 40} {
			for how, r := range map[string]io.Reader{"at once": bytes.NewReader(content), "in halves": iotest.HalfReader(bytes.NewReader(content))} {
				b := memory.New(1<<30, 1<<30)
				l := b.Open("a")
				got, err := l.ReadAll(t.Context(), r, announced)
				if err != nil || !bytes.Equal(got, content) {
					t.Fatalf("%d bytes, announced %s, %s: %d bytes, %v", size, name, how, len(got), err)
				}
				if held := b.Taken(); held < int64(len(got)) {
					t.Errorf("%d bytes, announced %s: %d are held", size, name, held)
				}
				l.Close()
			}
		}
	}
}

// What a client announces holds nothing: only what it sends does.
func TestAnAnnouncedGiantHoldsLittle(t *testing.T) {
	t.Parallel()
	for _, sent := range []int64{0, 1, 100, 16 << 10, 64 << 10, 1 << 20} {
		b := memory.New(1<<40, 1<<40)
		most := int64(0)
		watch := func() { most = max(most, b.Taken()) }
		_, err := b.Open("a").ReadAll(t.Context(), &watched{io.LimitReader(endless{}, sent), watch}, 1<<39)
		if !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
		if allowed := max(64<<10, 33*sent); most > allowed {
			t.Errorf("%d bytes sent hold %d, more than %d", sent, most, allowed)
		}
		if b.Taken() != 0 {
			t.Errorf("%d bytes sent and broken off: %d are held", sent, b.Taken())
		}
	}
}

func TestABodyThatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	b := memory.New(1<<20, 1<<20)
	_, err := b.Open("a").ReadAll(t.Context(), bytes.NewReader(make([]byte, 3<<20)), 3<<20)
	if fault.From(err).Code != fault.BodyTooLarge || b.Taken() != 0 {
		t.Errorf("%v, and %d are held", err, b.Taken())
	}
}

var errBroken = errors.New("broken off")

// watched looks at every read, and breaks off at the end.
type watched struct {
	io.Reader
	look func()
}

func (w *watched) Read(p []byte) (int, error) {
	w.look()
	n, err := w.Reader.Read(p)
	if err == io.EOF { //nolint:errorlint // as readers return it
		err = errBroken
	}
	return n, err
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
