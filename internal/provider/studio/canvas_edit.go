package studio

import (
	"image/color"
	"strconv"
	"strings"

	"stele/internal/media"
	"stele/internal/studio/edit"
	"stele/internal/studio/retouch"
)

// editOf reads the parameters, and from the prompt what they leave open.
func editOf(req media.Request) (edit.Edit, error) {
	e := edit.Edit{
		Gravity: req.Text("gravity"), Rotate: req.Float("rotate"), Flip: req.Text("flip"),
		Compose: req.Text("compose"), Gap: number(req, "gap", 16),
		Width: number(req, "width", 0), Height: number(req, "height", 0), Fit: req.Text("fit"),
		Blur: req.Float("blur"), Sharpen: req.Float("sharpen"),
		Corners: req.Float("corner_radius") / 100,
		Format:  req.Text("output_format"), Quality: number(req, "quality", 90),
	}
	var err error
	if e.Crop, err = shapeOf(req.Text("crop"), 0); err != nil {
		return e, err
	}
	e.Upscale, _ = strconv.Atoi(strings.TrimSuffix(req.Text("upscale"), "x"))
	if e.Background, err = colorOf("background", req.Text("background"), color.RGBA{255, 255, 255, 255}); err != nil {
		return e, err
	}
	if err := readLight(&e, req); err != nil {
		return e, err
	}
	if err := readWords(&e, req); err != nil {
		return e, err
	}
	if !req.Flag("prompt_as_text") {
		e.Understand(req.Prompt, len(req.Of("image_urls")))
	}
	return e, nil
}

func readLight(e *edit.Edit, req media.Request) error {
	e.Light = retouch.Light{
		Brightness: req.Float("brightness") / 100, Contrast: req.Float("contrast") / 100, Saturation: req.Float("saturation") / 100,
		Gray: req.Flag("grayscale"), Strength: 0.6,
	}
	if req.Has("tint_strength") {
		e.Light.Strength = req.Float("tint_strength")
	}
	if req.Text("tint") == "" {
		return nil
	}
	tint, err := colorOf("tint", req.Text("tint"), color.RGBA{})
	e.Light.Tint = &tint
	return err
}

func readWords(e *edit.Edit, req media.Request) error {
	e.Caption = retouch.Caption{Text: req.Text("overlay_text"), At: edit.AnchorOf(req.Text("text_position"), "bottom"), Size: 0.07, Shadow: true}
	if req.Flag("prompt_as_text") && e.Caption.Text == "" {
		e.Caption.Text = req.Prompt
	}
	if req.Has("text_size") {
		e.Caption.Size = req.Float("text_size") / 100
	}
	if req.Has("text_shadow") {
		e.Caption.Shadow = req.Flag("text_shadow")
	}
	if name := req.Text("text_color"); name != "" && name != "auto" {
		c, err := colorOf("text_color", name, color.RGBA{})
		if err != nil {
			return err
		}
		e.Caption.Color = &c
	}
	where := req.Text("watermark_position")
	e.Watermark = retouch.Mark{Text: req.Text("watermark"), At: edit.AnchorOf(where, "bottom_right"), Tiled: where == "tile", Opacity: 0.35}
	if req.Has("watermark_opacity") {
		e.Watermark.Opacity = req.Float("watermark_opacity")
	}
	return nil
}

// colorOf reads a parameter that names a colour.
func colorOf(field, text string, otherwise color.RGBA) (color.RGBA, error) {
	if strings.TrimSpace(text) == "" {
		return otherwise, nil
	}
	c, ok := edit.Color(text)
	if !ok {
		return c, badInput("%s is no colour: write one such as #1e90ff or tomato.", field)
	}
	return c, nil
}
