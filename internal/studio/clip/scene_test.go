package clip_test

import (
	"flag"
	"image"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"stele/internal/studio/clip"
)

// -shots DIR leaves pictures of every style there, for a look at them.
var shots = flag.String("shots", "", "folder for pictures of the scenes")

var prompts = map[string]string{
	"aurora":    "Breathe in the morning light",
	"kinetic":   "Big news: we are open, day and night. Come in!",
	"particles": "Every star is a connection",
	"waves":     "Sunset over the quiet sea",
	"rings":     "Sound that moves in circles",
	"retro":     "Night drive through the neon city",
	"shapes":    "A museum of modern forms",
}

func TestShots(t *testing.T) {
	t.Parallel()
	if *shots == "" {
		t.Skip("-shots is not given")
	}
	for _, style := range clip.Styles() {
		for name, size := range map[string][2]int{"wide": {640, 360}, "tall": {360, 640}} {
			s := script(style, size[0], size[1], 1)
			sheet(t, filepath.Join(*shots, style+"-"+name+".png"), s, func(i int) (clip.Scene, float64) {
				return clip.Stage(style, s), []float64{0.2, 0.9, 1.8, 2.7, 3.9, 4.9}[i]
			})
		}
		s := script(style, 640, 360, 1)
		texts := []string{s.Text, "Hi", "The quick brown fox jumps over the lazy dog and then it sleeps for a very long while under a tree.", s.Text, "Straßenfest – 24. Juni, 18:30", ""}
		palettes := clip.Palettes()
		sheet(t, filepath.Join(*shots, style+"-various.png"), s, func(i int) (clip.Scene, float64) {
			v := s
			v.Seed, v.Text = uint64(i+10), clip.Readable(texts[i])
			v.Palette = clip.PaletteFor(palettes[(i*2+len(style))%len(palettes)], "", rand.New(rand.NewPCG(1, 1)))
			return clip.Stage(style, v), 2.6
		})
	}
}

func script(style string, width, height int, seed uint64) clip.Script {
	text := prompts[style]
	return clip.Script{
		Width: width, Height: height, Seconds: 5, Text: clip.Readable(text), Seed: seed,
		Palette: clip.PaletteFor("auto", text, rand.New(rand.NewPCG(seed, 0))),
	}
}

// sheet writes a page of six frames.
func sheet(t *testing.T, file string, s clip.Script, frame func(i int) (scene clip.Scene, at float64)) {
	t.Helper()
	columns := 3
	if s.Width < s.Height {
		columns = 6
	}
	page := image.NewRGBA(image.Rect(0, 0, columns*(s.Width+8), 6/columns*(s.Height+8)))
	for i := range 6 {
		scene, at := frame(i)
		one := clip.NewSheet(s.Width, s.Height)
		scene.Draw(one, at)
		to := image.Pt(i%columns*(s.Width+8), i/columns*(s.Height+8))
		draw.Draw(page, one.Bounds().Add(to), one.Frame(), image.Point{}, draw.Src)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, page); err != nil {
		t.Fatal(err)
	}
}
