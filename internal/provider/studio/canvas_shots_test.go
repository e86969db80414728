package studio_test

import (
	"flag"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"testing"

	"stele/internal/studio/canvas"
)

var canvasShots = flag.String("canvas-shots", "", "folder to draw edited pictures into, to be looked at")

// TestCanvasShots puts edits of two pictures on one sheet.
func TestCanvasShots(t *testing.T) {
	t.Parallel()
	if *canvasShots == "" {
		t.Skip("only for looking: -canvas-shots DIR")
	}
	var files [][]byte
	for i, o := range []canvas.Order{
		{W: 420, H: 300, Prompt: "Mountain lake at sunset", Style: "landscape", Bare: true, Seed: 4},
		{W: 300, H: 400, Prompt: "A lighthouse at dusk", Style: "landscape", Bare: true, Seed: uint32(9)},
		{W: 300, H: 300, Prompt: "City", Style: "isometric", Bare: true, Seed: 2},
	} {
		m, err := canvas.Draw(t.Context(), o, func(float64) {})
		if err != nil {
			t.Fatal(i, err)
		}
		files = append(files, asPNG(t, m))
	}
	const cell = 430
	edits := []string{
		`"overlay_text":"The lake at half past eight in the evening"`,
		`"overlay_text":"Top left","text_position":"top_left","text_size":12,"text_color":"gold"`,
		`"watermark":"© stele","watermark_position":"tile"`, `"watermark":"© stele"`,
		`"tint":"#3366ff"`, `"prompt":"sepia"`, `"grayscale":true,"contrast":30`, `"blur":12`,
		`"sharpen":2`, `"rotate":12,"background":"#222222"`, `"corner_radius":12`, `"crop":"1:1","gravity":"auto"`,
		`"compose":"grid"`, `"compose":"row","gap":8`, `"compose":"side_by_side","background":"black"`, `"compose":"column","corner_radius":5`,
		`"brightness":40`, `"brightness":-40`, `"saturation":60`, `"prompt":"much warmer"`,
	}
	sheet := image.NewRGBA(image.Rect(0, 0, 4*cell, (len(edits)+3)/4*cell))
	draw.Draw(sheet, sheet.Rect, image.NewUniform(color.Gray{Y: 0x80}), image.Point{}, draw.Src)
	for i, fields := range edits {
		m := edited(t, fields+`,"output_format":"png"`, files...)
		if m.Bounds().Dx() > cell-20 || m.Bounds().Dy() > cell-20 {
			m = edited(t, fields+`,"output_format":"png","width":410,"height":410,"fit":"inside"`, files...)
		}
		at := image.Pt(i%4*cell+(cell-m.Bounds().Dx())/2, i/4*cell+(cell-m.Bounds().Dy())/2)
		draw.Draw(sheet, m.Bounds().Add(at), m, image.Point{}, draw.Over)
	}
	if err := os.WriteFile(filepath.Join(*canvasShots, "edits.png"), asPNG(t, sheet), 0o600); err != nil {
		t.Fatal(err)
	}
}
