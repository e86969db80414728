package retouch_test

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"testing"

	"stele/internal/studio/retouch"
)

// noisy is a picture in which every pixel differs.
func noisy(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	seed := uint32(1)
	for i := range m.Pix {
		seed = seed*1664525 + 1013904223
		m.Pix[i] = uint8(seed >> 24)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

func mean(m *image.RGBA) (sum float64) {
	for _, v := range m.Pix {
		sum += float64(v)
	}
	return sum / float64(len(m.Pix))
}

func TestTheSameSizeIsTheSamePicture(t *testing.T) {
	t.Parallel()
	m := noisy(61, 47)
	out, err := retouch.Resize(t.Context(), m, 61, 47)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range m.Pix {
		if out.Pix[i] != v {
			t.Fatalf("byte %d is %d, was %d", i, out.Pix[i], v)
		}
	}
}

func TestSizesKeepTheLight(t *testing.T) {
	t.Parallel()
	m := noisy(200, 160)
	for _, size := range []image.Point{{20, 16}, {1, 1}, {7, 300}, {800, 640}, {199, 161}} {
		out, err := retouch.Resize(t.Context(), m, size.X, size.Y)
		if err != nil || out.Rect.Size() != size || math.Abs(mean(out)-mean(m)) > 4 {
			t.Errorf("%v: %v, light %.1f → %.1f, %v", size, out.Rect, mean(m), mean(out), err)
		}
	}
}

// A clear pixel has no colour to give to its neighbours.
func TestClearPixelsDoNotBleed(t *testing.T) {
	t.Parallel()
	m := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for y := range 40 {
		for x := range 20 {
			m.SetRGBA(x, y, color.RGBA{255, 255, 255, 255})
		}
	}
	out, err := retouch.Resize(t.Context(), m, 13, 13)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(out.Pix); i += 4 {
		if p := out.Pix[i : i+4]; p[0] != p[3] || p[1] != p[3] || p[2] != p[3] {
			t.Fatalf("a grey edge: %v", p)
		}
	}
}

func TestBlurIsAsWideAsItSays(t *testing.T) {
	t.Parallel()
	for _, sigma := range []float64{1, 3, 6, 15, 30} {
		m := image.NewRGBA(image.Rect(0, 0, 301, 301))
		for i := 3; i < len(m.Pix); i += 4 {
			m.Pix[i] = 255
		}
		for y := range 301 { // half white
			for x := range 150 {
				m.SetRGBA(x, y, color.RGBA{255, 255, 255, 255})
			}
		}
		out, err := retouch.Blur(t.Context(), m, sigma)
		if err != nil {
			t.Fatal(err)
		}
		// One sigma beyond an edge a bell curve leaves 16 % of it.
		got := float64(out.RGBAAt(150+int(sigma), 150).R) / 255
		want := 0.5 * math.Erfc((math.Trunc(sigma)+0.5)/sigma/math.Sqrt2)
		if math.Abs(got-want) > 0.05 {
			t.Errorf("sigma %v: %.2f beyond the edge, want %.2f", sigma, got, want)
		}
	}
}

func TestFourQuarterTurnsAreNone(t *testing.T) {
	t.Parallel()
	m := noisy(30, 20)
	out := m
	for range 4 {
		var err error
		if out, err = retouch.Rotate(t.Context(), out, 90, color.RGBA{}); err != nil {
			t.Fatal(err)
		}
	}
	if string(out.Pix) != string(m.Pix) {
		t.Error("something moved")
	}
}

func TestBusiestFindsWhatThereIsToSee(t *testing.T) {
	t.Parallel()
	m := image.NewRGBA(image.Rect(0, 0, 300, 100))
	detail := noisy(80, 80)
	for y := range 80 {
		for x := range 80 {
			m.SetRGBA(x+210, y+10, detail.RGBAAt(x, y))
		}
	}
	at, err := retouch.Busiest(t.Context(), m, 1)
	if err != nil || at.X < 0.9 {
		t.Errorf("%v %v", at, err)
	}
	if cut := retouch.Crop(m, 1, at); cut.Rect.Size() != image.Pt(100, 100) || cut.RGBAAt(50, 50).A == 0 {
		t.Errorf("%v %v", cut.Rect, cut.RGBAAt(50, 50))
	}
}

// compose arranges pictures that are all there.
func compose(t *testing.T, all []*image.RGBA, a retouch.Arrangement) (*image.RGBA, error) {
	t.Helper()
	var sizes []image.Point
	for _, m := range all {
		sizes = append(sizes, m.Rect.Size())
	}
	return retouch.Compose(t.Context(), sizes, func(i int) (*image.RGBA, error) { return all[i], nil }, a)
}

func TestPicturesInAGridHaveTheSameSize(t *testing.T) {
	t.Parallel()
	red := image.NewRGBA(image.Rect(0, 0, 100, 80))
	draw.Draw(red, red.Rect, image.NewUniform(color.RGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
	for n := 2; n <= 8; n++ {
		var all []*image.RGBA
		for range n {
			all = append(all, red)
		}
		out, err := compose(t, all, retouch.Arrangement{Kind: "grid", Gap: 10, Most: 4096})
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for y := range out.Rect.Dy() {
			for x := range out.Rect.Dx() {
				if out.RGBAAt(x, y) == (color.RGBA{255, 0, 0, 255}) {
					shown++
				}
			}
		}
		if shown != n*100*80 {
			t.Errorf("%d pictures of 8000 pixels show %d", n, shown)
		}
	}
}

func TestAComposedPictureIsNeverTooLarge(t *testing.T) {
	t.Parallel()
	var all []*image.RGBA
	for i := range 8 {
		all = append(all, noisy(60+50*i, 300-30*i))
	}
	for _, kind := range []string{"grid", "row", "column", "side_by_side"} {
		for n := 2; n <= 8; n++ {
			for _, most := range []int{4096, 400} {
				out, err := compose(t, all[:n], retouch.Arrangement{Kind: kind, Gap: 12, Most: most})
				if err != nil || max(out.Rect.Dx(), out.Rect.Dy()) > most {
					t.Errorf("%s of %d: %v %v", kind, n, out.Rect, err)
				}
			}
		}
	}
}
