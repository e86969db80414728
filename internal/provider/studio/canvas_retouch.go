package studio

import (
	"context"
	"image"
	"image/color"

	"stele/internal/media"
	"stele/internal/studio/retouch"
)

// retouched edits the pictures of a request: each for itself, or all into one.
func retouched(ctx context.Context, req media.Request, report func(float64)) ([]media.Output, error) {
	given := req.Of("image_urls")
	if len(given) == 0 || len(given) > 8 {
		return nil, badInput("Give one to eight pictures in image_urls.")
	}
	e, err := editOf(req)
	if err != nil {
		return nil, err
	}
	if e.idle() {
		return nil, badInput("There is nothing to do: set a parameter such as width, rotate or blur, or name an edit in the prompt.")
	}
	sources, err := look(ctx, given)
	if err != nil {
		return nil, err
	}
	if err := reserve(ctx, sources, e.beside(sources)); err != nil {
		return nil, err
	}
	report(0.02)
	if e.composes() {
		out, err := e.joined(ctx, sources, report)
		return []media.Output{out}, err
	}
	var outputs []media.Output
	for i := range sources {
		part := func(p float64) { report((float64(i) + p) / float64(len(sources))) }
		m, err := sources[i].open(ctx, editMost)
		if err != nil {
			return nil, err
		}
		part(0.3)
		if m, err = e.shape(ctx, m); err != nil {
			return nil, err
		}
		out, err := e.finish(ctx, m, sources[i].header.Format, func(p float64) { part(0.4 + 0.6*p) })
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, out)
	}
	return outputs, nil
}

// beside is about what the edit takes beside what is being decoded: what is made, twice,
// because most tools write into another, and the parts of a composition.
func (e *edit) beside(sources []source) int64 {
	width, height := 0, 0
	for i := range sources {
		h := sources[i].header
		width, height = max(width, min(h.Width, editMost)), max(height, min(h.Height, editMost))
	}
	n := 2 * 4 * int64(max(width, e.width)) * int64(max(height, e.height))
	if e.composes() {
		n = max(n, 4*editMost*editMost) + partsKept
	}
	return n
}

// partsKept is how many bytes of the parts of a composition are kept until it is put
// together. What is more is decoded a second time.
const partsKept = 24 << 20

// joined makes one picture of all.
func (e *edit) joined(ctx context.Context, sources []source, report func(float64)) (media.Output, error) {
	if len(sources) < 2 {
		return media.Output{}, badInput("Compose needs at least two pictures in image_urls.")
	}
	sizes, parts := make([]image.Point, len(sources)), make([]*image.RGBA, len(sources))
	var at retouch.Place
	format, kept := "jpeg", 0
	for i := range sources {
		m, err := e.part(ctx, &sources[i])
		if err != nil {
			return media.Output{}, err
		}
		if i == 0 {
			if at, err = e.keep(ctx, m, 1); err != nil {
				return media.Output{}, err
			}
		}
		if sources[i].header.Format != "jpeg" {
			format = "png"
		}
		sizes[i] = m.Rect.Size()
		if kept+len(m.Pix) <= partsKept {
			parts[i], kept = m, kept+len(m.Pix)
		}
		report(0.05 + 0.45*float64(i+1)/float64(len(sources)))
	}
	m, err := retouch.Compose(ctx, sizes, func(i int) (*image.RGBA, error) {
		if parts[i] != nil {
			return parts[i], nil
		}
		return e.part(ctx, &sources[i])
	}, retouch.Arrangement{Kind: e.compose, Gap: e.gap, Background: e.background, At: at, Most: editMost})
	if err != nil {
		return media.Output{}, err
	}
	clear(parts)
	return e.finish(ctx, m, format, func(p float64) { report(0.6 + 0.4*p) })
}

// part is a picture as it goes into a composition.
func (e *edit) part(ctx context.Context, s *source) (*image.RGBA, error) {
	m, err := s.open(ctx, editMost/2)
	if err != nil {
		return nil, err
	}
	return e.shape(ctx, m)
}

