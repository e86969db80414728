package clip

import (
	"math/rand/v2"
	"strings"
	"unicode"
)

// Palette is a family of colours that go together.
type Palette struct {
	Name                  string
	Back, Deep, Mid, Soft Colour // from the ground up to what glows in it
	Accent                Colour // for the one thing to look at
	Ink                   Colour // of text on Back and Deep
	Light                 bool   // dark ink on a light ground
}

// recipe makes a palette: lightness, strength and hue of each colour.
type recipe struct {
	name                          string
	back, deep, mid, soft, accent [3]float64
	light                         bool
	words                         string // that ask for it
}

var recipes = []recipe{
	{"ember", p(.17, .05, 20), p(.30, .11, 18), p(.58, .20, 32), p(.76, .17, 62), p(.88, .15, 88), false,
		"ember fire flame sunset sunrise dawn autumn fall warm desert volcano lava copper orange hot summer coffee"},
	{"ocean", p(.18, .05, 255), p(.31, .09, 250), p(.55, .13, 235), p(.76, .12, 205), p(.90, .11, 185), false,
		"ocean sea water river lake rain wave waves blue ship sail beach swim deep fish cloud sky data"},
	{"forest", p(.18, .04, 160), p(.30, .07, 158), p(.52, .12, 150), p(.76, .16, 135), p(.90, .16, 115), false,
		"forest tree trees green garden nature leaf leaves mountain mountains hill moss spring plant grow jungle bird birds"},
	{"dusk", p(.17, .07, 290), p(.30, .12, 295), p(.52, .18, 320), p(.72, .16, 10), p(.88, .11, 60), false,
		"dusk evening twilight purple violet dream dreams magic mystery galaxy wine royal"},
	{"midnight", p(.14, .03, 270), p(.24, .07, 272), p(.45, .15, 275), p(.68, .13, 260), p(.93, .06, 95), false,
		"midnight night moon star stars space dark universe quiet silence sleep cosmos planet"},
	{"neon", p(.14, .05, 300), p(.26, .13, 305), p(.58, .27, 345), p(.78, .16, 195), p(.92, .19, 110), false,
		"neon cyber retro synth arcade disco party club electric future code laser robot city game eighties"},
	{"rose", p(.95, .02, 20), p(.90, .05, 15), p(.74, .15, 12), p(.84, .09, 40), p(.53, .20, 15), true,
		"rose love heart wedding pink romance kiss flower flowers blossom tender mother valentine"},
	{"ice", p(.96, .015, 230), p(.91, .03, 225), p(.75, .10, 230), p(.85, .07, 200), p(.45, .16, 258), true,
		"ice snow winter cold frost glacier arctic crystal clear clean fresh morning air"},
	{"sand", p(.95, .025, 85), p(.89, .045, 80), p(.73, .10, 65), p(.83, .07, 90), p(.50, .14, 40), true,
		"sand paper linen calm tea book story history travel wood bread letter"},
	{"candy", p(.95, .03, 340), p(.90, .06, 330), p(.76, .15, 350), p(.83, .12, 200), p(.55, .24, 300), true,
		"candy fun play happy joy birthday kids child children sweet toy rainbow ice-cream balloon hello welcome"},
	{"citrus", p(.95, .05, 105), p(.90, .12, 100), p(.82, .17, 85), p(.85, .18, 120), p(.48, .13, 145), true,
		"citrus lemon lime fruit sun sunny energy yellow fresh sport run launch new sale"},
	{"mono", p(.15, 0, 0), p(.27, 0, 0), p(.48, 0, 0), p(.74, 0, 0), p(.97, 0, 0), false,
		"mono black white grey gray silver minimal noir photo film shadow steel"},
}

func p(l, c, h float64) [3]float64 { return [3]float64{l, c, h} }

// Palettes lists the names of the palettes.
func Palettes() []string {
	var names []string
	for _, r := range recipes {
		names = append(names, r.name)
	}
	return names
}

// PaletteFor is the palette of a name; for "auto", one that the words ask for, or else
// one by chance.
func PaletteFor(name, words string, chance *rand.Rand) Palette {
	pick := chance.IntN(len(recipes))
	best := 0
	asked := Words(words)
	for i, r := range recipes {
		if r.name == name {
			return r.mix()
		}
		if hits := asked.hits(r.words); hits > best {
			best, pick = hits, i
		}
	}
	return recipes[pick].mix()
}

func (r recipe) mix() Palette {
	lch := func(v [3]float64) Colour { return LCH(v[0], v[1], v[2]) }
	out := Palette{
		Name: r.name, Back: lch(r.back), Deep: lch(r.deep), Mid: lch(r.mid), Soft: lch(r.soft), Accent: lch(r.accent), Light: r.light,
		Ink: LCH(.98, .01, r.back[2]),
	}
	if r.light {
		out.Ink = LCH(.22, min(r.accent[1], .06), r.accent[2])
	}
	return out
}

// Said is the words of a text, in lower case.
type Said map[string]bool

// Words finds the words of a text.
func Words(text string) Said {
	words := make(Said)
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	}) {
		words[w] = true
	}
	return words
}

// hits counts the words of a list that were said.
func (s Said) hits(list string) int {
	n := 0
	for w := range strings.FieldsSeq(list) {
		if s[w] {
			n++
		}
	}
	return n
}
