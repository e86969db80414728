package studio

import (
	"image/color"
	"math"
	"testing"

	"stele/internal/media"
	"stele/internal/studio/edit"
)

// read is what a prompt and parameters ask for.
func read(t *testing.T, prompt string, pictures int, parameters map[string]any) edit.Edit {
	t.Helper()
	req := media.Request{Prompt: prompt, Parameters: parameters}
	for range pictures {
		req.Sources = append(req.Sources, media.Source{Field: "image_urls"})
	}
	e, err := editOf(req)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPlainWordsAreUnderstood(t *testing.T) {
	t.Parallel()
	for prompt, ok := range map[string]func(e edit.Edit) bool{
		"Make it black and white":              func(e edit.Edit) bool { return e.Light.Gray },
		"black-and-white, please":              func(e edit.Edit) bool { return e.Light.Gray },
		"a sepia photograph":                   func(e edit.Edit) bool { return e.Light.Tint != nil && e.Light.Strength > 0.5 },
		"add a blue tint":                      func(e edit.Edit) bool { return e.Light.Tint != nil && e.Light.Tint.B == 255 && e.Light.Tint.R == 0 },
		"make it warmer":                       func(e edit.Edit) bool { return e.Light.Tint != nil && e.Light.Strength < 0.5 },
		"blur it slightly":                     func(e edit.Edit) bool { return e.Blur == 4 },
		"blur it a lot":                        func(e edit.Edit) bool { return e.Blur == 16 },
		"sharpen":                              func(e edit.Edit) bool { return e.Sharpen == 1 },
		"a bit brighter and more contrast":     func(e edit.Edit) bool { return e.Light.Brightness == 0.15 && e.Light.Contrast == 0.15 },
		"darker":                               func(e edit.Edit) bool { return e.Light.Brightness < 0 },
		"more vivid":                           func(e edit.Edit) bool { return e.Light.Saturation > 0 },
		"muted colours":                        func(e edit.Edit) bool { return e.Light.Saturation < 0 },
		"rotate by 45 degrees":                 func(e edit.Edit) bool { return e.Rotate == 45 },
		"rotate 30° to the left":               func(e edit.Edit) bool { return e.Rotate == -30 },
		"turn it left":                         func(e edit.Edit) bool { return e.Rotate == -90 },
		"rotate it clockwise":                  func(e edit.Edit) bool { return e.Rotate == 90 },
		"turn it upside down":                  func(e edit.Edit) bool { return e.Rotate == 180 },
		"mirror it":                            func(e edit.Edit) bool { return e.Flip == "horizontal" },
		"flip it vertically":                   func(e edit.Edit) bool { return e.Flip == "vertical" },
		"crop to 16:9":                         func(e edit.Edit) bool { return math.Abs(e.Crop-16.0/9) < 0.01 },
		"make it square":                       func(e edit.Edit) bool { return e.Crop == 1 },
		"resize to 640x480":                    func(e edit.Edit) bool { return e.Width == 640 && e.Height == 480 },
		"a thumbnail":                          func(e edit.Edit) bool { return e.Width == 256 && e.Fit == "inside" },
		"upscale it":                           func(e edit.Edit) bool { return e.Upscale == 2 },
		"upscale 4x":                           func(e edit.Edit) bool { return e.Upscale == 4 },
		"with rounded corners":                 func(e edit.Edit) bool { return e.Corners > 0 },
		`add the text "Blur me"`:               func(e edit.Edit) bool { return e.Caption.Text == "Blur me" && e.Blur == 0 },
		`watermark “© Harbour”`:                func(e edit.Edit) bool { return e.Watermark.Text == "© Harbour" && e.Caption.Text == "" },
		"make it nicer":                        func(e edit.Edit) bool { return e.Idle() },
		"a grid of nothing, there is only one": func(e edit.Edit) bool { return e.Idle() },
		"unblurred, flipside, darkness and squareness": func(e edit.Edit) bool { return e.Idle() },
		"": func(e edit.Edit) bool { return e.Idle() },
	} {
		if e := read(t, prompt, 1, nil); !ok(e) {
			t.Errorf("%q: %+v", prompt, e)
		}
	}
}

func TestSeveralPicturesCanBePutTogetherInWords(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"a collage": "grid", "put them side by side": "side_by_side", "stacked": "column", "all in a row": "row", "blur them": "",
	} {
		if e := read(t, prompt, 3, nil); e.Compose != want {
			t.Errorf("%q: %q, want %q", prompt, e.Compose, want)
		}
	}
}

func TestParametersWinOverWords(t *testing.T) {
	t.Parallel()
	e := read(t, "blur it, rotate it left, mirror it, brighter", 1, map[string]any{"blur": 2.5, "rotate": int64(10), "flip": "vertical", "brightness": int64(-5)})
	if e.Blur != 2.5 || e.Rotate != 10 || e.Flip != "vertical" || e.Light.Brightness != -0.05 {
		t.Errorf("%+v", e)
	}
	e = read(t, "blur it", 1, map[string]any{"prompt_as_text": true})
	if e.Blur != 0 || e.Caption.Text != "blur it" {
		t.Errorf("%+v", e)
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][4]uint8{
		"#1e90ff": {0x1e, 0x90, 0xff, 255}, "1e90ff": {0x1e, 0x90, 0xff, 255}, "#f80": {255, 0x88, 0, 255}, "Tomato": {255, 99, 71, 255},
		"#ff000080": {128, 0, 0, 128}, "transparent": {}, "": {1, 2, 3, 4},
	} {
		c, err := colorOf("tint", text, color.RGBA{1, 2, 3, 4})
		if err != nil || [4]uint8{c.R, c.G, c.B, c.A} != want {
			t.Errorf("%q: %v %v", text, c, err)
		}
	}
	for _, text := range []string{"#12", "#12345", "bluish", "#gggggg", "0x123456", "#123456789"} {
		if _, err := colorOf("tint", text, color.RGBA{}); err == nil {
			t.Errorf("%q is taken for a colour", text)
		}
	}
}
