package clip_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"stele/internal/studio/clip"
	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// storm is the worst that can be filmed: nothing stays.
type storm struct{}

func (storm) Draw(s *clip.Sheet, at float64) {
	chance := rand.New(rand.NewPCG(1, uint64(at*1000)))
	for y := range s.H {
		row := s.Row(y)
		for x := range row {
			row[x] = ink.Tone{uint16(chance.Uint32()), uint16(chance.Uint32()), uint16(chance.Uint32())}
		}
	}
}

func size(t *testing.T, f *clip.Film) int {
	t.Helper()
	total := 0
	next := 0
	if err := f.VP8(t.Context(), func(first int, frames [][]byte) error {
		if first != next {
			t.Errorf("the group at %d comes after frame %d", first, next)
		}
		next += len(frames)
		for _, frame := range frames {
			total += len(frame)
		}
		return nil
	}, nil); err != nil {
		t.Fatal(err)
	}
	if next != f.Frames() {
		t.Errorf("%d frames of %d", next, f.Frames())
	}
	return total
}

func TestAFilmOfNoiseStaysSmall(t *testing.T) {
	t.Parallel()
	f := &clip.Film{Scene: storm{}, Width: 192, Height: 108, FPS: 12, Seconds: 3}
	raw := 192 * 108 * 3 / 2 * f.Frames()
	if n := size(t, f); n > raw/4 {
		t.Errorf("%d bytes of %d", n, raw)
	}
}

func TestAQuietFilmIsTiny(t *testing.T) {
	t.Parallel()
	s := script("aurora", 320, 180, 1)
	f := &clip.Film{Scene: clip.Stage("aurora", s), Width: 320, Height: 180, FPS: 12, Seconds: 3}
	if n := size(t, f); n > 3*50<<10 {
		t.Errorf("%d bytes for three seconds of slow light", n)
	}
}

func TestEveryStyleShowsItsTextAndItsSeed(t *testing.T) {
	t.Parallel()
	draw := func(style string, s clip.Script) []byte {
		sheet := clip.NewSheet(s.Width, s.Height)
		clip.Stage(style, s).Draw(sheet, 3)
		return sheet.Frame().Pix
	}
	for _, style := range clip.Styles() {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			for _, size := range [][2]int{{192, 108}, {108, 192}, {128, 128}} {
				s := script(style, size[0], size[1], 4)
				with := draw(style, s)
				if !bytes.Equal(with, draw(style, s)) {
					t.Error("the same script gives another picture")
				}
				bare := s
				bare.Text = ""
				if bytes.Equal(with, draw(style, bare)) {
					t.Error("the text is not seen")
				}
				other := s
				other.Seed++
				if bytes.Equal(with, draw(style, other)) {
					t.Error("the seed makes no difference")
				}
				later := clip.NewSheet(s.Width, s.Height)
				clip.Stage(style, s).Draw(later, 3.3)
				if bytes.Equal(with, later.Frame().Pix) {
					t.Error("nothing moves")
				}
				for _, text := range []string{strings.Repeat("Many words make a long text. ", 20), "A", "Donaudampfschifffahrtsgesellschaftskapitän", "!"} {
					long := s
					long.Text = clip.Readable(text)
					for _, at := range []float64{0, 2, 5} {
						sheet := clip.NewSheet(s.Width, s.Height)
						clip.Stage(style, long).Draw(sheet, at)
					}
				}
			}
		})
	}
}

func TestTextStaysInItsBox(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var words []string
		for range 1 + chance.IntN(20) {
			words = append(words, strings.Repeat("Wg", 1+chance.IntN(6)))
		}
		box := clip.Box{X: 20, Y: 30, W: 100 + 500*chance.Float64(), H: 60 + 300*chance.Float64()}
		s := clip.Set(strings.Join(words, " "), box, clip.Type{Face: lettering.Bold, Lines: 1 + chance.IntN(5), Most: 120, Align: 0.5 * float64(chance.IntN(3))})
		if len(s.Words) != len(words) {
			t.Fatalf("%d words of %d", len(s.Words), len(words))
		}
		for _, w := range s.Words {
			if w.X < box.X-1 || w.X+w.Width > box.X+box.W+1 || w.Y-w.Height < box.Y-1 || w.Y > box.Y+box.H+1 {
				t.Errorf("%q at %.0f,%.0f is out of %+v", w.Text, w.X, w.Y, box)
			}
		}
	}
}

func TestNoWordIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := clip.Set("A museum of modern forms", clip.Box{W: 400, H: 300}, clip.Type{Face: lettering.Bold, Lines: 3, Most: 90})
	if s.Lines > 1 && s.Words[1].Y != s.Words[0].Y {
		t.Error("the article stands alone on its line")
	}
}

func TestInkCanBeRead(t *testing.T) {
	t.Parallel()
	for _, name := range clip.Palettes() {
		p := clip.PaletteFor(name, "", rand.New(rand.NewPCG(1, 1)))
		if c := ink.Contrast(p.Ink, p.Back); c < 10 {
			t.Errorf("%s: ink on ground has a contrast of %.1f", name, c)
		}
		if c := ink.Contrast(p.Ink, p.Deep); c < 7 {
			t.Errorf("%s: ink on the deeper ground has a contrast of %.1f", name, c)
		}
	}
}

func TestWordsChooseStyleAndPalette(t *testing.T) {
	t.Parallel()
	if got := clip.StyleFor("auto", "A night drive through the neon city", 1); got != "retro" {
		t.Errorf("style %s", got)
	}
	if got := clip.PaletteFor("auto", "deep in the green forest", rand.New(rand.NewPCG(1, 1))).Name; got != "forest" {
		t.Errorf("palette %s", got)
	}
}

func TestReadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello\tthere\n you": "Hello there you", "Grüße aus Köln": "Grüße aus Köln", "Привет": "Привет", "你好 world 🎉": "world", "🎉": "", "a - b": "a b",
	} {
		if got := clip.Readable(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	got := clip.Phrases("Big news: we are open, day and night. Come in!", 3)
	if strings.Join(got, "|") != "Big news|we are open|day and night|Come in!" {
		t.Errorf("%q", got)
	}
	if got := clip.Phrases("Am 24. Juni", 3); strings.Join(got, "|") != "Am 24. Juni" {
		t.Errorf("%q", got)
	}
	if got := clip.Phrases("one two three four", 3); strings.Join(got, "|") != "one two|three four" {
		t.Errorf("%q", got)
	}
}
