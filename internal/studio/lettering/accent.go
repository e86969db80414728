package lettering

import (
	"unicode"

	"golang.org/x/text/unicode/norm"

	"stele/internal/studio/ink"
)

// accents are the signs that stand for a combining mark where a font has no letter
// with it ready: whether the sign goes below, and its share of the size.
var accents = map[rune]struct {
	sign  rune
	below bool
	scale float64
}{
	'\u0300': {'`', false, 1},  // grave
	'\u0301': {'´', false, 1},  // acute
	'\u0302': {'ˆ', false, 1},  // circumflex
	'\u0303': {'˜', false, 1},  // tilde
	'\u0304': {'¯', false, .9}, // macron
	'\u0306': {'˘', false, 1},  // breve
	'\u0307': {'˙', false, 1},  // dot above
	'\u0308': {'¨', false, 1},  // diaeresis
	'\u0309': {'’', false, .6}, // hook above
	'\u030a': {'˚', false, 1},  // ring
	'\u030b': {'˝', false, 1},  // double acute
	'\u030c': {'ˇ', false, 1},  // caron
	'\u031b': {'’', false, .7}, // horn
	'\u0323': {'.', true, 1},   // dot below
	'\u0326': {',', true, .8},  // comma below
	'\u0327': {'¸', true, 1},   // cedilla
	'\u0328': {'˛', true, 1},   // ogonek
}

// putTogether puts a letter together from the longest part of it that the face has
// and the signs of the rest, so that ế is not a hole in the word.
func (h *Hand) putTogether(face Face, r rune) *glyph {
	parts := []rune(norm.NFD.String(string(r)))
	if len(parts) < 2 {
		return nil
	}
	f := faces[face]()
	for cut := len(parts) - 1; cut >= 1; cut-- {
		whole := []rune(norm.NFC.String(string(parts[:cut])))
		if len(whole) != 1 {
			continue
		}
		base := h.load(f, whole[0])
		if base == nil {
			continue
		}
		for _, sign := range parts[cut:] {
			h.crown(face, base, sign)
		}
		return base
	}
	return nil
}

// crown sets the sign of a combining mark above or below a letter.
func (h *Hand) crown(face Face, base *glyph, combining rune) {
	a, ok := accents[combining]
	if !ok {
		return
	}
	sign := h.load(faces[face](), a.sign)
	if sign == nil {
		return
	}
	sign.measure()
	base.measure()
	const gap = 0.05
	dx := (base.low.X+base.high.X)/2 - a.scale*(sign.low.X+sign.high.X)/2
	dy := base.low.Y - gap - a.scale*sign.high.Y
	switch {
	case a.below:
		dy = max(0, base.high.Y) + gap - a.scale*sign.low.Y
	case combining == '\u031b': // a horn stands at the shoulder
		dx = base.high.X - a.scale*(sign.low.X+sign.high.X)/2
		dy = base.low.Y - a.scale*(sign.low.Y+sign.high.Y)/2 + 0.04
	}
	var moved ink.Path
	moved.Append(&sign.path, a.scale, dx, dy)
	base.path.Append(&moved, 1, 0, 0)
}

// worthMarking reports whether a character carries meaning that a mark should
// stand for. Pictographs, signs and invisible characters are left out instead.
func worthMarking(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
