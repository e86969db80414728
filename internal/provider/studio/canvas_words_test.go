package studio

import (
	"image/color"
	"math"
	"testing"

	"stele/internal/media"
)

// read is what a prompt and parameters ask for.
func read(t *testing.T, prompt string, pictures int, parameters map[string]any) edit {
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
	for prompt, ok := range map[string]func(e edit) bool{
		"Make it black and white":              func(e edit) bool { return e.light.Gray },
		"black-and-white, please":              func(e edit) bool { return e.light.Gray },
		"a sepia photograph":                   func(e edit) bool { return e.light.Tint != nil && e.light.Strength > 0.5 },
		"add a blue tint":                      func(e edit) bool { return e.light.Tint != nil && e.light.Tint.B == 255 && e.light.Tint.R == 0 },
		"make it warmer":                       func(e edit) bool { return e.light.Tint != nil && e.light.Strength < 0.5 },
		"blur it slightly":                     func(e edit) bool { return e.blur == 4 },
		"blur it a lot":                        func(e edit) bool { return e.blur == 16 },
		"sharpen":                              func(e edit) bool { return e.sharpen == 1 },
		"a bit brighter and more contrast":     func(e edit) bool { return e.light.Brightness == 0.15 && e.light.Contrast == 0.15 },
		"darker":                               func(e edit) bool { return e.light.Brightness < 0 },
		"more vivid":                           func(e edit) bool { return e.light.Saturation > 0 },
		"muted colours":                        func(e edit) bool { return e.light.Saturation < 0 },
		"rotate by 45 degrees":                 func(e edit) bool { return e.rotate == 45 },
		"rotate 30° to the left":               func(e edit) bool { return e.rotate == -30 },
		"turn it left":                         func(e edit) bool { return e.rotate == -90 },
		"rotate it clockwise":                  func(e edit) bool { return e.rotate == 90 },
		"turn it upside down":                  func(e edit) bool { return e.rotate == 180 },
		"mirror it":                            func(e edit) bool { return e.flip == "horizontal" },
		"flip it vertically":                   func(e edit) bool { return e.flip == "vertical" },
		"crop to 16:9":                         func(e edit) bool { return math.Abs(e.crop-16.0/9) < 0.01 },
		"make it square":                       func(e edit) bool { return e.crop == 1 },
		"resize to 640x480":                    func(e edit) bool { return e.width == 640 && e.height == 480 },
		"a thumbnail":                          func(e edit) bool { return e.width == 256 && e.fit == "inside" },
		"upscale it":                           func(e edit) bool { return e.upscale == 2 },
		"upscale 4x":                           func(e edit) bool { return e.upscale == 4 },
		"with rounded corners":                 func(e edit) bool { return e.corners > 0 },
		`add the text "Blur me"`:               func(e edit) bool { return e.caption.Text == "Blur me" && e.blur == 0 },
		`watermark “© Harbour”`:                func(e edit) bool { return e.watermark.Text == "© Harbour" && e.caption.Text == "" },
		"make it nicer":                        func(e edit) bool { return e.idle() },
		"a grid of nothing, there is only one": func(e edit) bool { return e.idle() },
		"unblurred, flipside, darkness and squareness": func(e edit) bool { return e.idle() },
		"": func(e edit) bool { return e.idle() },
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
		if e := read(t, prompt, 3, nil); e.compose != want {
			t.Errorf("%q: %q, want %q", prompt, e.compose, want)
		}
	}
}

func TestParametersWinOverWords(t *testing.T) {
	t.Parallel()
	e := read(t, "blur it, rotate it left, mirror it, brighter", 1, map[string]any{"blur": 2.5, "rotate": int64(10), "flip": "vertical", "brightness": int64(-5)})
	if e.blur != 2.5 || e.rotate != 10 || e.flip != "vertical" || e.light.Brightness != -0.05 {
		t.Errorf("%+v", e)
	}
	e = read(t, "blur it", 1, map[string]any{"prompt_as_text": true})
	if e.blur != 0 || e.caption.Text != "blur it" {
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

// FuzzOrientation reads what no camera wrote.
func FuzzOrientation(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00"))
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x02eXIfMM\x00\x00\x00\x00"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPEXIF\x04\x00\x00\x00II*\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if o := orientation(file); o < 1 || o > 8 {
			t.Error(o)
		}
	})
}
