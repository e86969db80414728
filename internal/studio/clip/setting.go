package clip

import (
	"strings"
	"unicode"

	"stele/internal/studio/lettering"
)

// Box is a part of the sheet.
type Box struct{ X, Y, W, H float64 }

// Setting is text set in lines: words at their places.
type Setting struct {
	Words []lettering.Word
	Lines int
	Size  float64
	Box   Box // what it really fills
}

// Type is how a text is set in its box.
type Type struct {
	Face  lettering.Face
	Lines int     // at most
	Most  float64 // the greatest size
	Align float64 // 0 for left, 0.5 for the middle, 1 for right
	Caps  bool
}

// Set fits a text into the middle of a box: all of it, as large as it can be.
func Set(text string, box Box, t Type) *Setting {
	hand := lettering.Hand{} // without the machine's fonts: a text is Readable
	b := hand.Fit(text, box.W, box.H, lettering.Style{
		Face: t.Face, Leading: 1.12, Align: t.Align, Lines: t.Lines, Caps: t.Caps, Min: min(1, t.Most), Max: t.Most,
	})
	if b.Empty() {
		return &Setting{Box: box}
	}
	y := box.Y + (box.H-b.H)/2
	return &Setting{
		Words: hand.Words(b, box.X, y, box.W), Lines: len(b.Lines), Size: b.Size,
		Box: Box{box.X + (box.W-b.W)*t.Align, y, b.W, b.H},
	}
}

// Readable is the text without what the fonts cannot show, its spaces single. Marks
// that would stand alone go as well.
func Readable(text string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Mn, r):
			return -1
		case !lettering.Has(lettering.Bold, r):
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

// Phrases cuts a text into pieces of at most n words, at its own pauses where it has
// any, so that no piece is much shorter than the others.
func Phrases(text string, n int) []string {
	var parts, open []string
	finish := func() {
		pieces := (len(open) + n - 1) / n
		for i := range pieces {
			parts = append(parts, strings.Join(open[i*len(open)/pieces:(i+1)*len(open)/pieces], " "))
		}
		open = nil
	}
	for word := range strings.FieldsSeq(text) {
		bare := strings.TrimRight(word, ".,;:—–")
		if bare != "" && strings.Trim(bare, "0123456789") == "" && strings.HasSuffix(word, ".") {
			bare = word // the 24. of a month ends nothing
		}
		if bare != "" {
			open = append(open, bare)
		}
		if bare != word || strings.HasSuffix(word, "!") || strings.HasSuffix(word, "?") {
			finish()
		}
	}
	finish()
	return parts
}
