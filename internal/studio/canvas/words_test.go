package canvas

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"stele/internal/studio/ink"
	swatch "stele/internal/studio/palette"
)

// prompts are short, long, empty, foreign and hostile.
var prompts = []string{
	"Jazz",
	"Quiet harbour",
	"Make something wonderful every day — notes on craft",
	"A lighthouse at dusk with fishing boats coming home and gulls over the water",
	"Electroencephalographically speaking",
	"Москва слезам не верит",
	"静かな海、静かな夜",
	"हिन्दी में एक पोस्टर",
	"שלום עולם 2026",
	"🌸🔥",
	"W",
	strings.Repeat("unbreakable", 60),
	strings.Repeat("so many words to say ", 200),
	`"The best way to predict the future is to invent it" — Alan Kay`,
}

// TestWordsAreSeenAndInside draws every style with every prompt in formats from one
// extreme to the other, and looks at all words just before they are drawn: they are
// inside the page, and stand out from what is under them.
func TestWordsAreSeenAndInside(t *testing.T) {
	t.Parallel()
	formats := [][2]int{{256, 256}, {256, 110}, {144, 256}, {420, 236}, {128, 900}, {900, 128}, {300, 200}}
	for _, style := range Styles() {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			for i, prompt := range prompts {
				f := formats[i%len(formats)]
				look(t, Order{W: f[0], H: f[1], Prompt: prompt, Style: style, Seed: uint32(7 * i), Palette: Palettes()[i%len(Palettes())]})
			}
		})
	}
}

func look(t *testing.T, o Order) {
	t.Helper()
	s := newSheet(t.Context(), o, func(float64) {})
	n := 0
	s.watch = func(b box, c ink.Color) {
		n++
		what := fmt.Sprintf("%s %s %dx%d seed %d %.20q", o.Style, o.Palette, o.W, o.H, o.Seed, o.Prompt)
		edge := 0.02 * s.u
		if b.x < edge || b.y < edge || b.right() > s.w-edge || b.bottom() > s.h-edge {
			t.Errorf("%s: words in %.0f", what, b)
		}
		if found := s.contrast(b, c); found < readable-0.1 {
			t.Errorf("%s: contrast %.2f", what, found)
		}
	}
	layouts[s.style](s)
	if s.err != nil {
		t.Fatal(s.err)
	}
	if drawable := s.words.title != "" && !strings.Contains(o.Prompt, "🌸"); drawable != (n > 0) {
		t.Errorf("%s %dx%d %.20q: %d pieces of text", o.Style, o.W, o.H, o.Prompt, n)
	}
}

func TestTheWordsOfAPrompt(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][2]string{
		"quiet harbour":  {"Quiet harbour", ""},
		"Quiet harbour.": {"Quiet harbour", ""},
		"Open air cinema: four nights under stars":                                                         {"Open air cinema", "Four nights under stars"},
		"Notes on craft — a series":                                                                        {"Notes on craft", "A series"},
		"First line\nsecond line\nthird":                                                                   {"First line", "second line third"},
		"a poster of a red fox":                                                                            {"A red fox", ""},
		"Create a vintage travel poster for Lisbon in the morning sun":                                     {"Lisbon in the morning sun", ""},
		"a red fox, 8k, highly detailed, trending on artstation":                                           {"A red fox", ""},
		`a neon sign that says "Open late" in the rain`:                                                    {"Open late", ""},
		`"Less, but better" - Dieter Rams`:                                                                 {"Less, but better", "Dieter Rams"},
		"A lighthouse at dusk with fishing boats coming home":                                              {"A lighthouse at dusk", "with fishing boats coming home"},
		"The old man walks along the shore every single morning before anybody else has opened their eyes": {"The old man walks", "along the shore every single morning before anybody else has opened their eyes"},
		"🌸": {"", ""},
	} {
		if got := wordsOf(prompt); got.title != want[0] || got.sub != want[1] {
			t.Errorf("%q: %q / %q", prompt, got.title, got.sub)
		}
	}
	if got := takeWords("a poster of nothing, 8k"); got.title != "A poster of nothing, 8k" {
		t.Errorf("a text that was given is cut: %q", got.title)
	}
}

func TestMoods(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]mood{
		"Waves of the ocean":     {palettes: []string{"ocean", "ocean"}, styles: []string{"waves", "waves"}},
		"pine trees at night":    {palettes: []string{"forest", "forest", "midnight"}, styles: []string{"landscape", "landscape"}},
		"nothing in particular":  {},
		"Star-crossed, in space": {palettes: []string{"midnight", "midnight"}, styles: []string{"orbit", "orbit"}},
	} {
		got := moodOf(prompt)
		if fmt.Sprint(got.palettes, got.styles) != fmt.Sprint(want.palettes, want.styles) {
			t.Errorf("%q: %v %v", prompt, got.palettes, got.styles)
		}
	}
	for word, h := range hints {
		if h.palette != "" {
			if _, ok := swatch.FindSwatch(h.palette); !ok {
				t.Errorf("%s: no palette %q", word, h.palette)
			}
		}
		if h.style != "" && layouts[h.style] == nil {
			t.Errorf("%s: no style %q", word, h.style)
		}
	}
}

// Styles lists the names of layouts.
func Styles() []string { return slices.Sorted(maps.Keys(layouts)) }
