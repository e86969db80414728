package spool

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"stele/internal/disk"
	"stele/internal/fault"
)

// full is a file on a disk without room, with some bytes that were written before it was full.
func full(t *testing.T, before []byte) *File {
	t.Helper()
	there, err := disk.OpenFile(filepath.Join(t.TempDir(), "there"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = there.Close() })
	f := &File{file: there}
	if _, err := f.Write(before); err != nil {
		t.Fatal(err)
	}
	f.broken = errors.New("no space left on device")
	return f
}

func TestWhatTheDiskDoesNotTakeIsInMemory(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("0123456789"), 1000)
	for _, onDisk := range []int{0, 1, 4321, len(want)} {
		f := full(t, want[:onDisk])
		if _, err := f.Write(want[onDisk:]); err != nil {
			t.Fatal(err)
		}
		if f.Size() != int64(len(want)) {
			t.Errorf("%d on the disk: the size is %d", onDisk, f.Size())
		}
		for _, part := range [][2]int{{0, len(want)}, {0, 4321}, {4000, 5000}, {4321, 9999}, {7, 7}} {
			got, err := io.ReadAll(f.Section(int64(part[0]), int64(part[1])))
			if err != nil || !bytes.Equal(got, want[part[0]:part[1]]) {
				t.Errorf("%d on the disk: %v gives %d bytes, %v", onDisk, part, len(got), err)
			}
		}
	}
}

func TestWhatIsTooLargeForMemoryWaitsForTheDisk(t *testing.T) {
	t.Parallel()
	f := full(t, nil)
	piece := make([]byte, 1<<20)
	for range mostHeld / len(piece) {
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	_, err := f.Write(piece[:1])
	if e, ok := errors.AsType[*fault.Error](err); !ok || !e.Away {
		t.Errorf("Write = %v", err)
	}
}
