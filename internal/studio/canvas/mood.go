package canvas

import (
	"math/rand/v2"
	"strings"
	"unicode"
)

// mood is what the words of a prompt suggest.
type mood struct {
	palettes []string
	styles   []string
	things   map[string]bool // to be seen in a landscape
}

// hint is what a word suggests.
type hint struct{ palette, style, thing string }

// hints finds the hint of a word.
var hints = func() map[string]hint {
	found := make(map[string]hint)
	for _, s := range suggestions {
		for word := range strings.FieldsSeq(s.words) {
			found[word] = s.hint
		}
	}
	return found
}()

var suggestions = []struct {
	hint
	words string
}{
	{hint{"ocean", "waves", "sea"}, "sea ocean wave surf water whale"},
	{hint{"sand", "landscape", "sea"}, "beach"},
	{hint{"ocean", "landscape", "sea"}, "coast harbour harbor lake island river"},
	{hint{"dusk", "landscape", "lighthouse"}, "lighthouse"},
	{hint{"", "landscape", "sea"}, "boat ship sail"},
	{hint{"", "landscape", "mountains"}, "mountain peak"},
	{hint{"ice", "landscape", "mountains"}, "alps mist fog"},
	{hint{"forest", "landscape", "hills"}, "hill valley countryside field meadow"},
	{hint{"", "landscape", "hills"}, "landscape"},
	{hint{"forest", "landscape", "trees"}, "forest tree pine wood jungle"},
	{hint{"forest", "", "trees"}, "garden"},
	{hint{"sand", "landscape", "dunes"}, "desert dune canyon"},
	{hint{"dusk", "landscape", "sun"}, "sunset sunrise dusk dawn"},
	{hint{"citrus", "", "sun"}, "sun summer"},
	{hint{"", "landscape", "sun"}, "horizon"},
	{hint{"midnight", "", "stars"}, "night"},
	{hint{"midnight", "orbit", "stars"}, "star space galaxy cosmos planet orbit universe astronomy"},
	{hint{"midnight", "", "moon"}, "moon"},
	{hint{"midnight", "landscape", "stars"}, "aurora"},
	{hint{"midnight", "orbit", ""}, "solar rocket"},
	{hint{"", "orbit", ""}, "atom"},
	{hint{"", "isometric", "city"}, "city building tower architecture street"},
	{hint{"dusk", "landscape", "city"}, "skyline"},
	{hint{"", "isometric", ""}, "data block cube server 3d"},
	{hint{"neon", "isometric", ""}, "game"},
	{hint{"", "topographic", ""}, "map terrain expedition contour topographic"},
	{hint{"forest", "topographic", ""}, "trail hike earth"},
	{hint{"primary", "halftone", ""}, "comic"},
	{hint{"candy", "halftone", ""}, "pop"},
	{hint{"", "halftone", ""}, "retro print"},
	{hint{"sand", "halftone", ""}, "vintage"},
	{hint{"mono", "halftone", ""}, "punk photo"},
	{hint{"ember", "halftone", ""}, "rock"},
	{hint{"primary", "bauhaus", ""}, "bauhaus modernist jazz"},
	{hint{"", "bauhaus", ""}, "geometric abstract music pattern"},
	{hint{"paper", "grid", ""}, "design swiss"},
	{hint{"", "grid", ""}, "grid system conference"},
	{hint{"neon", "grid", ""}, "tech"},
	{hint{"", "type", ""}, "typography typographic lettering font word"},
	{hint{"", "quote", ""}, "quote said saying"},
	{hint{"candy", "card", ""}, "birthday party"},
	{hint{"", "card", ""}, "invitation thank welcome card"},
	{hint{"rose", "card", ""}, "wedding"},
	{hint{"ice", "gradient", ""}, "calm"},
	{hint{"dusk", "gradient", ""}, "dream"},
	{hint{"paper", "gradient", ""}, "minimal"},
	{hint{"", "gradient", ""}, "ambient meditation gradient"},
	{hint{"ember", "", ""}, "fire lava red orange"},
	{hint{"ember", "landscape", "mountains"}, "volcano"},
	{hint{"ember", "landscape", "trees"}, "autumn"},
	{hint{"ice", "landscape", "snow"}, "snow winter"},
	{hint{"ice", "", "snow"}, "ice"},
	{hint{"ocean", "", "rain"}, "rain"},
	{hint{"neon", "", ""}, "neon future cyber"},
	{hint{"neon", "isometric", "city"}, "cyberpunk"},
	{hint{"rose", "", ""}, "love rose flower heart pink"},
	{hint{"citrus", "", ""}, "lemon fruit yellow"},
	{hint{"sand", "", ""}, "coffee brown"},
	{hint{"candy", "", "hills"}, "spring"},
	{hint{"forest", "", ""}, "green"},
	{hint{"ocean", "", ""}, "blue teal"},
	{hint{"dusk", "", ""}, "purple violet"},
	{hint{"mono", "", ""}, "black white gray grey monochrome"},
	{hint{"midnight", "", ""}, "gold dark"},
	{hint{"candy", "", ""}, "pastel"},
}

// moodOf reads the words of a prompt.
func moodOf(prompt string) mood {
	m := mood{things: make(map[string]bool)}
	words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, word := range words[:min(len(words), 400)] {
		h, ok := hints[word]
		for _, end := range []string{"s", "es", "y", "ing"} {
			if stem, cut := strings.CutSuffix(word, end); !ok && cut {
				h, ok = hints[stem]
			}
		}
		if !ok {
			continue
		}
		if h.palette != "" {
			m.palettes = append(m.palettes, h.palette)
		}
		if h.style != "" {
			m.styles = append(m.styles, h.style)
		}
		if h.thing != "" {
			m.things[h.thing] = true
		}
	}
	m.things["sea"] = m.things["sea"] || m.things["lighthouse"]
	return m
}

// palette is one of those that were suggested, or any.
func (m mood) palette(r *rand.Rand) string {
	if len(m.palettes) > 0 {
		return m.palettes[r.IntN(len(m.palettes))]
	}
	all := Palettes()
	return all[r.IntN(len(all))]
}

// style is one of those that were suggested, or one that suits the words.
func (m mood) style(w wording, r *rand.Rand) string {
	if w.quoted && len([]rune(w.title)) > 40 {
		return "quote"
	}
	if len(m.styles) > 0 {
		return m.styles[r.IntN(len(m.styles))]
	}
	some := []string{"poster", "poster", "gradient", "bauhaus", "waves", "topographic", "halftone", "isometric", "grid", "type", "orbit", "card"}
	if len(w.title) > 40 || w.quoted {
		some = append(some, "quote", "quote")
	}
	return some[r.IntN(len(some))]
}
