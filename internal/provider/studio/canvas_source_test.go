package studio_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"io"
	"testing"
	"testing/iotest"

	"stele/internal/media"
	"stele/internal/provider/studio"
	"stele/internal/race"
)

func TestEveryFormatIsReadAndKept(t *testing.T) {
	t.Parallel()
	m := photo(90, 60)
	for _, f := range []struct {
		file []byte
		kind string
	}{
		{asPNG(t, m), "image/png"}, {asJPEG(t, m), "image/jpeg"}, {asGIF(t, m), "image/png"}, {asWebP(t, m), "image/webp"},
	} {
		out := edited(t, `"flip":"horizontal"`, f.file)
		above, below := at(out, 2, 2), at(out, 2, 57) // green and yellow; no format but png keeps them exactly
		if out.kind != f.kind || above.G < above.R+60 || below.R < below.B+90 || below.G < below.B+90 {
			t.Errorf("%s became %s, %v above %v", f.kind, out.kind, above, below)
		}
	}
}

// exif is a directory with an orientation in it.
func exif(order binary.AppendByteOrder, mark string, orientation uint16) []byte {
	b := order.AppendUint32([]byte(mark), 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, orientation)
	return append(b, make([]byte, 6)...)
}

func TestTheCamerasOrientationIsHonoured(t *testing.T) {
	t.Parallel()
	plain := asJPEG(t, photo(120, 80))
	// For each orientation, the colour in the upper right and the lower left.
	want := map[uint16][2]string{1: {"green", "blue"}, 2: {"", "yellow"}, 3: {"blue", "green"}, 4: {"yellow", ""},
		5: {"blue", "green"}, 6: {"", "yellow"}, 7: {"green", "blue"}, 8: {"yellow", ""}}
	for orientation, corners := range want {
		for _, block := range [][]byte{exif(binary.BigEndian, "MM\x00*", orientation), exif(binary.LittleEndian, "II*\x00", orientation)} {
			body := append([]byte("Exif\x00\x00"), block...)
			file := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(body)+2))...)
			file = append(append(file, body...), plain[2:]...)
			m := edited(t, `"output_format":"png"`, file)
			size := image.Pt(120, 80)
			if orientation >= 5 {
				size = image.Pt(80, 120)
			}
			if m.Bounds().Size() != size {
				t.Errorf("%d: %v", orientation, m.Bounds())
			}
			for i, name := range corners {
				if name != "" && !near(m, 0.96-0.92*float64(i), 0.05+0.9*float64(i), quarters[name]) {
					t.Errorf("%d: corner %d is not %s", orientation, i, name)
				}
			}
		}
	}
}

func TestAnOrientationInAPNGIsHonoured(t *testing.T) {
	t.Parallel()
	file := asPNG(t, photo(120, 80))
	body := append([]byte("eXIf"), exif(binary.BigEndian, "MM\x00*", 6)...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	chunk = binary.BigEndian.AppendUint32(append(chunk, body...), crc32.ChecksumIEEE(body))
	file = append(append(append([]byte{}, file[:33]...), chunk...), file[33:]...)
	if m := edited(t, `"grayscale":true`, file); m.Bounds().Size() != image.Pt(80, 120) {
		t.Error(m.Bounds())
	}
}

// bomb is a small file that says it has 10 billion pixels.
func bomb(t *testing.T) []byte {
	file := asPNG(t, photo(9, 6))
	binary.BigEndian.PutUint32(file[16:], 100_000)
	binary.BigEndian.PutUint32(file[20:], 100_000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestAFrameOfAGIFStandsOnItsSheet(t *testing.T) {
	t.Parallel()
	frame := image.NewPaletted(image.Rect(20, 10, 40, 30), color.Palette{color.RGBA{255, 0, 0, 255}})
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 60, Height: 40, ColorModel: frame.Palette}})
	if err != nil {
		t.Fatal(err)
	}
	m := edited(t, `"flip":"horizontal"`, b.Bytes())
	if m.Bounds().Size() != image.Pt(60, 40) || at(m, 30, 20).R != 255 || at(m, 5, 5).A != 0 {
		t.Error(m.Bounds(), at(m, 30, 20), at(m, 5, 5))
	}
}

func TestALargePhotoIsMadeSmaller(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	m := edited(t, `"grayscale":true`, asJPEG(t, photo(4500, 300)))
	if m.Bounds().Size() != image.Pt(4096, 273) {
		t.Error(m.Bounds())
	}
}

// A file that cannot be read to its end, wherever it breaks off, is not the client's fault either.
func TestATroubleOfTheStoreInTheMiddleOfAFileIsPassedOn(t *testing.T) {
	t.Parallel()
	for _, file := range [][]byte{asPNG(t, photo(90, 60)), asJPEG(t, photo(90, 60)), asGIF(t, photo(90, 60)), asWebP(t, photo(90, 60))} {
		for _, after := range []int{0, 4, 14, 20, len(file) - 5} {
			req := asked(t, `{"model":"stele/canvas","mode":"image_to_image","blur":1}`, file)
			req.Sources[0].Open = func(context.Context) (io.ReadCloser, error) {
				return io.NopCloser(io.MultiReader(bytes.NewReader(file[:after]), iotest.ErrReader(&media.Failure{Class: media.Storage}))), nil
			}
			_, err := studio.Canvas(t.Context(), req, func(float64) {})
			if f, ok := errors.AsType[*media.Failure](err); !ok || f.Class != media.Storage {
				t.Errorf("%.8q, after %d bytes: %v", file, after, err)
			}
		}
	}
}

// A file that cannot be fetched is not the client's fault.
func TestATroubleOfTheStoreIsPassedOn(t *testing.T) {
	t.Parallel()
	req := asked(t, `{"model":"stele/canvas","mode":"image_to_image","blur":1}`, []byte("x"))
	trouble := errors.New("the disk is gone")
	req.Sources[0].Open = func(context.Context) (io.ReadCloser, error) { return nil, trouble }
	_, err := studio.Canvas(t.Context(), req, func(float64) {})
	if _, blamed := errors.AsType[*media.Failure](err); blamed || !errors.Is(err, trouble) {
		t.Error(err)
	}
}
