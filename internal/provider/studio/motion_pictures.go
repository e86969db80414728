package studio

import (
	"context"

	"stele/internal/media"
	"stele/internal/studio/clip"
	"stele/internal/studio/film"
)

// planFromPictures makes a film of the pictures given: the first frame, those between,
// and the last.
func planFromPictures(ctx context.Context, req media.Request) (*film.Take, error) {
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
			t.Width, t.Height = film.FrameSize(req.Text("resolution"), shape)
			album.Width, album.Height = t.Width, t.Height
		}
		// Cut to size at once: large ones do not pile up.
		if picture, err = film.Fit(ctx, album, picture); err != nil {
			return nil, err
		}
		album.Add(picture)
	}
	t.Scene = album.Stage()
	t.Stage = func(ctx context.Context, width, height int) (clip.Scene, error) {
		small, err := album.At(ctx, width, height)
		if err != nil {
			return nil, err
		}
		return small.Stage(), nil
	}
	return t, nil
}

// moveOf is how the view travels: as the parameter says, or else as the prompt does.
func moveOf(req media.Request) string {
	if move := req.Text("motion"); move != "auto" && move != "" {
		return move
	}
	return film.MoveOf(req.Prompt)
}
