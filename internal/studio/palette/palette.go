// Package palette holds the colours that go together, by name: pictures and films take
// theirs from here. It must not know what is drawn with them.
package palette

import (
	"maps"
	"slices"

	"stele/internal/studio/ink"
)

// Swatch is the colours of one name.
type Swatch struct {
	Paper, Ink ink.LCH    // Ink is for words on Paper
	Accents    [4]ink.LCH // the first is the loudest
}

// FindSwatch finds a swatch by its name, and whether there is one.
func FindSwatch(name string) (Swatch, bool) {
	s, ok := swatches[name]
	return s, ok
}

// Names lists all, in order.
func Names() []string { return slices.Sorted(maps.Keys(swatches)) }

// swatches are chosen by eye.
var swatches = map[string]Swatch{
	"paper":    {lch(.962, .014, 85), lch(.22, .02, 60), [4]ink.LCH{lch(.63, .21, 32), lch(.46, .13, 255), lch(.80, .14, 85), lch(.55, .09, 165)}},
	"mono":     {lch(.97, 0, 0), lch(.17, 0, 0), [4]ink.LCH{lch(.20, 0, 0), lch(.46, 0, 0), lch(.70, 0, 0), lch(.85, 0, 0)}},
	"ember":    {lch(.21, .04, 28), lch(.95, .03, 80), [4]ink.LCH{lch(.69, .20, 42), lch(.57, .21, 27), lch(.83, .15, 78), lch(.40, .12, 20)}},
	"ocean":    {lch(.25, .055, 245), lch(.97, .015, 210), [4]ink.LCH{lch(.79, .13, 62), lch(.72, .12, 215), lch(.55, .13, 242), lch(.88, .07, 192)}},
	"forest":   {lch(.95, .022, 115), lch(.25, .045, 150), [4]ink.LCH{lch(.47, .10, 152), lch(.68, .15, 48), lch(.66, .13, 138), lch(.80, .12, 108)}},
	"dusk":     {lch(.27, .085, 300), lch(.96, .02, 60), [4]ink.LCH{lch(.71, .18, 25), lch(.62, .20, 345), lch(.84, .13, 70), lch(.50, .17, 295)}},
	"sand":     {lch(.93, .03, 80), lch(.29, .035, 50), [4]ink.LCH{lch(.64, .13, 45), lch(.79, .10, 75), lch(.55, .07, 205), lch(.46, .08, 35)}},
	"candy":    {lch(.965, .022, 350), lch(.32, .11, 325), [4]ink.LCH{lch(.73, .17, 358), lch(.82, .10, 205), lch(.88, .13, 95), lch(.70, .14, 300)}},
	"neon":     {lch(.16, .035, 285), lch(.97, .01, 200), [4]ink.LCH{lch(.70, .27, 335), lch(.86, .19, 155), lch(.76, .14, 218), lch(.90, .18, 108)}},
	"citrus":   {lch(.97, .04, 100), lch(.27, .05, 125), [4]ink.LCH{lch(.73, .18, 55), lch(.86, .18, 95), lch(.72, .17, 132), lch(.64, .21, 35)}},
	"primary":  {lch(.955, .02, 90), lch(.19, .01, 270), [4]ink.LCH{lch(.60, .23, 28), lch(.47, .17, 260), lch(.84, .17, 88), lch(.19, .01, 270)}},
	"ice":      {lch(.97, .012, 220), lch(.29, .06, 252), [4]ink.LCH{lch(.52, .14, 255), lch(.78, .08, 215), lch(.66, .10, 235), lch(.88, .05, 190)}},
	"rose":     {lch(.95, .02, 25), lch(.30, .09, 12), [4]ink.LCH{lch(.63, .19, 14), lch(.79, .11, 25), lch(.48, .14, 5), lch(.83, .08, 65)}},
	"midnight": {lch(.20, .05, 266), lch(.96, .02, 90), [4]ink.LCH{lch(.83, .14, 85), lch(.55, .16, 266), lch(.70, .12, 232), lch(.42, .12, 282)}},
}

func lch(l, c, h float64) ink.LCH { return ink.LCH{L: l, C: c, H: h} }
