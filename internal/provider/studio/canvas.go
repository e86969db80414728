// Package studio turns orders into calls of the library internal/studio, so that an
// installation without any provider account still makes real things: pictures, clips and
// sound. What is made is drawn and computed, never looked up: the same request with the
// same seed gives the same bytes. It must not know tasks, files or HTTP.
package studio

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"

	"stele/internal/media"
	"stele/internal/studio/canvas"
	"stele/internal/studio/edit"
	"stele/internal/studio/picturefile"
)

// Canvas makes pictures: from words, or out of other pictures. It gives up soon after
// ctx ends. What the client did wrong is a *media.Failure of the class BadInput.
func Canvas(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error) {
	switch req.Operation.Mode {
	case "text_to_image":
		return drawPictures(ctx, req, report)
	case "image_to_image":
		return retouchAll(ctx, req, report)
	}
	return nil, badInput("Canvas cannot do %s.", req.Operation.Mode)
}

// drawPictures draws for the prompt, each picture with the next seed.
func drawPictures(ctx context.Context, req media.Request, report func(float64)) ([]media.Output, error) {
	w, h, err := sheetSize(req)
	if err != nil {
		return nil, err
	}
	order := canvas.Order{
		W: w, H: h, Prompt: req.Prompt, Text: req.Text("text"), Bare: req.Has("show_text") && !req.Flag("show_text"),
		Style: req.Text("style"), Palette: req.Text("palette"),
	}
	if err := order.Check(); err != nil {
		return nil, badInput("%s", err)
	}
	n := max(1, number(req, "n", 1))
	first := seedOf(req)
	var outputs []media.Output
	for i := range n {
		order.Seed = first + uint32(i)
		part := func(p float64) { report((float64(i) + p) / float64(n)) }
		m, err := canvas.Draw(ctx, order, func(p float64) { part(0.8 * p) })
		if err != nil {
			return nil, err
		}
		seed := strconv.FormatUint(uint64(order.Seed), 10)
		out, err := pack(ctx, m, picturefile.Wrapping{Format: req.Text("output_format"), Quality: number(req, "quality", 90), Note: "seed " + seed})
		if err != nil {
			return nil, err
		}
		out.Title = "Seed " + seed
		outputs = append(outputs, out)
		part(1)
	}
	return outputs, nil
}

// seedOf is the seed that was given, or else one of the request's own: made again,
// it is the same picture.
func seedOf(req media.Request) uint32 {
	if req.Has("seed") {
		return uint32(int64(req.Float("seed")))
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(req.Key))
	return h.Sum32()
}

const (
	sheetLeast = 64
	sheetMost  = 2048
)

// sheetSize is the size of a picture to be drawn: width and height where they are
// given, the rest from the aspect ratio.
func sheetSize(req media.Request) (w, h int, err error) {
	shape, err := shapeOf(req.Text("aspect_ratio"), 1)
	if err != nil {
		return 0, 0, err
	}
	w, h = number(req, "width", 0), number(req, "height", 0)
	size := number(req, "size", 1024)
	follow := func(v float64) int { return max(1, int(math.Round(v))) }
	switch {
	case w > 0 && h > 0:
	case w > 0:
		h = follow(float64(w) / shape)
	case h > 0:
		w = follow(float64(h) * shape)
	case shape >= 1:
		w, h = size, follow(float64(size)/shape)
	default:
		w, h = follow(float64(size)*shape), size
	}
	if min(w, h) < sheetLeast || max(w, h) > sheetMost {
		return 0, 0, badInput("A picture of %d by %d pixels cannot be drawn: each side has %d to %d.", w, h, sheetLeast, sheetMost)
	}
	return w, h, nil
}

// shapeOf is width over height, written as 16:9.
func shapeOf(ratio string, otherwise float64) (float64, error) {
	if ratio == "" || ratio == "none" {
		return otherwise, nil
	}
	shape, ok := edit.Shape(ratio)
	if !ok {
		return 0, badInput("%q is no aspect ratio: write one such as 16:9.", ratio)
	}
	return shape, nil
}

// number is a whole parameter, however it was kept.
func number(req media.Request, name string, otherwise int) int {
	if !req.Has(name) {
		return otherwise
	}
	return int(req.Float(name))
}

func badInput(format string, args ...any) error {
	return &media.Failure{Class: media.BadInput, Message: fmt.Sprintf(format, args...)}
}

// toFailure makes a refusal of the library a fault of the client.
func toFailure(err error) error {
	if refusal, ok := errors.AsType[edit.Refusal](err); ok {
		return badInput("%s", refusal)
	}
	return err
}
