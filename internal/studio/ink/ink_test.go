package ink_test

import (
	"context"
	"errors"
	"image"
	"math"
	"sync/atomic"
	"testing"

	"stele/internal/studio/ink"
)

func TestColoursComeBack(t *testing.T) {
	t.Parallel()
	for _, c := range []ink.Color{{R: 1}, {G: 1}, {B: 1}, {R: 0.2, G: 0.5, B: 0.8}, ink.White, ink.Black} {
		got := c.LCH().Color()
		if math.Abs(got.R-c.R)+math.Abs(got.G-c.G)+math.Abs(got.B-c.B) > 0.01 {
			t.Errorf("%v became %v", c, got)
		}
	}
	// The published values of OKLCH for pure red.
	if v := (ink.Color{R: 1}).LCH(); math.Abs(v.L-0.628) > 0.002 || math.Abs(v.C-0.2577) > 0.002 || math.Abs(v.H-29.23) > 0.2 {
		t.Errorf("red is %v", v)
	}
}

func TestWhatAScreenCannotShowLosesChromaOnly(t *testing.T) {
	t.Parallel()
	want := ink.LCH{L: 0.7, C: 0.4, H: 150}
	got := want.Color().LCH()
	if math.Abs(got.L-want.L) > 0.01 || math.Abs(got.H-want.H) > 1 || got.C >= want.C {
		t.Errorf("%v became %v", want, got)
	}
}

func TestReadableIsReadable(t *testing.T) {
	t.Parallel()
	if c := ink.Contrast(ink.Black, ink.White); math.Abs(c-21) > 0.01 {
		t.Errorf("black on white: %.2f", c)
	}
	for h := 0.0; h < 360; h += 20 {
		paper := ink.LCH{L: 0.3 + h/600, C: 0.12, H: h}.Color()
		c := ink.LCH{L: 0.5, C: 0.1, H: 360 - h}.Color().Readable(paper, 4.5)
		if got := ink.Contrast(c, paper); got < 4.5 {
			t.Errorf("hue %.0f: %.2f", h, got)
		}
	}
}

// A gradient of four steps over a thousand pixels shows no steps: every small part
// of it has the mean that it should have.
func TestGradientsHaveNoBands(t *testing.T) {
	t.Parallel()
	p := ink.New(1024, 32, ink.Black)
	from, to := ink.Color{R: 0.4, G: 0.4, B: 0.4}, ink.Color{R: 0.416, G: 0.416, B: 0.416}
	if err := p.Flood(t.Context(), ink.NewRamp(from, to).Linear(ink.Point{}, ink.Point{X: 1024})); err != nil {
		t.Fatal(err)
	}
	m, err := p.Image(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for x := 0; x < 1024; x += 32 {
		want, sum := 0.0, 0.0
		for i := range 32 * 32 {
			sum += float64(m.RGBAAt(x+i%32, i/32).R)
			want += 255 * float64(p.At(x+i%32, i/32)[0]) / 65535
		}
		if d := math.Abs(sum-want) / 1024; d > 0.12 {
			t.Errorf("at %d the mean is off by %.2f of a step", x, d)
		}
	}
}

func TestPlainAreasStayPlain(t *testing.T) {
	t.Parallel()
	p := ink.New(64, 64, ink.LCH{L: 0.63, C: 0.2, H: 33}.Color())
	m, err := p.Image(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := 4; i < len(m.Pix); i++ {
		if m.Pix[i] != m.Pix[i%4] {
			t.Fatal("a plain page has more than one colour")
		}
	}
}

// covered counts how much of a page is covered, in pixels.
func covered(p *ink.Page) (sum float64) {
	for y := range p.H {
		for x := range p.W {
			sum += float64(p.At(x, y)[0]) / 65535
		}
	}
	return sum
}

func TestPathsCoverTheirArea(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		draw func(p *ink.Path)
		area float64
	}{
		"circle":  {func(p *ink.Path) { p.Circle(50, 50, 30) }, math.Pi * 900},
		"ring":    {func(p *ink.Path) { p.Ring(50, 50, 30, 10) }, math.Pi * (35*35 - 25*25)},
		"wedge":   {func(p *ink.Path) { p.Wedge(50, 50, 40, 90, 180) }, math.Pi * 400},
		"stroke":  {func(p *ink.Path) { p.Stroke([]ink.Point{{X: 20, Y: 50}, {X: 50, Y: 50}, {X: 80, Y: 50}}, 10) }, 600 + math.Pi*25},
		"outside": {func(p *ink.Path) { p.Rect(-5000, -5000, 5050, 5050) }, 2500},
		"beyond":  {func(p *ink.Path) { p.Rect(500, 500, 10, 10) }, 0},
		"round":   {func(p *ink.Path) { p.Round(10, 10, 80, 80, 20) }, 6400 - (4-math.Pi)*400},
		"overlap": {func(p *ink.Path) { p.Rect(10, 10, 50, 50); p.Rect(10, 10, 50, 50) }, 2500},
	} {
		page, path := ink.New(100, 100, ink.Black), new(ink.Path)
		c.draw(path)
		if err := page.Lay(t.Context(), path, ink.Solid(ink.White), 1); err != nil {
			t.Fatal(err)
		}
		if got := covered(page); math.Abs(got-c.area) > 0.01*c.area+3 {
			t.Errorf("%s covers %.0f, want %.0f", name, got, c.area)
		}
	}
}

func TestAClippedPageKeepsTheRest(t *testing.T) {
	t.Parallel()
	page, path := ink.New(100, 100, ink.Black), new(ink.Path)
	path.Rect(0, 0, 100, 100)
	whole := page.Clip(image.Rect(20, 20, 40, 40))
	if err := page.Lay(t.Context(), path, ink.Solid(ink.White), 1); err != nil {
		t.Fatal(err)
	}
	whole()
	if got := covered(page); math.Abs(got-400) > 0.5 {
		t.Errorf("%.1f pixels", got)
	}
}

func TestAShadowIsSoftAndKeepsItsWeight(t *testing.T) {
	t.Parallel()
	page, path := ink.New(200, 200, ink.Black), new(ink.Path)
	path.Rect(80, 80, 40, 40)
	if err := page.Shadow(t.Context(), path, ink.White, 8, ink.Point{}, 1); err != nil {
		t.Fatal(err)
	}
	if got := covered(page); math.Abs(got-1600) > 160 {
		t.Errorf("%.0f pixels of shadow", got)
	}
	if edge := page.At(80, 100)[0]; edge < 20000 || edge > 45000 {
		t.Errorf("its edge is %d", edge)
	}
}

func TestWorkEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var bands atomic.Int32
	err := ink.Bands(ctx, 1<<20, func(int, int) { bands.Add(1); cancel() })
	if !errors.Is(err, context.Canceled) || bands.Load() > 64 {
		t.Errorf("%v after %d bands", err, bands.Load())
	}
}

func TestNoiseIsItsSeeds(t *testing.T) {
	t.Parallel()
	a, b, low, high := ink.NewNoise(1), ink.NewNoise(2), 0.0, 0.0
	same := 0
	for i := range 2000 {
		x, y := float64(i%50)*0.37, float64(i/50)*0.41
		v := a.At(x, y)
		low, high = min(low, v), max(high, v)
		if v == b.At(x, y) {
			same++
		}
		if g := a.Grain(i%50, i/50); g < -1 || g > 1 {
			t.Fatalf("grain %v", g)
		}
	}
	if low < -1.2 || high > 1.2 || high-low < 1 || same > 20 {
		t.Errorf("from %.2f to %.2f, %d the same", low, high, same)
	}
}
