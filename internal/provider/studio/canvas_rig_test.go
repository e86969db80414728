package studio_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"net/http"
	"testing"

	"github.com/deepteams/webp"

	"stele/internal/media"
	"stele/internal/provider/studio"
)

// parsed is a request's body as it is read.
func parsed(t *testing.T, body string) media.Ask {
	t.Helper()
	fields, err := media.Fields([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	ask, err := media.Parse(fields)
	if err != nil {
		t.Fatal(err)
	}
	return ask
}

// asked is a request as a client writes it, checked against the model's file.
func asked(t *testing.T, body string, files ...[]byte) media.Request {
	t.Helper()
	ask := parsed(t, body)
	for range files {
		ask.Media = append(ask.Media, media.Given{Field: "image_urls", URL: "photo"})
	}
	return checked(t, modelOf(t, "canvas.yaml"), &ask, func(i int) []byte { return files[i] })
}

// made is an output that was read back.
type made struct {
	image.Image
	file []byte
	kind string
	media.Output
}

func make1(t *testing.T, req media.Request) made {
	t.Helper()
	return makeAll(t, req)[0]
}

func makeAll(t *testing.T, req media.Request) []made {
	t.Helper()
	outputs, err := studio.Canvas(t.Context(), req, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	var list []made
	for _, o := range outputs {
		r, err := o.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		file, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		m := made{file: file, kind: http.DetectContentType(file), Output: o}
		switch m.kind {
		case "image/png":
			m.Image, err = png.Decode(bytes.NewReader(file))
		case "image/jpeg":
			m.Image, err = jpeg.Decode(bytes.NewReader(file))
		case "image/webp":
			m.Image, err = webp.Decode(bytes.NewReader(file))
		}
		if err != nil || m.Image == nil {
			t.Fatalf("%s: %v", m.kind, err)
		}
		if o.Type != m.kind || o.Kind != "image" || image.Pt(o.Width, o.Height) != m.Bounds().Size() {
			t.Errorf("output says %s %s %dx%d, the file is %s %v", o.Kind, o.Type, o.Width, o.Height, m.kind, m.Bounds())
		}
		list = append(list, m)
	}
	return list
}

// photo is a picture with something to see: four coloured quarters, fine stripes in
// the upper left, and a disc in the lower right.
func photo(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	quarters := [4]color.RGBA{{200, 40, 40, 255}, {40, 160, 60, 255}, {40, 70, 200, 255}, {220, 190, 60, 255}}
	for y := range h {
		for x := range w {
			c := quarters[2*y/h*2+2*x/w]
			if 2*x < w && 2*y < h && x/3%2 == 0 {
				c = color.RGBA{240, 230, 220, 255}
			}
			if math.Hypot(float64(x)-0.75*float64(w), float64(y)-0.75*float64(h)) < 0.15*float64(h) {
				c = color.RGBA{20, 20, 30, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

func asPNG(t *testing.T, m image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return png.Encode(w, m) })
}

func asJPEG(t *testing.T, m image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: 92}) })
}

func asGIF(t *testing.T, m image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return gif.Encode(w, m, nil) })
}

func asWebP(t *testing.T, m image.Image) []byte {
	return encoded(t, func(w io.Writer) error { return webp.Encode(w, m, webp.DefaultOptions()) })
}

func encoded(t *testing.T, encode func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// difference is how far two pictures of one size are apart, from 0 to 255.
func difference(a, b image.Image) float64 {
	if a.Bounds().Size() != b.Bounds().Size() {
		return 255
	}
	sum, n := 0.0, 0
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := at(a, x, y), at(b, x, y)
			sum += math.Abs(float64(p.R)-float64(q.R)) + math.Abs(float64(p.G)-float64(q.G)) + math.Abs(float64(p.B)-float64(q.B)) + math.Abs(float64(p.A)-float64(q.A))
			n += 4
		}
	}
	return sum / float64(n)
}

// alike reports whether no pixel differs.
func alike(a, b image.Image) bool {
	if a.Bounds().Size() != b.Bounds().Size() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if at(a, x, y) != at(b, x, y) {
				return false
			}
		}
	}
	return true
}

func at(m image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(m.At(m.Bounds().Min.X+x, m.Bounds().Min.Y+y)).(color.NRGBA)
}
