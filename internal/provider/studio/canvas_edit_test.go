package studio_test

import (
	"errors"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"stele/internal/media"
	"stele/internal/provider/studio"
	"stele/internal/race"
)

// The quarters of photo, far from its stripes and its disc.
var quarters = map[string]color.NRGBA{"red": {200, 40, 40, 255}, "green": {40, 160, 60, 255}, "blue": {40, 70, 200, 255}, "yellow": {220, 190, 60, 255}}

func edited(t *testing.T, fields string, files ...[]byte) made {
	t.Helper()
	return make1(t, asked(t, `{"model":"stele/canvas","mode":"image_to_image",`+fields+`}`, files...))
}

// near reports whether the picture shows about this colour at a share of its size.
func near(m image.Image, x, y float64, want color.NRGBA) bool {
	c := at(m, int(x*float64(m.Bounds().Dx()-1)), int(y*float64(m.Bounds().Dy()-1)))
	d := func(a, b uint8) float64 { return math.Abs(float64(a) - float64(b)) }
	return d(c.R, want.R)+d(c.G, want.G)+d(c.B, want.B)+d(c.A, want.A) < 40
}

func TestShapes(t *testing.T) {
	t.Parallel()
	source := asPNG(t, photo(120, 80))
	for fields, want := range map[string]struct {
		size    image.Point
		corners [4]string // upper left, upper right, lower left, lower right: the colour just inside
	}{
		`"rotate":90`:                              {image.Pt(80, 120), [4]string{"blue", "", "yellow", "green"}},
		`"rotate":-90`:                             {image.Pt(80, 120), [4]string{"green", "yellow", "", "blue"}},
		`"rotate":180`:                             {image.Pt(120, 80), [4]string{"yellow", "blue", "green", ""}},
		`"flip":"horizontal"`:                      {image.Pt(120, 80), [4]string{"green", "", "yellow", "blue"}},
		`"flip":"vertical"`:                        {image.Pt(120, 80), [4]string{"blue", "yellow", "", "green"}},
		`"flip":"both"`:                            {image.Pt(120, 80), [4]string{"yellow", "blue", "green", ""}},
		`"crop":"1:1","gravity":"right"`:           {image.Pt(80, 80), [4]string{"", "green", "", "yellow"}},
		`"crop":"16:9","gravity":"top"`:            {image.Pt(120, 68), [4]string{"", "green", "blue", "yellow"}},
		`"width":60`:                               {image.Pt(60, 40), [4]string{"", "green", "blue", "yellow"}},
		`"height":160`:                             {image.Pt(240, 160), [4]string{"", "green", "blue", "yellow"}},
		`"width":50,"height":50,"fit":"fill"`:      {image.Pt(50, 50), [4]string{"", "green", "blue", "yellow"}},
		`"width":50,"height":50,"fit":"inside"`:    {image.Pt(50, 33), [4]string{"", "green", "blue", "yellow"}},
		`"width":50,"height":50`:                   {image.Pt(50, 50), [4]string{"", "green", "blue", "yellow"}},
		`"upscale":"2x"`:                           {image.Pt(240, 160), [4]string{"", "green", "blue", "yellow"}},
		`"upscale":"4x","width":100`:               {image.Pt(400, 268), [4]string{"", "green", "blue", "yellow"}},
		`"prompt":"rotate it to the left, please"`: {image.Pt(80, 120), [4]string{"green", "yellow", "", "blue"}},
	} {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			m := edited(t, fields, source)
			if got := m.Bounds().Size(); got != want.size {
				t.Errorf("%v, want %v", got, want.size)
			}
			for i, name := range want.corners {
				if x, y := 0.04+0.92*float64(i%2), 0.05+0.9*float64(i/2); name != "" && !near(m, x, y, quarters[name]) {
					t.Errorf("corner %d is not %s", i, name)
				}
			}
		})
	}
}

