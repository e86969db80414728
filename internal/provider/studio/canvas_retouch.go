package studio

import (
	"context"
	"image"

	"stele/internal/media"
	"stele/internal/studio/edit"
	"stele/internal/studio/picturefile"
)

// retouchAll edits the pictures of a request: each for itself, or all into one.
func retouchAll(ctx context.Context, req media.Request, report func(float64)) ([]media.Output, error) {
	given := req.Of("image_urls")
	if len(given) == 0 || len(given) > 8 {
		return nil, badInput("Give one to eight pictures in image_urls.")
	}
	e, err := editOf(req)
	if err != nil {
		return nil, err
	}
	if e.Idle() {
		return nil, badInput("There is nothing to do: set a parameter such as width, rotate or blur, or name an edit in the prompt.")
	}
	sources, err := look(ctx, given)
	if err != nil {
		return nil, err
	}
	if err := reserve(ctx, sources, editCost(&e, sources)); err != nil {
		return nil, err
	}
	report(0.02)
	if e.Composes() {
		out, err := joinAll(ctx, &e, sources, report)
		return []media.Output{out}, err
	}
	var outputs []media.Output
	for i := range sources {
		part := func(p float64) { report((float64(i) + p) / float64(len(sources))) }
		m, err := sources[i].open(ctx, edit.Most)
		if err != nil {
			return nil, err
		}
		part(0.3)
		if m, err = e.Shape(ctx, m); err != nil {
			return nil, err
		}
		out, err := finish(ctx, &e, m, sources[i].header.Format, func(p float64) { part(0.4 + 0.6*p) })
		if err != nil {
			return nil, err
		}
		outputs = append(outputs, out)
	}
	return outputs, nil
}

// joinAll makes one picture of all.
func joinAll(ctx context.Context, e *edit.Edit, sources []source, report func(float64)) (media.Output, error) {
	format := "jpeg"
	for i := range sources {
		if sources[i].header.Format != "jpeg" {
			format = "png"
		}
	}
	open := func(i int) (*image.RGBA, error) { return sources[i].open(ctx, edit.Most/2) }
	m, err := e.Join(ctx, len(sources), open, func(p float64) { report(0.05 + 0.45*p) })
	if err != nil {
		return media.Output{}, toFailure(err)
	}
	return finish(ctx, e, m, format, func(p float64) { report(0.6 + 0.4*p) })
}

func finish(ctx context.Context, e *edit.Edit, m *image.RGBA, format string, report func(float64)) (media.Output, error) {
	m, err := e.Finish(ctx, m, report)
	if err != nil {
		return media.Output{}, toFailure(err)
	}
	report(0.65)
	out, err := pack(ctx, m, picturefile.Wrapping{Format: e.FormatOf(m, format), Quality: e.Quality})
	if err == nil {
		report(1)
	}
	return out, err
}

// editCost is about what the edit takes beside what is being decoded: what is made, twice,
// because most tools write into another, and the parts of a composition.
func editCost(e *edit.Edit, sources []source) int64 {
	width, height := 0, 0
	for i := range sources {
		h := sources[i].header
		width, height = max(width, min(h.Width, edit.Most)), max(height, min(h.Height, edit.Most))
	}
	n := 2 * 4 * int64(max(width, e.Width)) * int64(max(height, e.Height))
	if e.Composes() {
		n = max(n, 4*edit.Most*edit.Most) + edit.PartsKept
	}
	return n
}
