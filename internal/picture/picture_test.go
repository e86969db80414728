package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"testing"

	"github.com/deepteams/webp"

	"stele/internal/fault"
	"stele/internal/memory"
	"stele/internal/picture"
)

// drawn is a picture with something on it.
func drawn(width, height int, opaque bool) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i >> 5)
		if opaque && i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

// files are pictures of 300 by 200 in all formats.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	add := func(name string, encode func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(name, err)
		}
		all[name] = b.Bytes()
	}
	m, solid := drawn(300, 200, false), drawn(300, 200, true)
	deep, gray, flat := image.NewNRGBA64(m.Rect), image.NewGray16(m.Rect), image.NewPaletted(m.Rect, color.Palette{color.Black, color.White})
	add("png", func(b *bytes.Buffer) error { return png.Encode(b, m) })
	add("png deep", func(b *bytes.Buffer) error { return png.Encode(b, deep) })
	add("png gray", func(b *bytes.Buffer) error { return png.Encode(b, gray) })
	add("png palette", func(b *bytes.Buffer) error { return png.Encode(b, flat) })
	add("jpeg", func(b *bytes.Buffer) error { return jpeg.Encode(b, solid, nil) })
	add("gif", func(b *bytes.Buffer) error { return gif.Encode(b, solid, nil) })
	for name, o := range map[string]*webp.EncoderOptions{
		"webp":          {Quality: 80, Method: 1},
		"webp lossless": {Quality: 20, Method: 1, Lossless: true},
	} {
		add(name, func(b *bytes.Buffer) error { return webp.Encode(b, m, o) })
		add(name+" opaque", func(b *bytes.Buffer) error { return webp.Encode(b, solid, o) })
	}
	return all
}

// bytesOf is what the pixels of a decoded picture take.
func bytesOf(m image.Image) int64 {
	switch m := m.(type) {
	case *image.YCbCr:
		return int64(len(m.Y) + len(m.Cb) + len(m.Cr))
	case *image.NRGBA:
		return int64(len(m.Pix))
	case *image.RGBA:
		return int64(len(m.Pix))
	case *image.NRGBA64:
		return int64(len(m.Pix))
	case *image.Gray16:
		return int64(len(m.Pix))
	case *image.Paletted:
		return int64(len(m.Pix))
	}
	return 1 << 40
}

func TestPicturesAreDecodedUnderALease(t *testing.T) {
	t.Parallel()
	for name, file := range files(t) {
		h, err := picture.Look(bytes.NewReader(file))
		if err != nil || h.Width != 300 || h.Height != 200 {
			t.Errorf("%s: %+v, %v", name, h, err)
			continue
		}
		budget := memory.New(1<<30, 1<<30)
		m, release, err := h.Decode(t.Context(), budget.Open("a"), bytes.NewReader(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if took := bytesOf(m); budget.Taken() != h.Cost || h.Cost < took {
			t.Errorf("%s: %d bytes are held of %d, and it takes %d", name, budget.Taken(), h.Cost, took)
		}
		if release(); budget.Taken() != 0 {
			t.Errorf("%s: %d bytes are held afterwards", name, budget.Taken())
		}
		small := memory.New(h.Cost-1, h.Cost-1)
		if _, _, err := h.Decode(t.Context(), small.Open("a"), bytes.NewReader(file)); fault.From(err).Code != fault.BodyTooLarge || small.Taken() != 0 {
			t.Errorf("%s: without room: %v, %d held", name, err, small.Taken())
		}
	}
}

// What a picture will take is in its first bytes, however few there are.
func TestWhatAPictureTakesIsSeenBeforeItIsDecoded(t *testing.T) {
	t.Parallel()
	pngHead := func(depth, colour, interlaced byte) []byte {
		b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"), make([]byte, 17)...)
		binary.BigEndian.PutUint32(b[16:], 6300)
		binary.BigEndian.PutUint32(b[20:], 6300)
		b[24], b[25], b[28] = depth, colour, interlaced
		return b
	}
	frame := func(marker byte, sampling ...byte) []byte {
		b := []byte{0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, marker, 0, byte(8 + 3*len(sampling)), 8, 0x18, 0x9c, 0x18, 0x9c, byte(len(sampling))}
		for i, s := range sampling {
			b = append(b, byte(i+1), s, 0)
		}
		return b
	}
	vp8x := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), make([]byte, 10)...)
	vp8l := append([]byte("VP8L\x10\x00\x00\x00"), 0x2f, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0, 0, 0, 0, 0)
	const pixels = 6300 * 6300
	for name, c := range map[string]struct {
		head  []byte
		least int64
	}{
		"png":                      {pngHead(8, 6, 0), 4 * pixels},
		"png of 16 bits":           {pngHead(16, 6, 0), 8 * pixels},
		"png of 16 bits, gray":     {pngHead(16, 0, 0), 8 * pixels}, // it may have a clear colour
		"png, interlaced":          {pngHead(8, 2, 1), 8 * pixels},
		"jpeg":                     {frame(0xc0, 0x22, 0x11, 0x11), pixels * 3 / 2},
		"jpeg, progressive":        {frame(0xc2, 0x11, 0x11, 0x11), 15 * pixels},
		"jpeg of four colours":     {frame(0xc0, 0x11, 0x11, 0x11, 0x11), 8 * pixels},
		"webp with a false canvas": {append(vp8x, vp8l...), 9 * 16384 * 16384},
	} {
		h, err := picture.Look(bytes.NewReader(c.head))
		if err != nil || h.Cost < c.least {
			t.Errorf("%s: %+v, %v; want %d at least", name, h, err, c.least)
		}
	}
}

func TestWhatIsNoPictureIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "hello", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "\xff\xd8\xff\xe0\x00\x00", "GIF89a", "RIFF1234WEBP", "RIFF1234WEBPVP8 ", "<svg xmlns=''></svg>"} {
		if h, err := picture.Look(bytes.NewReader([]byte(text))); err == nil {
			t.Errorf("%q is %+v", text, h)
		}
	}
}

// A decoder that panics fails one picture, not the process.
func TestAPanicIsAnError(t *testing.T) {
	t.Parallel()
	if err := picture.RunSafely(func() error { panic("no") }); err == nil {
		t.Error("no error")
	}
	if err := picture.RunApart(t.Context(), func() error { var list []int; list[len(os.Args)+1]++; return nil }); err == nil {
		t.Error("no error of a goroutine")
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("no") }

func TestAPictureThatPanicsGivesItsMemoryBack(t *testing.T) {
	t.Parallel()
	budget := memory.New(1<<20, 1<<20)
	h := picture.Header{Format: "png", Width: 1, Height: 1, Cost: 1 << 20}
	if _, _, err := h.Decode(t.Context(), budget.Open("a"), panicking{}); err == nil || budget.Taken() != 0 {
		t.Errorf("%v, and %d bytes are held", err, budget.Taken())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := h.Decode(ctx, budget.Open("a"), panicking{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestShrink(t *testing.T) {
	t.Parallel()
	m := image.NewNRGBA(image.Rect(10, 20, 1010, 520))
	for y := 20; y < 520; y++ {
		for x := 10; x < 1010; x++ {
			c := color.NRGBA{255, 0, 0, 255}
			if x >= 510 {
				c = color.NRGBA{0, 0, 255, 255}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	small := picture.Shrink(m, 100)
	if small.Rect != image.Rect(0, 0, 100, 50) {
		t.Fatal(small.Rect)
	}
	if small.RGBAAt(0, 0) != (color.RGBA{255, 0, 0, 255}) || small.RGBAAt(99, 49) != (color.RGBA{0, 0, 255, 255}) {
		t.Errorf("%v and %v", small.RGBAAt(0, 0), small.RGBAAt(99, 49))
	}
	if same := picture.Shrink(m, 5000); same.Rect.Size() != m.Rect.Size() {
		t.Errorf("enlarged to %v", same.Rect)
	}
	if thin := picture.Shrink(image.NewGray(image.Rect(0, 0, 10_000, 1)), 100); thin.Rect != image.Rect(0, 0, 100, 1) {
		t.Error(thin.Rect)
	}
}

func FuzzLook(f *testing.F) {
	f.Add([]byte("RIFF1234WEBPVP8X"))
	f.Add([]byte("\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\x10\x00\x10\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := picture.Look(bytes.NewReader(b))
		if err == nil && (h.Width <= 0 || h.Height <= 0 || h.Cost < 0) {
			t.Errorf("%+v", h)
		}
	})
}
