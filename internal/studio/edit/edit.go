// Package edit is what can be asked for pictures: an order that is put together from
// parameters and plain words, and carried out with the tools of retouch. It must not know
// requests or how pictures are stored.
package edit

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"stele/internal/studio/retouch"
)

// Edit is what is to be done with pictures, in the order it is done.
type Edit struct {
	Crop    float64 // width over height; 0 for none
	Gravity string  // a name of retouch.Anchors, or auto
	Rotate  float64
	Flip    string

	Compose    string // one of retouch's arrangements; "" or none to leave each for itself
	Gap        int
	Background color.RGBA

	Width, Height int
	Fit           string
	Upscale       int // times; 0 for none

	Light         retouch.Light
	Blur, Sharpen float64

	Caption   retouch.Caption
	Watermark retouch.Mark
	Corners   float64 // in parts of the shorter side

	Format  string // "" or auto for that of the source
	Quality int
}

// Refusal is a sentence for the client that says why an order cannot be carried out.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Idle reports whether nothing would change.
func (e *Edit) Idle() bool {
	l := e.Light
	still := !l.Gray && l.Tint == nil && l.Brightness == 0 && l.Contrast == 0 && l.Saturation == 0
	shape := e.Crop == 0 && math.Mod(e.Rotate, 360) == 0 && (e.Flip == "" || e.Flip == "none") && e.Width == 0 && e.Height == 0 && e.Upscale == 0
	return still && shape && !e.Composes() && e.Blur == 0 && e.Sharpen == 0 && e.Caption.Text == "" && e.Watermark.Text == "" &&
		e.Corners == 0 && (e.Format == "" || e.Format == "auto")
}

// Composes reports whether several pictures become one.
func (e *Edit) Composes() bool { return e.Compose != "" && e.Compose != "none" }

// AnchorOf finds an anchor by its name.
func AnchorOf(name, otherwise string) retouch.Anchor {
	if p, ok := retouch.Anchors[name]; ok {
		return p
	}
	return retouch.Anchors[otherwise]
}

// Shape is width over height, written as 16:9.
func Shape(ratio string) (float64, bool) {
	a, b, _ := strings.Cut(ratio, ":")
	w, errW := strconv.ParseFloat(a, 64)
	h, errH := strconv.ParseFloat(b, 64)
	ok := errW == nil && errH == nil && w >= 1 && h >= 1 && w/h <= 10 && h/w <= 10
	return w / h, ok
}

// Color reads a colour: #rgb, #rrggbb, #rrggbbaa, a name of CSS, or transparent. What
// it gives is premultiplied.
func Color(text string) (c color.RGBA, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "transparent" {
		return color.RGBA{}, true
	}
	if c, ok := colornames.Map[text]; ok {
		return c, true
	}
	hex := strings.TrimPrefix(text, "#")
	if len(hex) == 3 || len(hex) == 4 {
		var long strings.Builder
		for _, r := range hex {
			long.WriteString(strings.Repeat(string(r), 2))
		}
		hex = long.String()
	}
	if len(hex) == 6 {
		hex += "ff"
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 8 {
		return color.RGBA{}, false
	}
	r, g, b, a := color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}.RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}, true
}