func TestATurnedPictureKeepsItsCorners(t *testing.T) {
	t.Parallel()
	m := edited(t, `"rotate":45,"background":"#00ff00"`, asPNG(t, photo(100, 100)))
	if got := m.Bounds().Size(); got.X < 141 || got.X > 143 || got.X != got.Y {
		t.Errorf("%v", got)
	}
	if !near(m, 0.02, 0.02, color.NRGBA{0, 255, 0, 255}) || near(m, 0.5, 0.1, color.NRGBA{0, 255, 0, 255}) {
		t.Error("the background is not where it should be")
	}
	if hollow := edited(t, `"rotate":45,"background":"transparent"`, asJPEG(t, photo(100, 100))); hollow.kind != "image/png" || at(hollow, 1, 1).A != 0 {
		t.Errorf("%s with %v in the corner", hollow.kind, at(hollow, 1, 1))
	}
}

func TestContainAddsBackground(t *testing.T) {
	t.Parallel()
	m := edited(t, `"width":200,"height":60,"fit":"contain","background":"navy"`, asPNG(t, photo(120, 80)))
	if m.Bounds().Size() != image.Pt(200, 60) || !near(m, 0.02, 0.5, color.NRGBA{0, 0, 128, 255}) || !near(m, 0.68, 0.05, quarters["green"]) {
		t.Error(m.Bounds(), at(m, 4, 30))
	}
}

func TestLight(t *testing.T) {
	t.Parallel()
	source := asPNG(t, photo(90, 60))
	plain := photo(90, 60)
	level := func(m image.Image) (sum, spread, color float64) {
		n := 0.0
		for y := range 60 {
			for x := range 90 {
				c := at(m, x, y)
				v := 0.2126*float64(c.R) + 0.7152*float64(c.G) + 0.0722*float64(c.B)
				sum, spread, n = sum+v, spread+v*v, n+1
				color += math.Abs(float64(c.R)-float64(c.G)) + math.Abs(float64(c.G)-float64(c.B))
			}
		}
		return sum / n, spread/n - sum*sum/n/n, color / n
	}
	light, spread, hue := level(plain)
	for fields, ok := range map[string]func(l, s, h float64) bool{
		`"brightness":40`:            func(l, _, _ float64) bool { return l > light+15 },
		`"brightness":-40`:           func(l, _, _ float64) bool { return l < light-15 },
		`"contrast":40`:              func(_, s, _ float64) bool { return s > spread*1.2 },
		`"contrast":-40`:             func(_, s, _ float64) bool { return s < spread*0.8 },
		`"saturation":50`:            func(_, _, h float64) bool { return h > hue*1.1 },
		`"saturation":-50`:           func(_, _, h float64) bool { return h < hue*0.7 },
		`"grayscale":true`:           func(_, _, h float64) bool { return h < 1 },
		`"blur":6`:                   func(l, s, _ float64) bool { return s < spread*0.9 && math.Abs(l-light) < 3 },
		`"blur":20`:                  func(l, s, _ float64) bool { return s < spread*0.6 && math.Abs(l-light) < 6 },
		`"sharpen":2`:                func(l, s, _ float64) bool { return s > spread*1.05 && math.Abs(l-light) < 6 },
		`"tint":"blue"`:              func(l, _, _ float64) bool { return math.Abs(l-light) < 40 },
		`"prompt":"much brighter"`:   func(l, _, _ float64) bool { return l > light+20 },
		`"prompt":"black and white"`: func(_, _, h float64) bool { return h < 1 },
	} {
		if l, s, h := level(edited(t, fields, source)); !ok(l, s, h) {
			t.Errorf("%s: light %.1f → %.1f, spread %.0f → %.0f, colour %.1f → %.1f", fields, light, l, spread, s, hue, h)
		}
	}
	if m := edited(t, `"tint":"#0000ff","tint_strength":1`, source); at(m, 80, 10).B < at(m, 80, 10).R+40 {
		t.Errorf("not blue: %v", at(m, 80, 10))
	}
}

func TestComposed(t *testing.T) {
	t.Parallel()
	wide, tall, small := asPNG(t, photo(120, 80)), asJPEG(t, photo(60, 90)), asPNG(t, photo(40, 40))
	for fields, want := range map[string]image.Point{
		`"compose":"row","gap":10`:            {135 + 60 + 90 + 20, 90},
		`"compose":"column","gap":10`:         {120, 80 + 180 + 120 + 20},
		`"compose":"side_by_side","gap":6`:    {3*120 + 12, 80},
		`"compose":"grid","gap":6`:            {2*120 + 6, 2*80 + 6},
		`"prompt":"a collage of these"`:       {2*120 + 16, 2*80 + 16},
		`"compose":"row","gap":0,"width":570`: {570, 180},
	} {
		if m := edited(t, fields, wide, tall, small); m.Bounds().Size() != want {
			t.Errorf("%s: %v, want %v", fields, m.Bounds().Size(), want)
		}
	}
	m := edited(t, `"compose":"grid","gap":20,"background":"#ff00ff"`, wide, tall, small)
	if !near(m, 0.5, 0.1, color.NRGBA{255, 0, 255, 255}) || near(m, 0.5, 0.9, color.NRGBA{255, 0, 255, 255}) {
		t.Error("the last row does not fill the width, or there is no gap in the first")
	}
}

