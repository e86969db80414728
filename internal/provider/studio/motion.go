package studio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"stele/internal/media"
	"stele/internal/studio/clip"
	"stele/internal/studio/sound"
)

// Look finds a program on the machine, as exec.LookPath does.
type Look func(name string) (path string, err error)

// Director makes films: from words, and from pictures.
type Director struct {
	ffmpeg string // "" where there is none that writes MP4
	h264   string // its encoder
}

// Motion looks for what films can be made with on this machine. WebM needs nothing.
func Motion(look Look) *Director {
	d := &Director{}
	d.ffmpeg, d.h264 = findFFmpeg(look)
	return d
}

// Declare fits the declaration to the machine: mp4 is offered where it can be made.
func (d *Director) Declare(m *media.Model) {
	if d.ffmpeg == "" {
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
	t, err := d.plan(ctx, req)
	if err != nil {
		return nil, err
	}
	report(0.02)
	share := 0.0
	var music sound.Track
	if t.music != nil {
		share = 0.15
		if music, err = t.music.Play(ctx, func(p float64) { report(0.02 + 0.1*p) }); err != nil {
			return nil, err
		}
	}
	film := func(p float64) { report(0.02 + share + (0.9-share)*p) }
	var out media.Output
	if req.Text("output_format") == "mp4" {
		out, err = d.mp4(ctx, t, music, film)
	} else {
		out, err = t.webm(ctx, music, film)
	}
	if err != nil {
		return nil, err
	}
	out.Title = fmt.Sprintf("Seed %d", t.seed)
	list, err := t.stills(ctx)
	if err != nil {
		return nil, err
	}
	report(1)
	return append([]media.Output{out}, list...), nil
}

// take is a film that is about to be made.
type take struct {
	clip.Film
	stage func(width, height int) clip.Scene
	music *sound.Piece // nil for none
	seed  uint32
}

func (d *Director) plan(ctx context.Context, req media.Request) (*take, error) {
	switch req.Operation.Mode {
	case "text_to_video":
		return d.fromWords(req)
	case "frames_to_video":
		return d.fromPictures(ctx, req)
	}
	return nil, badInput("Motion cannot do %s.", req.Operation.Mode)
}

// newTake reads what both modes have in common.
func newTake(req media.Request) (*take, clip.Script) {
	t := &take{seed: seedOf(req)}
	t.FPS = number(req, "fps", 24)
	t.Seconds = 5
	if req.Has("duration") {
		t.Seconds = req.Float("duration")
	}
	words := req.Prompt + " " + req.Text("text") + " " + req.Text("caption")
	if req.Flag("sound") {
		t.music = sound.Compose(sound.Order{Words: words, Seconds: t.Seconds, Seed: uint64(t.seed)})
	}
	s := clip.Script{
		Seconds: t.Seconds, Seed: uint64(t.seed),
		Palette: clip.PaletteFor(req.Text("palette"), words, rand.New(rand.NewPCG(uint64(t.seed), 0x636f6c))),
	}
	if t.music != nil {
		s.Beat = t.music.Beat()
	}
	return t, s
}

func (d *Director) fromWords(req media.Request) (*take, error) {
	t, s := newTake(req)
	shape, err := shapeOf(req.Text("aspect_ratio"), 16.0/9)
	if err != nil {
		return nil, err
	}
	t.Width, t.Height = frameSize(req.Text("resolution"), shape)
	if !req.Has("show_text") || req.Flag("show_text") {
		s.Text = req.Prompt
		if text := req.Text("text"); text != "" {
			s.Text = text
		}
		s.Text = clip.Readable(s.Text)
	}
	style := clip.StyleFor(req.Text("style"), req.Prompt, uint64(t.seed))
	t.stage = func(width, height int) clip.Scene {
		s.Width, s.Height = width, height
		return clip.Stage(style, s)
	}
	t.Scene = t.stage(t.Width, t.Height)
	return t, nil
}

// frameSize is the size of a film: the resolution is its shorter side, each side even.
func frameSize(resolution string, shape float64) (width, height int) {
	side := map[string]float64{"360p": 360, "480p": 480, "720p": 720, "1080p": 1080}[resolution]
	if side == 0 {
		side = 480
	}
	shape = min(max(shape, 9.0/21), 21.0/9)
	even := func(v float64) int { return int(math.Round(v/2)) * 2 }
	if shape >= 1 {
		return even(side * shape), even(side)
	}
	return even(side), even(side / shape)
}

// webm makes the film in this process alone.
func (t *take) webm(ctx context.Context, music sound.Track, report func(float64)) (media.Output, error) {
	var track *clip.Soundtrack
	if music != nil {
		packed, err := music.Opus(ctx, nil)
		if err != nil {
			return media.Output{}, err
		}
		track = &clip.Soundtrack{Channels: packed.Channels, Head: packed.Head(), Delay: float64(packed.Skip) / sound.Rate}
		for i, data := range packed.Packets {
			track.Packets = append(track.Packets, clip.Packet{Data: data, At: float64(i) / 50})
		}
	}
	w := clip.NewWebM(&t.Film, track, fmt.Sprintf("seed %d", t.seed))
	if err := t.VP8(ctx, w.Add, report); err != nil {
		return media.Output{}, err
	}
	data, err := w.Bytes()
	if err != nil {
		return media.Output{}, err
	}
	return t.output(data, "video/webm"), nil
}

func (t *take) output(data []byte, kind string) media.Output {
	return media.Output{
		Kind: "video", Type: kind, Width: t.Width, Height: t.Height, Duration: t.At(t.Frames()), Open: inMemory(data),
	}
}

// stills makes what belongs to the film: the best frame, and all of it in small.
func (t *take) stills(ctx context.Context) ([]media.Output, error) {
	width, height := t.Small()
	small := t.stage(width, height)
	thumbnail, err := t.Thumbnail(ctx, small)
	if err != nil {
		return nil, err
	}
	preview, err := t.Preview(ctx, small)
	if err != nil {
		return nil, err
	}
	return []media.Output{
		{Kind: "image", Role: media.Thumbnail, Type: "image/jpeg", Width: t.Width, Height: t.Height, Open: inMemory(thumbnail)},
		{Kind: "image", Role: media.Preview, Type: "image/webp", Width: width, Height: height, Open: inMemory(preview)},
	}, nil
}

func inMemory(data []byte) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}
