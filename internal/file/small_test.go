package file_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/file"
)

func drawn(t *testing.T, width, height int, c color.Color) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestASmallPictureIsMadeOnceAndGoesWithItsFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, test := range []struct {
		name, kind    string
		wide, high    int
		smallW, high2 int
		c             color.Color
	}{
		{"wide", "image/jpeg", 1600, 200, 640, 80, color.NRGBA{200, 30, 30, 255}},
		{"high", "image/jpeg", 100, 1280, 50, 640, color.NRGBA{20, 30, 200, 255}},
		{"clear", "image/png", 1000, 100, 640, 64, color.NRGBA{20, 200, 30, 90}},
	} {
		f, err := h.Save(t.Context(), file.Upload{Workspace: "a", Name: "x.png", Body: bytes.NewReader(drawn(t, test.wide, test.high, test.c))})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // made, then read
			body, kind, err := h.Small(t.Context(), f)
			if err != nil {
				t.Fatal(test.name, err)
			}
			m, _, err := image.Decode(bytes.NewReader(body))
			if err != nil || kind != test.kind || m.Bounds().Dx() != test.smallW || m.Bounds().Dy() != test.high2 {
				t.Errorf("%s: %s %v, %v", test.name, kind, m.Bounds(), err)
			}
		}
		if n := smallOnes(t, h); n != 1 {
			t.Errorf("%s: %d small pictures are kept", test.name, n)
		}
		if err := h.Drop(t.Context(), f.ID); err != nil {
			t.Fatal(err)
		}
		if n := smallOnes(t, h); n != 0 {
			t.Errorf("%s: %d small pictures are left behind", test.name, n)
		}
	}
}

func smallOnes(t *testing.T, h *house) (n int) {
	t.Helper()
	_ = filepath.WalkDir(h.folder, func(name string, _ fs.DirEntry, _ error) error {
		if strings.HasSuffix(name, ".small") {
			n++
		}
		return nil
	})
	return n
}

func TestWhatIsSmallOrNoPictureHasNoSmallPicture(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	small, err := h.Save(t.Context(), file.Upload{Workspace: "a", Name: "x.png", Body: bytes.NewReader(drawn(t, 640, 10, color.Black))})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*file.File{
		"small": small, "sound": {Kind: file.Audio}, "drawing": {Kind: file.Image, Type: "image/svg+xml", Width: 900},
		"enormous": {Kind: file.Image, Type: "image/png", Width: 30_000, Height: 3_000},
	} {
		if _, _, err := h.Small(t.Context(), f); !errors.Is(err, file.ErrNoSmall) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
