package studio

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"

	"stele/internal/media"
	"stele/internal/studio/retouch"
)

// edit is what is to be done with pictures, in the order it is done.
type edit struct {
	crop    float64 // width over height; 0 for none
	gravity string
	rotate  float64
	flip    string

	compose    string
	gap        int
	background color.RGBA

	width, height int
	fit           string
	upscale       int // times; 0 for none

	light         retouch.Light
	blur, sharpen float64

	caption   retouch.Caption
	watermark retouch.Mark
	corners   float64 // in parts of the shorter side

	format  string // "" for that of the source
	quality int
}

// editOf reads the parameters, and from the prompt what they leave open.
func editOf(req media.Request) (edit, error) {
	e := edit{
		gravity: req.Text("gravity"), rotate: req.Float("rotate"), flip: req.Text("flip"),
		compose: req.Text("compose"), gap: number(req, "gap", 16),
		width: number(req, "width", 0), height: number(req, "height", 0), fit: req.Text("fit"),
		blur: req.Float("blur"), sharpen: req.Float("sharpen"),
		corners: req.Float("corner_radius") / 100,
		format:  req.Text("output_format"), quality: number(req, "quality", 90),
	}
	var err error
	if e.crop, err = shapeOf(req.Text("crop"), 0); err != nil {
		return e, err
	}
	e.upscale, _ = strconv.Atoi(strings.TrimSuffix(req.Text("upscale"), "x"))
	if e.background, err = colorOf("background", req.Text("background"), color.RGBA{255, 255, 255, 255}); err != nil {
		return e, err
	}
	if err := e.readLight(req); err != nil {
		return e, err
	}
	if err := e.readWords(req); err != nil {
		return e, err
	}
	if !req.Flag("prompt_as_text") {
		e.understand(req.Prompt, len(req.Of("image_urls")))
	}
	return e, nil
}

func (e *edit) readLight(req media.Request) error {
	e.light = retouch.Light{
		Brightness: req.Float("brightness") / 100, Contrast: req.Float("contrast") / 100, Saturation: req.Float("saturation") / 100,
		Gray: req.Flag("grayscale"), Strength: 0.6,
	}
	if req.Has("tint_strength") {
		e.light.Strength = req.Float("tint_strength")
	}
	if req.Text("tint") == "" {
		return nil
	}
	tint, err := colorOf("tint", req.Text("tint"), color.RGBA{})
	e.light.Tint = &tint
	return err
}

func (e *edit) readWords(req media.Request) error {
	e.caption = retouch.Caption{Text: req.Text("overlay_text"), At: place(req.Text("text_position"), "bottom"), Size: 0.07, Shadow: true}
	if req.Flag("prompt_as_text") && e.caption.Text == "" {
		e.caption.Text = req.Prompt
	}
	if req.Has("text_size") {
		e.caption.Size = req.Float("text_size") / 100
	}
	if req.Has("text_shadow") {
		e.caption.Shadow = req.Flag("text_shadow")
	}
	if name := req.Text("text_color"); name != "" && name != "auto" {
		c, err := colorOf("text_color", name, color.RGBA{})
		if err != nil {
			return err
		}
		e.caption.Color = &c
	}
	where := req.Text("watermark_position")
	e.watermark = retouch.Mark{Text: req.Text("watermark"), At: place(where, "bottom_right"), Tiled: where == "tile", Opacity: 0.35}
	if req.Has("watermark_opacity") {
		e.watermark.Opacity = req.Float("watermark_opacity")
	}
	return nil
}

// idle reports whether nothing would change.
func (e *edit) idle() bool {
	l := e.light
	still := !l.Gray && l.Tint == nil && l.Brightness == 0 && l.Contrast == 0 && l.Saturation == 0
	shape := e.crop == 0 && math.Mod(e.rotate, 360) == 0 && (e.flip == "" || e.flip == "none") && e.width == 0 && e.height == 0 && e.upscale == 0
	return still && shape && !e.composes() && e.blur == 0 && e.sharpen == 0 && e.caption.Text == "" && e.watermark.Text == "" &&
		e.corners == 0 && (e.format == "" || e.format == "auto")
}

func (e *edit) composes() bool { return e.compose != "" && e.compose != "none" }

func place(name, otherwise string) retouch.Place {
	if p, ok := retouch.Places[name]; ok {
		return p
	}
	return retouch.Places[otherwise]
}

// colorOf reads a colour: #rgb, #rrggbb, #rrggbbaa, a name of CSS, or transparent. What
// it gives is premultiplied.
func colorOf(field, text string, otherwise color.RGBA) (color.RGBA, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return otherwise, nil
	}
	if text == "transparent" {
		return color.RGBA{}, nil
	}
	if c, ok := colornames.Map[text]; ok {
		return c, nil
	}
	hex := strings.TrimPrefix(text, "#")
	if len(hex) == 3 || len(hex) == 4 {
		var long strings.Builder
		for _, r := range hex {
			long.WriteString(strings.Repeat(string(r), 2))
		}
		hex = long.String()
	}
	if len(hex) == 6 {
		hex += "ff"
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 8 {
		return color.RGBA{}, badInput("%s is no colour: write one such as #1e90ff or tomato.", field)
	}
	r, g, b, a := color.NRGBA{uint8(v >> 24), uint8(v >> 16), uint8(v >> 8), uint8(v)}.RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}, nil
}
