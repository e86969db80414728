package studio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"stele/internal/media"
	"stele/internal/studio/clip"
	"stele/internal/studio/film"
	"stele/internal/studio/program"
	"stele/internal/studio/sound"
)

// Look finds a program on the machine, as exec.LookPath does.
type Look = program.Look

// Director makes films: from words, and from pictures.
type Director struct{ films *film.Director }

// Motion looks for what films can be made with on this machine.
func Motion(look Look) *Director { return &Director{film.Open(look)} }

// Declare fits the declaration to the machine: mp4 is offered where it can be made.
func (d *Director) Declare(m *media.Model) {
	if !d.films.WritesMP4() {
		return
	}
	for _, o := range m.Operations {
		for i := range o.Parameters {
			if p := &o.Parameters[i]; p.Name == "output_format" {
				p.Values = []any{"webm", "mp4"}
			}
		}
	}
}

// Make makes a film with its thumbnail and preview. It gives up soon after ctx ends.
func (d *Director) Make(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error) {
	t, err := plan(ctx, req)
	if err != nil {
		return nil, err
	}
	report(0.02)
	share := 0.0
	var music sound.Track
	if t.Music != nil {
		share = 0.15
		if music, err = t.Music.Play(ctx, func(p float64) { report(0.02 + 0.1*p) }); err != nil {
			return nil, err
		}
	}
	out, err := d.take(ctx, t, music, req.Text("output_format"), func(p float64) { report(0.02 + share + (0.9-share)*p) })
	if err != nil {
		return nil, err
	}
	thumbnail, preview, err := t.Stills(ctx)
	if err != nil {
		return nil, err
	}
	report(1)
	width, height := t.Small()
	return []media.Output{
		out,
		{Kind: "image", Role: media.Thumbnail, Type: "image/jpeg", Width: t.Width, Height: t.Height, Open: inMemory(thumbnail)},
		{Kind: "image", Role: media.Preview, Type: "image/webp", Width: width, Height: height, Open: inMemory(preview)},
	}, nil
}

// take makes the film itself.
func (d *Director) take(ctx context.Context, t *film.Take, music sound.Track, format string, report func(float64)) (media.Output, error) {
	out := media.Output{
		Kind: "video", Type: "video/webm", Width: t.Width, Height: t.Height, Duration: t.At(t.Frames()), Title: fmt.Sprintf("Seed %d", t.Seed),
	}
	var data []byte
	var err error
	if format == "mp4" {
		out.Type = "video/mp4"
		data, err = d.films.MP4(ctx, t, music, report)
	} else {
		data, err = t.WebM(ctx, music, report)
	}
	if errors.Is(err, film.ErrNoFFmpeg) {
		err = badInput("This machine cannot make mp4: it has no ffmpeg. Ask for webm.")
	} else if packing, ok := errors.AsType[*program.Error](err); ok {
		err = &media.Failure{Class: media.ModelFailed, Message: "The film could not be packed as mp4.", Err: packing}
	}
	out.Open = inMemory(data)
	return out, err
}

func plan(ctx context.Context, req media.Request) (*film.Take, error) {
	switch req.Operation.Mode {
	case "text_to_video":
		return planFromWords(req)
	case "frames_to_video":
		return planFromPictures(ctx, req)
	}
	return nil, badInput("Motion cannot do %s.", req.Operation.Mode)
}

// newTake reads what both modes have in common.
func newTake(req media.Request) (*film.Take, clip.Script) {
	t := &film.Take{Seed: seedOf(req)}
	t.FPS = number(req, "fps", 24)
	t.Seconds = 5
	if req.Has("duration") {
		t.Seconds = req.Float("duration")
	}
	words := req.Prompt + " " + req.Text("text") + " " + req.Text("caption")
	if req.Flag("sound") {
		t.Music = sound.Compose(sound.Order{Words: words, Seconds: t.Seconds, Seed: uint64(t.Seed)})
	}
	s := clip.Script{
		Seconds: t.Seconds, Seed: uint64(t.Seed),
		Palette: clip.PaletteFor(req.Text("palette"), words, rand.New(rand.NewPCG(uint64(t.Seed), 0x636f6c))),
	}
	if t.Music != nil {
		s.Beat = t.Music.Beat()
	}
	return t, s
}

func planFromWords(req media.Request) (*film.Take, error) {
	t, s := newTake(req)
	shape, err := shapeOf(req.Text("aspect_ratio"), 16.0/9)
	if err != nil {
		return nil, err
	}
	t.Width, t.Height = film.FrameSize(req.Text("resolution"), shape)
	if !req.Has("show_text") || req.Flag("show_text") {
		s.Text = req.Prompt
		if text := req.Text("text"); text != "" {
			s.Text = text
		}
		s.Text = clip.Readable(s.Text)
	}
	style := clip.StyleFor(req.Text("style"), req.Prompt, uint64(t.Seed))
	t.Stage = func(_ context.Context, width, height int) (clip.Scene, error) {
		s.Width, s.Height = width, height
		return clip.Stage(style, s), nil
	}
	s.Width, s.Height = t.Width, t.Height
	t.Scene = clip.Stage(style, s)
	return t, nil
}

func inMemory(data []byte) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}
