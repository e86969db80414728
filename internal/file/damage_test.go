package file_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/file"
	"stele/internal/media"
	"stele/internal/race"
)

// defects are what may become of a file's bytes, where another file has as many.
var defects = map[string]func(good, other []byte) []byte{
	"the first bit":   func(good, _ []byte) []byte { good[0] ^= 1; return good },
	"a bit inside":    func(good, _ []byte) []byte { good[len(good)/2] ^= 16; return good },
	"the last bit":    func(good, _ []byte) []byte { good[len(good)-1] ^= 128; return good },
	"a byte less":     func(good, _ []byte) []byte { return good[:len(good)-1] },
	"half of it":      func(good, _ []byte) []byte { return good[:len(good)/2] },
	"nothing":         func(_, _ []byte) []byte { return nil },
	"zeros":           func(good, _ []byte) []byte { return make([]byte, len(good)) },
	"another file":    func(_, other []byte) []byte { return other },
	"it is not there": func(_, _ []byte) []byte { return gone },
}

var gone = []byte("gone")

// alter does to the bytes of a file what a defect does, and returns what puts them right.
func (h *house) alter(t *testing.T, f *file.File, defect func(good, other []byte) []byte, other []byte) (mend func()) {
	t.Helper()
	path := filepath.Join(h.folder, f.Blob)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if b := defect(bytes.Clone(good), other); bytes.Equal(b, gone) {
		err = os.Remove(path)
	} else {
		write(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { write(good) }
}

// all reads what there is to read of a file.
func (h *house) all(t *testing.T, f *file.File) (int, error) {
	t.Helper()
	r, err := h.Open(t.Context(), f, 0, -1)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	n, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{r}, make([]byte, 1000))
	return int(n), err
}

// marked counts the files that the doctor is told of.
func (h *house) marked(t *testing.T) int {
	t.Helper()
	list, err := h.store.DamagedFiles(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// keptFilms keeps two films of a size.
func keptFilms(t *testing.T, h *house, size int) (one *file.File, other []byte) {
	t.Helper()
	film := sample(t, "film.mp4")
	for i := range 2 {
		body := film + strings.Repeat(string(rune('a'+i)), size)
		f, err := h.Keep(t.Context(), "a", fmt.Sprintf("gen_%d", i), 0, made("video", body))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			one = f
		}
		other = []byte(body)
	}
	return one, other
}

// TestWhatIsDamagedNeverComesToItsEnd: a reader of a file gets all of it as it was kept, or an
// error before the last byte. The operator is told, and what is put right is given again.
func TestWhatIsDamagedNeverComesToItsEnd(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it is one reader after the other")
	for _, size := range []int{0, 9 << 20} { // of one piece, and of several
		for name, defect := range defects {
			h := newHouse(t)
			counted := 0
			h.Service.Damaged = func() { counted++ }
			f, other := keptFilms(t, h, size)
			if n, err := h.all(t, f); err != nil || int64(n) != f.Size || h.marked(t) != 0 {
				t.Fatal(n, err)
			}
			if size == 0 { // the two are the same
				other[len(other)-3] ^= 1
			}
			mend := h.alter(t, f, defect, other)
			for range 2 { // found, then refused
				if n, err := h.all(t, f); !errors.Is(err, file.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) || int64(n) >= f.Size {
					t.Errorf("%s, %d bytes: %d were read, %v", name, f.Size, n, err)
				}
			}
			if counted != 1 || h.marked(t) != 1 {
				t.Errorf("%s: counted %d times, %d marked", name, counted, h.marked(t))
			}
			mend()
			h.now = h.now.Add(time.Minute)
			if n, err := h.all(t, f); err != nil || int64(n) != f.Size {
				t.Errorf("%s is put right: %d were read, %v", name, n, err)
			}
			if err := h.Compare(t.Context(), f); err != nil {
				t.Error(err)
			}
			if err := h.Drop(t.Context(), f.ID); err != nil || h.marked(t) != 0 {
				t.Error("a mark stays of a file that is deleted:", err)
			}
		}
	}
}

// TestAFileThatIsDeletedMeanwhileIsNoLoss: its row was read before it went.
func TestAFileThatIsDeletedMeanwhileIsNoLoss(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Service.Damaged = func() { t.Error("it was counted") }
	f, _ := keptFilms(t, h, 0)
	if err := h.Drop(t.Context(), f.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.all(t, f); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestADamagedInputFailsItsOrder: no maker is to send it, however often the order is tried.
func TestADamagedInputFailsItsOrder(t *testing.T) {
	t.Parallel()
	for name, defect := range defects {
		h := newHouse(t)
		f, other := keptFilms(t, h, 100)
		source, err := h.Source(t.Context(), "a", "video_urls", f.ID)
		if err != nil {
			t.Fatal(err)
		}
		h.alter(t, f, defect, other)
		for range 2 {
			r, err := source.Open(t.Context())
			var n int64
			if err == nil {
				n, err = io.Copy(io.Discard, r)
				r.Close()
			}
			if failure, ok := errors.AsType[*media.Failure](err); !ok || failure.Class != media.BadInput || n >= f.Size {
				t.Errorf("%s: %d bytes, %v", name, n, err)
			}
		}
	}
}

// TestADamagedSmallPictureIsMadeAnew, and none is made of a picture that is damaged itself.
func TestADamagedSmallPictureIsMadeAnew(t *testing.T) {
	t.Parallel()
	for name, defect := range defects {
		h := newHouse(t)
		var pictures []*file.File
		var small [][]byte
		for _, c := range []color.Color{color.NRGBA{200, 30, 30, 255}, color.NRGBA{30, 30, 200, 255}} {
			f, err := h.Save(t.Context(), file.Upload{Workspace: "a", Name: "x.png", Body: bytes.NewReader(drawn(t, 700, 20, c))})
			if err != nil {
				t.Fatal(err)
			}
			b, _, err := h.Small(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			pictures, small = append(pictures, f), append(small, b)
		}
		place := &file.File{Blob: pictures[0].Blob + ".small"}
		other, err := os.ReadFile(filepath.Join(h.folder, pictures[1].Blob+".small"))
		if err != nil {
			t.Fatal(err)
		}
		h.alter(t, place, defect, other)
		if b, kind, err := h.Small(t.Context(), pictures[0]); err != nil || kind != "image/jpeg" || !bytes.Equal(b, small[0]) {
			t.Errorf("%s: %d bytes of %s, %v", name, len(b), kind, err)
		}
		h.alter(t, place, func(_, _ []byte) []byte { return gone }, nil)
		h.alter(t, pictures[0], defect, drawn(t, 700, 20, color.Black))
		if b, _, err := h.Small(t.Context(), pictures[0]); err == nil {
			t.Errorf("%s: a small picture of %d bytes was made of a damaged one", name, len(b))
		}
		if n := smallOnes(t, h); n != 1 {
			t.Errorf("%s: %d small pictures are kept", name, n)
		}
	}
}
