package canvas

import (
	"math"
	"slices"

	"stele/internal/studio/ink"
)

// readable is the contrast that words have at least.
const readable = 4.5

// findLegible finds the colour for words in boxes, one below the other: the one that was
// asked for if it can be read there, else the clearest of the picture's own. Where
// nothing can be read well enough the page is toned down towards the nearest edge.
func (s *sheet) findLegible(want ink.Color, boxes ...box) ink.Color {
	if want == (ink.Color{}) {
		want = s.pal.ink
	}
	contrastOf := func(c ink.Color) float64 {
		least := math.Inf(1)
		for _, b := range boxes {
			least = min(least, s.contrast(b, c))
		}
		return least
	}
	for range 9 {
		best, contrast := want, contrastOf(want)
		if contrast >= readable {
			return best
		}
		for _, c := range []ink.Color{s.pal.ink, s.pal.paper, ink.White, ink.LCH{L: .16, C: .02, H: 280}.Color()} {
			if found := contrastOf(c); found > contrast {
				best, contrast = c, found
			}
		}
		if contrast >= readable {
			return best
		}
		want = best
		last := boxes[len(boxes)-1]
		s.veil(box{boxes[0].x, boxes[0].y, boxes[0].w, last.bottom() - boxes[0].y}.inset(-0.015*s.u), best)
	}
	return want
}

// veil darkens or lightens the page under words that are to be of a colour: a slope
// from the edge they stand at, as a photographer would burn in a corner.
func (s *sheet) veil(b box, words ink.Color) {
	tone := s.pal.tones()[0].Mix(ink.Black, 0.35)
	if words.Luminance() < 0.2 {
		tones := s.pal.tones()
		tone = tones[len(tones)-1].Mix(ink.White, 0.35)
	}
	soft := 0.3 * s.u
	veil := tone.Tone()
	near := func(v, from, to, edge float64) float64 { // 1 inside, falling outside, never at the page's own edge
		if v < from && from > 0.25*edge || v > to && to < 0.75*edge {
			return 1 - ink.Smooth(0, soft, max(from-v, v-to))
		}
		return 1
	}
	s.wash(s.page.Bounds(), func(x, y int) (ink.Tone, float64) {
		fx, fy := float64(x), float64(y)
		fall := near(fy, b.y, b.y+b.h, s.h)
		if b.w < 0.5*s.w && s.wideness() > 1.2 {
			fall *= near(fx, b.x, b.x+b.w, s.w)
		}
		return veil, 0.22 * fall
	})
}

// contrast is the least contrast of a colour with what a box shows, but for a few
// pixels of it.
func (s *sheet) contrast(b box, c ink.Color) float64 {
	seen := s.luminances(b)
	if len(seen) == 0 {
		return math.Inf(1)
	}
	dark, light := seen[len(seen)*2/100], seen[len(seen)*98/100]
	own := c.Luminance()
	ratio := func(other float64) float64 { return (max(own, other) + 0.05) / (min(own, other) + 0.05) }
	return min(ratio(dark), ratio(light))
}

// luminances are those of pixels spread over a box, from dark to light.
func (s *sheet) luminances(b box) []float64 {
	area := b.pixels().Intersect(s.page.Bounds())
	step := max(1, max(area.Dx(), area.Dy())/64)
	var seen []float64
	for y := area.Min.Y; y < area.Max.Y; y += step {
		for x := area.Min.X; x < area.Max.X; x += step {
			seen = append(seen, s.page.At(x, y).Color().Luminance())
		}
	}
	slices.Sort(seen)
	return seen
}
