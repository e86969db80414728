// Package clip draws moving pictures and packs them into films: scenes that are
// functions of time, the workers that draw and encode them in order, WebM and
// animated WebP. Everything comes from a script and its seed: the same script gives
// the same bytes. It must not know requests, files or sound's making.
package clip

import (
	"math/rand/v2"
)

// Scene is a moving picture: what is seen at a time, in seconds. Draw paints all of
// the sheet, keeps nothing, and is called for several sheets at once.
type Scene interface {
	Draw(s *Sheet, at float64)
}

// Script is what a scene is made from.
type Script struct {
	Width, Height int
	Seconds       float64
	Text          string // "" for none
	Palette       Palette
	Seed          uint64
	Beat          float64 // seconds between beats of the music, 0 for none
}

func (s *Script) chance(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(s.Seed, stream)) }

// shorterSide is the shorter side: what sizes go by.
func (s *Script) shorterSide() float64 { return float64(min(s.Width, s.Height)) }

// styles are the ways to stage a text, and the words that ask for them.
var styles = []struct {
	name, words string
	stage       func(Script) Scene
}{
	{"aurora", "aurora calm soft dream gradient smooth gentle light sky dawn peace meditation breath", newAurora},
	{"kinetic", "kinetic bold loud sale now new big fast energy launch announcement type typography words stop go", newKinetic},
	{"particles", "particles network data science stars universe snow dust connect ai technology space code", newParticles},
	{"waves", "waves sea ocean sunset sunrise water river mountains hills island landscape horizon beach", newWaves},
	{"rings", "rings circle orbit planet pulse sound music radar time clock focus loop echo", newRings},
	{"retro", "retro synthwave neon arcade eighties 80s drive night city cyber disco vapor game", newRetro},
	{"shapes", "shapes bauhaus geometry pattern mosaic design art museum tiles abstract architecture play", newShapes},
}

// Styles lists the names of the styles.
func Styles() []string {
	var names []string
	for _, s := range styles {
		names = append(names, s.name)
	}
	return names
}

// StyleFor is a style by its name; for "auto", one that the words ask for, or else
// one by chance.
func StyleFor(name, words string, seed uint64) string {
	pick, best := int(chanceAt(seed, 7, 1)*float64(len(styles))), 0
	asked := wordsIn(words)
	for i, s := range styles {
		if s.name == name {
			return name
		}
		if hits := asked.hits(s.words); hits > best {
			pick, best = i, hits
		}
	}
	return styles[pick].name
}

// Stage makes the scene of a style.
func Stage(style string, s Script) Scene {
	for _, known := range styles {
		if known.name == style {
			return known.stage(s)
		}
	}
	return newAurora(s)
}
