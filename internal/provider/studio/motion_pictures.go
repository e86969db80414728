package studio

import (
	"context"
	"image"
	"image/draw"
	"strings"

	"stele/internal/media"
	"stele/internal/studio/clip"
	"stele/internal/studio/retouch"
)

// fromPictures makes a film of the pictures given: the first frame, those between,
// and the last.
func (d *Director) fromPictures(ctx context.Context, req media.Request) (*take, error) {
	var given []media.Source
	for _, field := range []string{"start_frame", "image_urls", "end_frame"} {
		given = append(given, req.Of(field)...)
	}
	if len(given) == 0 {
		return nil, badInput("A film of pictures needs a start_frame.")
	}
	sources, err := look(ctx, given)
	if err != nil {
		return nil, err
	}
	const frames = 16 << 20 // each is kept as large as a frame
	if err := reserve(ctx, sources, int64(len(sources))*frames); err != nil {
		return nil, err
	}
	t, s := newTake(req)
	s.Text = clip.Readable(req.Text("caption"))
	album := &clip.Album{Script: s, Move: moveOf(req), Transition: req.Text("transition")}
	for i := range sources {
		picture, err := sources[i].open(ctx, 2560)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			size := picture.Bounds().Size()
			shape := float64(size.X) / float64(size.Y)
			if ratio := req.Text("aspect_ratio"); ratio != "auto" {
				if shape, err = shapeOf(ratio, shape); err != nil {
					return nil, err
				}
			}
			t.Width, t.Height = frameSize(req.Text("resolution"), shape)
			album.Width, album.Height = t.Width, t.Height
		}
		// Cut to size at once: large ones do not pile up.
		if picture, err = fitted(ctx, album, picture); err != nil {
			return nil, err
		}
		album.Add(picture)
	}
	t.Scene = album.Stage()
	t.stage = func(width, height int) clip.Scene { return album.At(width, height).Stage() }
	return t, nil
}

// fitted is a picture cut to the album's shape and size, on its ground.
func fitted(ctx context.Context, album *clip.Album, picture *image.RGBA) (*image.RGBA, error) {
	part, width, height := album.Cut(picture.Rect)
	sized, err := retouch.Resize(ctx, picture.SubImage(part), width, height)
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(sized.Rect)
	draw.Draw(out, out.Rect, image.NewUniform(album.Palette.Back), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, sized, sized.Rect.Min, draw.Over)
	return out, nil
}

// moveOf is how the view travels: as the parameter says, or else as the prompt does.
func moveOf(req media.Request) string {
	move := req.Text("motion")
	if move != "auto" && move != "" {
		return move
	}
	prompt := strings.ToLower(req.Prompt)
	for _, m := range []struct {
		move    string
		phrases []string
	}{
		{"zoom_in", []string{"zoom in", "zooming in", "push in", "closer"}},
		{"zoom_out", []string{"zoom out", "zooming out", "pull back", "pull out"}},
		{"pan_left", []string{"pan left", "to the left", "leftwards"}},
		{"pan_right", []string{"pan right", "to the right", "rightwards"}},
		{"pan_up", []string{"pan up", "tilt up", "upwards"}},
		{"pan_down", []string{"pan down", "tilt down", "downwards"}},
		{"still", []string{"still shot", "static", "no motion", "no movement"}},
	} {
		for _, p := range m.phrases {
			if strings.Contains(prompt, p) {
				return m.move
			}
		}
	}
	return "auto"
}
