package clip

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"stele/internal/studio/ink"
	"stele/internal/studio/palette"
)

// Palette is a family of colours that go together.
type Palette struct {
	Name                  string
	Back, Deep, Mid, Soft ink.Color // from the ground up to what glows in it
	Accent                ink.Color // for the one thing to look at
	Ink                   ink.Color // of text on Back and Deep
	Light                 bool      // dark ink on a light ground
}

// palettes are the swatches that suit a film, whether its ground is light, and the words
// that ask for it.
var palettes = []struct {
	name  string
	light bool
	words string
}{
	{"ember", false, "ember fire flame sunset sunrise dawn autumn fall warm desert volcano lava copper orange hot summer coffee"},
	{"ocean", false, "ocean sea water river lake rain wave waves blue ship sail beach swim deep fish cloud sky data"},
	{"forest", false, "forest tree trees green garden nature leaf leaves mountain mountains hill moss spring plant grow jungle bird birds"},
	{"dusk", false, "dusk evening twilight purple violet dream dreams magic mystery galaxy wine royal"},
	{"midnight", false, "midnight night moon star stars space dark universe quiet silence sleep cosmos planet"},
	{"neon", false, "neon cyber retro synth arcade disco party club electric future code laser robot city game eighties"},
	{"rose", true, "rose love heart wedding pink romance kiss flower flowers blossom tender mother valentine"},
	{"ice", true, "ice snow winter cold frost glacier arctic crystal clear clean fresh morning air"},
	{"sand", true, "sand paper linen calm tea book story history travel wood bread letter"},
	{"candy", true, "candy fun play happy joy birthday kids child children sweet toy rainbow ice-cream balloon hello welcome"},
	{"citrus", true, "citrus lemon lime fruit sun sunny energy yellow fresh sport run launch new sale"},
	{"mono", false, "mono black white grey gray silver minimal noir photo film shadow steel"},
}

// Palettes lists the names of the palettes.
func Palettes() []string {
	var names []string
	for _, p := range palettes {
		names = append(names, p.name)
	}
	return names
}

// PaletteFor is the palette of a name; for "auto", one that the words ask for, or else
// one by chance.
func PaletteFor(name, words string, chance *rand.Rand) Palette {
	pick, best := chance.IntN(len(palettes)), 0
	asked := wordsIn(words)
	for i, p := range palettes {
		if p.name == name {
			return paletteOf(name, p.light)
		}
		if hits := asked.hits(p.words); hits > best {
			best, pick = hits, i
		}
	}
	return paletteOf(palettes[pick].name, palettes[pick].light)
}

// paletteOf takes a film's colours from a swatch: its accents by how light they are, and
// between them and the ground one that text can still be read on.
func paletteOf(name string, light bool) Palette {
	s, _ := palette.FindSwatch(name)
	back, text := s.Paper, s.Ink
	if light != (back.L > text.L) {
		back, text = text, back
	}
	accents := slices.SortedFunc(slices.Values(s.Accents[:]), func(a, b ink.LCH) int { return cmp.Compare(a.L, b.L) })
	mid, soft, accent := accents[2], accents[3], accents[0]
	if !light {
		first := slices.IndexFunc(accents[:2], func(c ink.LCH) bool { return c.L >= 0.45 })
		if first < 0 {
			first = 2
		}
		mid, soft, accent = accents[first], accents[first+1], accents[3]
	}
	deep := ink.LCH{L: lerp(back.L, mid.L, 0.27), C: 0.55 * mid.C, H: mid.H}
	return Palette{
		Name: name, Back: back.Color(), Deep: deep.Color(), Mid: mid.Color(), Soft: soft.Color(), Accent: accent.Color(),
		Ink: text.Color(), Light: light,
	}
}

// said is the words of a text, in lower case.
type said map[string]bool

// wordsIn finds the words of a text.
func wordsIn(text string) said {
	words := make(said)
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	}) {
		words[w] = true
	}
	return words
}

// hits counts the words of a list that were said.
func (s said) hits(list string) int {
	n := 0
	for w := range strings.FieldsSeq(list) {
		if s[w] {
			n++
		}
	}
	return n
}
