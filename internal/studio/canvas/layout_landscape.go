package canvas

import (
	"math/rand/v2"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawLandscape draws a view of what the prompt names: mountains, sea, trees, a town, by day
// or by night, as the travel posters of a hundred years ago showed it.
func drawLandscape(s *sheet) {
	r := s.chance("landscape")
	if framed := r.IntN(2) == 0 && s.wideness() < 1.3 && s.words.title != ""; framed {
		s.drawFramed(r)
		return
	}
	t := setting{face: lettering.Bold, sub: lettering.Regular, leading: 1, track: -0.018, most: 0.14, lines: 3, subs: 2}
	words := s.plan(s.skyBox(0.42), t)
	v := newView(s, s.pageBox(), r)
	if !words.title.Empty() {
		v.horizon = max(v.horizon, words.bottom()+0.14*s.u)
	}
	v.words = words.box
	v.draw()
	s.print(words)
}

// drawFramed draws the view in a white frame, with its name below.
func (s *sheet) drawFramed(r *rand.Rand) {
	paper := s.pal.tones()[len(s.pal.tones())-1]
	s.flood(ink.Solid(paper))
	m := 0.055 * s.u
	_, foot := s.pageBox().inset(m).rows(0.72)
	t := setting{
		face: lettering.Bold, sub: lettering.Regular, caps: true, leading: 1.08, track: 0.06, most: 0.085, lines: 3, subs: 2,
		align: 0.5, anchor: 1, color: s.pal.tones()[0],
	}
	words := s.plan(box{foot.x, foot.y, foot.w, foot.h - 0.2*m}, t)
	b := box{m, m, s.w - 2*m, words.y - 2*m}
	b = box{float64(int(b.x)), float64(int(b.y)), float64(int(b.w)), float64(int(b.h))}
	s.drawInside(b, func() { newView(s, b, r).draw() })
	s.print(words)
}

// view is a landscape in a box.
type view struct {
	*sheet
	x, y, w, h       float64 // of the box
	r                *rand.Rand
	horizon          float64
	zenith, low      ink.Color // of the sky
	far, near        ink.Color // of the land
	lamp             ink.Color // of sun or moon
	night            bool
	words            box // to keep clear of
	lampX, lampY, lr float64
}

func newView(s *sheet, b box, r *rand.Rand) *view {
	v := &view{sheet: s, x: b.x, y: b.y, w: b.w, h: b.h, r: r, night: s.pal.dark && (s.mood.things["stars"] || s.mood.things["moon"])}
	v.horizon = b.y + b.h*(0.52+0.08*r.Float64())
	if s.mood.things["city"] {
		v.horizon = b.y + 0.7*b.h
	}
	tones := s.pal.tones()
	v.lamp = s.pal.warmest()
	switch {
	case v.night:
		v.zenith, v.low = s.pal.paper.Lighter(-0.03), s.pal.paper.Mix(s.pal.hue(1), 0.55)
		v.lamp = s.pal.ink
	case s.pal.dark: // dusk
		v.zenith, v.low = s.pal.paper.Lighter(0.06), s.pal.hue(0).Mix(s.pal.hue(1), 0.25)
		v.lamp = s.pal.hue(0).Mix(tones[len(tones)-1], 0.55)
	default: // day
		v.zenith, v.low = s.pal.paper.Mix(s.pal.hue(1), 0.5), s.pal.paper
	}
	v.near = s.deepest()
	v.far = v.low.Mix(v.near, 0.32).Mix(s.pal.hue(1), 0.25)
	return v
}

func (v *view) right() float64  { return v.x + v.w }
func (v *view) bottom() float64 { return v.y + v.h }

// draw draws from the back to the front.
func (v *view) draw() {
	things := v.mood.things
	sky := ink.NewRamp(v.zenith, v.zenith.Mix(v.low, 0.45), v.low)
	top := v.y
	if v.words.w > 0 { // behind the words the sky is even
		top = v.words.bottom()
	}
	v.wash(box{v.x, v.y, v.w, v.h}.pixels(), opaque(sky.Linear(ink.Point{Y: top}, ink.Point{Y: v.horizon})))
	v.step(0.15)
	if v.night || things["stars"] {
		v.strewStars(box{v.x, v.y, v.w, v.horizon - v.y}, 150, 0.8)
	}
	v.hangLight()
	v.step(0.3)
	if !v.night {
		v.drawClouds()
	}
	sea := things["sea"]
	switch {
	case things["dunes"]:
		v.drawRidges(dune, 4, sea)
	case things["hills"] && !things["mountains"]:
		v.drawRidges(hill, 4, sea)
	default:
		v.drawRidges(peak, 4, sea)
	}
	v.step(0.7)
	if things["city"] {
		v.drawTown()
	}
	if things["trees"] || (!sea && !things["dunes"] && !things["city"] && v.r.IntN(2) == 0) {
		v.drawWood()
	}
	if sea {
		v.drawBoat()
	}
	v.step(0.85)
	v.drawWeather()
}

func opaque(p ink.Paint) func(x, y int) (ink.Tone, float64) {
	return func(x, y int) (ink.Tone, float64) { return p(x, y), 1 }
}
