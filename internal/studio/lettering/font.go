// Package lettering sets words in type: which glyphs, how far apart, where lines
// break, and how large all of it can be. Words never leave the box they are given.
// It must not know pictures or requests.
package lettering

import (
	"sync"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// Face is a typeface in one weight.
type Face int

// The faces that are part of the program: Latin, Greek and Cyrillic.
const (
	Regular Face = iota
	Medium
	Bold
	Italic
	BoldItalic
	Mono
	MonoBold
)

var faces = [...]func() *sfnt.Font{
	Regular:    loadOnce(goregular.TTF),
	Medium:     loadOnce(gomedium.TTF),
	Bold:       loadOnce(gobold.TTF),
	Italic:     loadOnce(goitalic.TTF),
	BoldItalic: loadOnce(gobolditalic.TTF),
	Mono:       loadOnce(gomono.TTF),
	MonoBold:   loadOnce(gomonobold.TTF),
}

func loadOnce(ttf []byte) func() *sfnt.Font {
	return sync.OnceValue(func() *sfnt.Font {
		f, err := sfnt.Parse(ttf)
		if err != nil {
			panic(err) // the fonts are part of the program
		}
		return f
	})
}

// Hand sets type. It remembers the glyphs it has drawn and is for one goroutine.
type Hand struct {
	Spare  func() []*sfnt.Font // asked in order for what a face does not have; nil for none
	glyphs map[key]*glyph
	buf    sfnt.Buffer
}

type key struct {
	face Face
	r    rune
}

// New is a hand with the machine's own fonts for what the faces do not have.
func New() *Hand { return &Hand{Spare: spare} }
