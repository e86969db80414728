package film

import (
	"context"
	"image"
	"image/draw"
	"strings"

	"stele/internal/studio/clip"
	"stele/internal/studio/retouch"
)

// Fit cuts a picture to the album's shape and size, on its ground.
func Fit(ctx context.Context, album *clip.Album, picture *image.RGBA) (*image.RGBA, error) {
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

// MoveOf is how the view travels as a prompt says; auto where it says nothing.
func MoveOf(prompt string) string {
	prompt = strings.ToLower(prompt)
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
