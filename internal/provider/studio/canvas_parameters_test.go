package studio_test

import (
	"bytes"
	"testing"

	"stele/internal/race"
)

// shows is a parameter, the rest of a request in which it can be seen, and a value
// that changes the picture.
type shows struct{ name, with, change string }

const (
	drawing = `"prompt":"Quiet harbour at dawn","size":256,"seed":5`
	editing = `"blur":1`
)

var shown = map[string][]shows{
	"text_to_image": {
		{"aspect_ratio", drawing, `"16:9"`},
		{"size", `"prompt":"Quiet harbour","seed":5`, `256`},
		{"width", drawing, `320`},
		{"height", drawing, `320`},
		{"style", drawing, `"bauhaus"`},
		{"palette", drawing, `"neon"`},
		{"text", drawing, `"Open air"`},
		{"show_text", drawing, `false`},
		{"n", drawing, `2`},
		{"seed", `"prompt":"Quiet harbour","size":256`, `6`},
		{"output_format", drawing, `"webp"`},
		{"quality", drawing + `,"output_format":"jpeg"`, `20`},
	},
	"image_to_image": {
		{"crop", editing, `"1:1"`},
		{"gravity", `"crop":"1:1"`, `"left"`},
		{"rotate", editing, `30`},
		{"flip", editing, `"horizontal"`},
		{"compose", editing, `"row"`},
		{"gap", `"compose":"row"`, `3`},
		{"background", `"compose":"row"`, `"tomato"`},
		{"width", editing, `70`},
		{"height", editing, `70`},
		{"fit", `"width":64,"height":64`, `"contain"`},
		{"upscale", editing, `"2x"`},
		{"brightness", editing, `40`},
		{"contrast", editing, `-50`},
		{"saturation", editing, `-60`},
		{"grayscale", editing, `true`},
		{"tint", editing, `"#3366ff"`},
		{"tint_strength", `"tint":"#3366ff"`, `0.9`},
		{"blur", `"flip":"both"`, `3`},
		{"sharpen", editing, `2`},
		{"overlay_text", editing, `"Hello"`},
		{"prompt_as_text", `"prompt":"Written words","blur":1`, `true`},
		{"text_position", `"overlay_text":"Hi"`, `"top"`},
		{"text_size", `"overlay_text":"Hi"`, `20`},
		{"text_color", `"overlay_text":"Hi"`, `"lime"`},
		{"text_shadow", `"overlay_text":"Hi","text_size":30`, `false`},
		{"watermark", editing, `"mine"`},
		{"watermark_position", `"watermark":"mine"`, `"tile"`},
		{"watermark_opacity", `"watermark":"mine"`, `1`},
		{"corner_radius", editing, `20`},
		{"output_format", editing, `"jpeg"`},
		{"quality", `"output_format":"jpeg"`, `10`},
	},
}

func TestEveryParameterShows(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	files := map[string][][]byte{"image_to_image": {asPNG(t, photo(90, 60)), asPNG(t, photo(60, 80))}}
	for mode, rows := range shown {
		for _, row := range rows {
			t.Run(mode+"/"+row.name, func(t *testing.T) {
				t.Parallel()
				body := `{"model":"stele/canvas","mode":"` + mode + `",` + row.with
				before := makeAll(t, asked(t, body+`}`, files[mode]...))
				after := makeAll(t, asked(t, body+`,"`+row.name+`":`+row.change+`}`, files[mode]...))
				if len(before) != len(after) {
					return
				}
				if before[0].kind == after[0].kind && alike(before[0], after[0]) {
					t.Error("the picture is the same")
				}
			})
		}
	}
}

// TestNoParameterIsLeftOut holds the table above against the model's file.
func TestNoParameterIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, o := range modelOf(t, "canvas.yaml").Operations {
		names := make(map[string]bool)
		for _, row := range shown[o.Mode] {
			names[row.name] = true
		}
		for _, p := range o.Parameters {
			if !names[p.Name] {
				t.Errorf("%s: nothing shows what %s does", o.Mode, p.Name)
			}
			if p.Label == "" || p.Description == "" {
				t.Errorf("%s: %s has no label or no description", o.Mode, p.Name)
			}
			delete(names, p.Name)
		}
		for name := range names {
			t.Errorf("%s: %s is not declared", o.Mode, name)
		}
	}
}

// TestEveryChoiceIsKnown makes a picture of each value that the file lists for a
// parameter with a closed list: none is refused, and no two look the same.
func TestEveryChoiceIsKnown(t *testing.T) {
	t.Parallel()
	race.Skip(t, "every dot takes ten times as long")
	photos := map[string][][]byte{"image_to_image": {asPNG(t, photo(96, 60)), asPNG(t, photo(64, 80)), asPNG(t, photo(50, 50))}}
	with := map[string]string{}
	for mode, rows := range shown {
		for _, row := range rows {
			with[mode+row.name] = row.with
		}
	}
	with["image_to_imagewatermark_position"] = `"watermark":"mine","width":400`
	for _, o := range modelOf(t, "canvas.yaml").Operations {
		for _, p := range o.Parameters {
			if len(p.Values) == 0 {
				continue
			}
			t.Run(o.Mode+"/"+p.Name, func(t *testing.T) {
				t.Parallel()
				seen := make(map[string][]byte)
				for _, v := range p.Values {
					choice := v.(string)
					body := `{"model":"stele/canvas","mode":"` + o.Mode + `",` + with[o.Mode+p.Name] + `,"` + p.Name + `":"` + choice + `"}`
					var all []byte
					for _, m := range makeAll(t, asked(t, body, photos[o.Mode]...)) {
						all = append(all, m.file...)
					}
					for other, files := range seen {
						auto := choice == "auto" || other == "auto" // is the same as one of the others
						if !auto && bytes.Equal(files, all) {
							t.Errorf("%s and %s are the same", choice, other)
						}
					}
					seen[choice] = all
				}
			})
		}
	}
}
