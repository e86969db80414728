package clip

import (
	"image"
	"math"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Typeface is one of the built-in fonts.
type Typeface int

// The typefaces.
const (
	Bold Typeface = iota
	Medium
	Mono
)

var typefaces = sync.OnceValue(func() (list [3]*opentype.Font) {
	for i, src := range [][]byte{gobold.TTF, gomedium.TTF, gomono.TTF} {
		f, err := opentype.Parse(src)
		if err != nil {
			panic(err) // the fonts are part of the program
		}
		list[i] = f
	}
	return list
})

// face opens a typeface at a size in pixels.
func (t Typeface) face(size float64) font.Face {
	f, err := opentype.NewFace(typefaces()[t], &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err) // only for sizes that no one asks for
	}
	return f
}

// Readable is the text without what the fonts cannot show, its spaces single. Marks
// that would stand alone go as well.
func Readable(text string) string {
	f := typefaces()[Bold]
	var b sfnt.Buffer
	clean := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Mn, r) {
			return -1
		}
		if i, err := f.GlyphIndex(&b, r); err != nil || i == 0 {
			return ' '
		}
		return r
	}, text)
	words := strings.Fields(clean)
	kept := words[:0]
	for _, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) || len(words) < 2 {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// Word is some text, ready to be drawn at any place.
type Word struct {
	Text          string
	X, Y          float64 // where its line begins, as it was set
	Width, Height float64 // as far as it advances; of its capitals
	mask          *image.Alpha
	left, top     float64 // of the mask, from X, Y
}

// cut draws the text once, large enough for all frames.
func cut(f font.Face, text string, size float64) Word {
	bounds, advance := font.BoundString(f, text)
	w := Word{Text: text, Width: float64(advance) / 64, Height: size * 0.72}
	left, top := bounds.Min.X.Floor()-1, bounds.Min.Y.Floor()-1
	right, bottom := bounds.Max.X.Ceil()+1, bounds.Max.Y.Ceil()+1
	w.mask = image.NewAlpha(image.Rect(0, 0, max(right-left, 1), max(bottom-top, 1)))
	w.left, w.top = float64(left), float64(top)
	d := font.Drawer{Dst: w.mask, Src: image.Opaque, Face: f, Dot: fixed.P(-left, -top)}
	d.DrawString(text)
	return w
}

// Write draws a word with the start of its line at x, y, scaled around there.
func (s *Sheet) Write(w *Word, x, y, scale float64, c Colour, alpha float64) {
	s.WriteWithin(w, x, y, scale, c, alpha, s.Rect)
}

// WriteWithin is Write for what falls into a part of the sheet.
func (s *Sheet) WriteWithin(w *Word, x, y, scale float64, c Colour, alpha float64, part image.Rectangle) {
	full := int32(min(alpha, 1) * 256)
	if full <= 0 || scale <= 0 {
		return
	}
	x, y = x+w.left*scale, y+w.top*scale
	mw, mh := w.mask.Rect.Dx(), w.mask.Rect.Dy()
	area := image.Rect(int(math.Floor(x)), int(math.Floor(y)), int(math.Ceil(x+float64(mw)*scale))+1, int(math.Ceil(y+float64(mh)*scale))+1)
	area = area.Intersect(s.Rect).Intersect(part)
	step := int32(65536 / scale)
	for py := area.Min.Y; py < area.Max.Y; py++ {
		v := (float64(py)+0.5-y)/scale - 0.5
		j := int(math.Floor(v))
		fy := int32((v - float64(j)) * 256)
		a, b := row(w.mask, j), row(w.mask, j+1)
		u := int32(((float64(area.Min.X)+0.5-x)/scale - 0.5) * 65536)
		o := py*s.Stride + area.Min.X*4
		for px := area.Min.X; px < area.Max.X; px++ {
			i, fx := int(u>>16), (u>>8)&255
			m := blendRows(a, b, i, fx, fy)
			if m > 0 {
				s.blend(o, c, (m*full+254)/255)
			}
			u += step
			o += 4
		}
	}
}

func row(m *image.Alpha, j int) []uint8 {
	if j < 0 || j >= m.Rect.Dy() {
		return nil
	}
	return m.Pix[j*m.Stride:][:m.Rect.Dx()]
}

func blendRows(a, b []uint8, i int, fx, fy int32) int32 {
	p, q := between(a, i, fx), between(b, i, fx)
	return (p + ((q-p)*fy)>>8) >> 8
}

// between reads a row between two of its points, times 256.
func between(a []uint8, i int, f int32) int32 {
	var p, q int32
	if uint(i) < uint(len(a)) {
		p = int32(a[i])
	}
	if uint(i+1) < uint(len(a)) {
		q = int32(a[i+1])
	}
	return p<<8 + (q-p)*f
}
