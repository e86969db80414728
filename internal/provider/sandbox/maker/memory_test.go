package maker_test

import (
	"io"
	"runtime"
	"testing"
	"testing/iotest"
	"time"

	"stele/internal/fair"
	"stele/internal/provider/sandbox/maker"
)

// TestLargeOutputsAreNotHeldInMemory reads large ones. It counts
// bytes that are allocated, so it is not parallel.
func TestLargeOutputsAreNotHeldInMemory(t *testing.T) { //nolint:paralleltest // memory is measured
	const most = 4 << 20
	for _, kind := range []string{"image", "audio"} {
		m := maker.New(books{}, fair.New(2, 1), time.Now)
		got, err := m.Submit(t.Context(), request(kind, "[[sandbox: bytes=4194304]]"))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := got.Outputs[0].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; err != nil || n < most || taken > most/2 {
			t.Errorf("%s: %d bytes took %d bytes of memory, %v", kind, n, taken, err)
		}
	}
}

func TestOutputsAreTheSameHoweverTheyAreRead(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"image", "audio"} {
		m := maker.New(books{}, fair.New(2, 1), time.Now)
		got, err := m.Submit(t.Context(), request(kind, "[[sandbox: bytes=100001]]"))
		if err != nil {
			t.Fatal(err)
		}
		whole := bytesOf(t, got.Outputs[0])
		for name, slowly := range map[string]func(io.Reader) io.Reader{"by half": iotest.HalfReader, "byte by byte": iotest.OneByteReader} {
			r, err := got.Outputs[0].Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			read, err := io.ReadAll(slowly(r))
			if err != nil || string(read) != string(whole) {
				t.Errorf("%s %s: %d bytes, want %d, %v", kind, name, len(read), len(whole), err)
			}
		}
	}
}