func TestCornersAreRoundAndClear(t *testing.T) {
	t.Parallel()
	m := edited(t, `"corner_radius":50`, asPNG(t, photo(100, 100)))
	for i := range 4 {
		if c := at(m, i%2*99, i/2*99); c.A != 0 {
			t.Errorf("corner %d is %v", i, c)
		}
	}
	if at(m, 50, 2).A < 250 || at(m, 50, 97).A < 250 || at(m, 97, 50).A < 250 {
		t.Error("a side is cut off")
	}
	if j := edited(t, `"corner_radius":50,"output_format":"jpeg","background":"#00ff00"`, asPNG(t, photo(100, 100))); !near(j, 0, 0, color.NRGBA{0, 255, 0, 255}) {
		t.Errorf("jpeg corner is %v", at(j, 0, 0))
	}
}

func TestWordsStandWhereTheyAreAsked(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	plain := image.NewRGBA(image.Rect(0, 0, 300, 200))
	for i := range plain.Pix {
		plain.Pix[i] = 255
	}
	source := asPNG(t, plain)
	long := strings.Repeat("all the words of a long story ", 30)
	for fields, want := range map[string]image.Rectangle{
		`"overlay_text":"Hi there","text_shadow":false,"text_position":"top_left"`:     image.Rect(0, 0, 150, 60),
		`"overlay_text":"Hi there","text_shadow":false,"text_position":"bottom_right"`: image.Rect(150, 140, 300, 200),
		`"overlay_text":"Hi there","text_shadow":false,"text_position":"center"`:       image.Rect(75, 60, 225, 140),
		`"prompt":"Hi there","prompt_as_text":true,"text_position":"top_right"`:        image.Rect(150, 0, 300, 60),
		`"watermark":"me"`: image.Rect(220, 150, 300, 200),
		`"watermark":"me","watermark_position":"top"`:                                image.Rect(100, 0, 200, 50),
		`"overlay_text":"` + long + `","text_shadow":false,"text_size":40`:           image.Rect(8, 8, 292, 192),
		`"overlay_text":"` + strings.Repeat("endless", 60) + `","text_shadow":false`: image.Rect(8, 8, 292, 192),
	} {
		m := edited(t, fields, source)
		inked := image.Rectangle{}
		for y := range 200 {
			for x := range 300 {
				if at(m, x, y).R < 250 {
					inked = inked.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
		if inked.Empty() || !inked.In(want) {
			t.Errorf("%.60s: ink in %v, want it in %v", fields, inked, want)
		}
	}
}

func TestWhatCannotBeEditedIsTheClientsFault(t *testing.T) {
	t.Parallel()
	good := asPNG(t, photo(90, 60))
	for body, files := range map[string][][]byte{
		`"grayscale":false`:                         {good},
		`"prompt":"make it nicer"`:                  {good},
		`"compose":"grid"`:                          {good},
		`"tint":"quite blue"`:                       {good},
		`"blur":1,"background":"#12"`:               {good},
		`"overlay_text":"x","text_color":"#gggggg"`: {good},
		`"blur":1`:                                  {[]byte("<svg/>")},
		`"blur":2`:                                  {good[:len(good)/2]},
		`"upscale":"4x","width":1100`:               {good},
		`"blur":3`:                                  {bomb(t)},
	} {
		_, err := studio.Canvas(t.Context(), asked(t, `{"model":"stele/canvas","mode":"image_to_image",`+body+`}`, files...), func(float64) {})
		if failure, ok := errors.AsType[*media.Failure](err); !ok || failure.Class != media.BadInput || failure.Message == "" {
			t.Errorf("%s: %v", body, err)
		}
	}
}
