package canvas_test

import (
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/studio/canvas"
)

var (
	shots = flag.String("shots", "", "folder to draw contact sheets into, to be looked at")
	only  = flag.String("only", "", "styles to draw, with commas; all where it is empty")
)

// scenes are orders as they come: short and long, in all formats and many languages.
var scenes = []canvas.Order{
	{W: 480, H: 480, Prompt: "Quiet harbour", Seed: 1},
	{W: 480, H: 480, Prompt: "Make something wonderful every day — notes on craft", Seed: 2},
	{W: 480, H: 270, Prompt: "Open air cinema: four nights of film under the stars", Seed: 3},
	{W: 270, H: 480, Prompt: "Northern lights", Seed: 4},
	{W: 360, H: 480, Prompt: "A poster of a lighthouse at dusk with fishing boats coming home and gulls over the water, 8k, highly detailed", Seed: 5},
	{W: 480, H: 206, Prompt: "The long road home", Seed: 6},
	{W: 480, H: 360, Prompt: "Über allen Gipfeln ist Ruh", Seed: 7},
	{W: 480, H: 480, Prompt: "Jazz", Seed: 8},
	{W: 360, H: 480, Prompt: "Москва слезам не верит", Seed: 9},
	{W: 480, H: 480, Prompt: "静かな海", Seed: 10},
	{W: 480, H: 320, Prompt: "Electroencephalographically speaking", Seed: 11},
	{W: 320, H: 480, Prompt: "Tiếng Việt đẹp lắm 🌸", Seed: 12},
}

// TestShots draws each style with every scene on one sheet.
func TestShots(t *testing.T) {
	t.Parallel()
	if *shots == "" {
		t.Skip("only for looking: -shots DIR")
	}
	for _, style := range canvas.Styles() {
		if *only != "" && !strings.Contains(","+*only+",", ","+style+",") {
			continue
		}
		var all []image.Image
		for _, o := range scenes {
			o.Style = style
			all = append(all, drawn(t, o))
		}
		save(t, style, contact(all, 4, 480))
	}
}

// contact puts pictures side by side on a neutral ground.
func contact(all []image.Image, columns, cell int) image.Image {
	const gap = 12
	rows := (len(all) + columns - 1) / columns
	out := image.NewRGBA(image.Rect(0, 0, columns*(cell+gap)+gap, rows*(cell+gap)+gap))
	draw.Draw(out, out.Rect, image.NewUniform(color.Gray{Y: 0x80}), image.Point{}, draw.Src)
	for i, m := range all {
		at := image.Pt(gap+i%columns*(cell+gap)+(cell-m.Bounds().Dx())/2, gap+i/columns*(cell+gap)+(cell-m.Bounds().Dy())/2)
		draw.Draw(out, m.Bounds().Add(at), m, image.Point{}, draw.Src)
	}
	return out
}

func save(t *testing.T, name string, m image.Image) {
	t.Helper()
	file, err := os.Create(filepath.Join(*shots, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(file, m); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func drawn(t *testing.T, o canvas.Order) *image.RGBA {
	t.Helper()
	m, err := canvas.Draw(t.Context(), o, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestShotsAuto draws what a client gets who says nothing but a prompt.
func TestShotsAuto(t *testing.T) {
	t.Parallel()
	if *shots == "" {
		t.Skip("only for looking: -shots DIR")
	}
	var all []image.Image
	for i, prompt := range []string{
		"A lighthouse at dusk", "Mountain lake in the morning mist", "Pine forest in winter snow", "Desert dunes at sunset",
		"City skyline at night", "Rolling hills of Tuscany in spring", "Sailing home: summer on the coast", "Rainy night in the city",
		"Hello, world!", "Designing Data-Intensive Applications", "Thank you", "Happy birthday, Grandma",
		`"Simplicity is the ultimate sophistication" — Leonardo da Vinci`, "Solar system tour", "The future of open source software", "Fresh lemons",
	} {
		size := [][2]int{{480, 480}, {480, 270}, {360, 480}, {480, 320}}[i%4]
		all = append(all, drawn(t, canvas.Order{W: size[0], H: size[1], Prompt: prompt, Seed: uint32(i)}))
	}
	save(t, "auto", contact(all, 4, 480))
}
