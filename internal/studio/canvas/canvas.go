// Package canvas designs pictures: it takes words and mood from a prompt, chooses
// colours and a layout, and draws. All chance comes from the seed, so that an order
// always gives the same picture, and the same composition at every size. It must
// not know requests, files or formats.
package canvas

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"image"
	"math"
	"math/rand/v2"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
	swatch "stele/internal/studio/palette"
)

// Auto leaves a choice to the prompt and the seed.
const Auto = "auto"

// Order is a picture to be drawn.
type Order struct {
	W, H    int
	Prompt  string
	Text    string // to be set instead of the prompt's words
	Bare    bool   // no words at all
	Style   string // Auto or one of Styles
	Palette string // Auto or one of Palettes
	Seed    uint32
}

// Check reports a style or palette that there is not.
func (o Order) Check() error {
	if style := cmp.Or(o.Style, Auto); style != Auto && layouts[style] == nil {
		return fmt.Errorf("there is no style %q", o.Style)
	}
	if _, known := swatch.FindSwatch(o.Palette); !known && cmp.Or(o.Palette, Auto) != Auto {
		return fmt.Errorf("there is no palette %q", o.Palette)
	}
	return nil
}

// layout is a way to compose a picture.
type layout func(*sheet)

var layouts = map[string]layout{
	"poster":      drawPoster,
	"card":        drawCard,
	"quote":       drawQuote,
	"gradient":    drawField,
	"bauhaus":     drawBauhaus,
	"waves":       drawWaves,
	"topographic": drawTopographic,
	"halftone":    drawHalftone,
	"isometric":   drawIsometric,
	"grid":        drawGrid,
	"type":        drawTypographic,
	"orbit":       drawOrbit,
	"landscape":   drawLandscape,
}

// Draw draws a picture. It reports how far it is from 0 to 1, and gives up when ctx
// ends, which is its only error for an order that Check accepts.
func Draw(ctx context.Context, o Order, report func(float64)) (*image.RGBA, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	s := newSheet(ctx, o, report)
	layouts[s.style](s)
	s.step(0.9)
	if s.err != nil {
		return nil, s.err
	}
	out, err := s.page.Image(ctx)
	if err == nil {
		report(1)
	}
	return out, err
}

// newSheet makes the decisions that come before any layout: words, style, colours.
func newSheet(ctx context.Context, o Order, report func(float64)) *sheet {
	s := &sheet{ctx: ctx, order: o, mood: moodOf(o.Prompt + " " + o.Text), hand: lettering.New(), report: report}
	s.w, s.h = float64(o.W), float64(o.H)
	s.u = min(s.w, s.h)
	s.t = min(math.Sqrt(s.w*s.h), 1.5*s.u)
	switch {
	case o.Bare:
	case o.Text != "":
		s.words = takeWords(o.Text)
	default:
		s.words = wordsOf(o.Prompt)
	}
	s.style = cmp.Or(o.Style, Auto)
	if s.style == Auto {
		s.style = s.mood.style(s.words, s.chance("style"))
	}
	name, free := o.Palette, false
	if cmp.Or(name, Auto) == Auto {
		name, free = s.mood.palette(s.chance("palette")), true
	}
	s.pal = paletteOf(name, free, s.chance("accents"))
	s.page = ink.New(o.W, o.H, s.pal.paper)
	s.step(0.05)
	return s
}

// chance is the dice for one decision. Each decision has its own, so that one that
// is made by the client does not change the others.
func (s *sheet) chance(decision string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.order.Prompt + "\x00" + decision))
	return rand.New(rand.NewPCG(uint64(s.order.Seed), h.Sum64())) //nolint:gosec // the same seed must give the same picture
}