// shape does what belongs to each picture: crop, rotate, flip.
func (e *edit) shape(ctx context.Context, m *image.RGBA) (*image.RGBA, error) {
	if e.crop > 0 {
		at, err := e.keep(ctx, m, e.crop)
		if err != nil {
			return nil, err
		}
		m = retouch.Crop(m, e.crop, at)
	}
	m, err := retouch.Rotate(ctx, m, e.rotate, e.background)
	if err != nil {
		return nil, err
	}
	return retouch.Flip(ctx, m, e.flip == "horizontal" || e.flip == "both", e.flip == "vertical" || e.flip == "both")
}

// keep is the part of a picture that a cut keeps.
func (e *edit) keep(ctx context.Context, m *image.RGBA, shape float64) (retouch.Place, error) {
	if e.gravity == "auto" {
		return retouch.Busiest(ctx, m, shape)
	}
	return place(e.gravity, "center"), nil
}

// finish does what belongs to the finished picture: size, light, words, corners, file.
func (e *edit) finish(ctx context.Context, m *image.RGBA, format string, report func(float64)) (media.Output, error) {
	m, err := e.resize(ctx, m)
	if err != nil {
		return media.Output{}, err
	}
	report(0.25)
	if e.light != (retouch.Light{Strength: e.light.Strength}) {
		err = retouch.Adjust(ctx, m, e.light)
	}
	if err == nil && e.blur > 0 {
		m, err = retouch.Blur(ctx, m, e.blur)
	}
	if err == nil && e.sharpen > 0 {
		m, err = retouch.Sharpen(ctx, m, e.sharpen)
	}
	report(0.5)
	if err == nil && e.caption.Text != "" {
		err = retouch.Write(ctx, m, e.caption)
	}
	if err == nil && e.watermark.Text != "" {
		err = retouch.Stamp(ctx, m, e.watermark)
	}
	if err == nil && e.corners > 0 {
		err = retouch.Round(ctx, m, e.corners*float64(min(m.Rect.Dx(), m.Rect.Dy())))
	}
	if err == nil && e.format == "jpeg" {
		err = retouch.Flatten(ctx, m, solid(e.background))
	}
	if err != nil {
		return media.Output{}, err
	}
	report(0.65)
	out, err := packed(ctx, m, wrapping{format: e.kind(m, format), quality: e.quality})
	if err == nil {
		report(1)
	}
	return out, err
}

// kind is the format of the file: that of the source unless another was asked for, and
// one that knows clear pixels where there are some.
func (e *edit) kind(m *image.RGBA, source string) string {
	if e.format != "" && e.format != "auto" {
		return e.format
	}
	if source == "gif" || source == "jpeg" && !m.Opaque() {
		return "png"
	}
	return source
}

// solid is a colour to lay under a picture that must not be clear.
func solid(c color.RGBA) color.RGBA {
	rest := 255 - c.A
	return color.RGBA{c.R + rest, c.G + rest, c.B + rest, 255}
}

// resize gives the picture the size that was asked for.
func (e *edit) resize(ctx context.Context, m *image.RGBA) (*image.RGBA, error) {
	size := m.Rect.Size()
	w, h := e.width, e.height
	switch {
	case w == 0 && h == 0:
	case h == 0:
		size = image.Pt(w, max(1, (size.Y*w+size.X/2)/size.X))
	case w == 0:
		size = image.Pt(max(1, (size.X*h+size.Y/2)/size.Y), h)
	case e.fit == "inside":
		size = retouch.Within(size, w, h)
	default:
		size = image.Pt(w, h)
	}
	if e.upscale > 0 {
		size = size.Mul(e.upscale)
	}
	if max(size.X, size.Y) > editMost {
		return nil, badInput("The picture would have %d by %d pixels: the longest side has at most %d.", size.X, size.Y, editMost)
	}
	if size == m.Rect.Size() {
		return m, nil
	}
	switch {
	case w > 0 && h > 0 && e.fit == "contain":
		return retouch.Contain(ctx, m, size.X, size.Y, e.background)
	case w > 0 && h > 0 && (e.fit == "cover" || e.fit == ""):
		at, err := e.keep(ctx, m, float64(size.X)/float64(size.Y))
		if err != nil {
			return nil, err
		}
		return retouch.Cover(ctx, m, size.X, size.Y, at)
	}
	m, err := retouch.Resize(ctx, m, size.X, size.Y)
	if err == nil && e.upscale > 0 {
		m, err = retouch.Sharpen(ctx, m, 0.5) // what was stretched is soft
	}
	return m, err
}
