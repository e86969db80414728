package studio

import (
	"context"
	"fmt"
	"math/rand/v2"

	"stele/internal/media"
	"stele/internal/studio/clip"
	"stele/internal/studio/cores"
	"stele/internal/studio/sound"
)

// Tone makes music for the words of a prompt, with a cover. It gives up soon after
// ctx ends.
func Tone(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error) {
	seed := seedOf(req)
	order := sound.Order{
		Mood: req.Text("mood"), Words: req.Prompt, Key: req.Text("key"), Tempo: req.Float("tempo"), Seconds: 20, Seed: uint64(seed),
	}
	if req.Has("duration") {
		order.Seconds = req.Float("duration")
	}
	piece := sound.Compose(order)
	report(0.02)
	var out, cover media.Output
	err := cores.Do(ctx, func(ctx context.Context) error {
		track, err := piece.Play(ctx, func(p float64) { report(0.02 + 0.68*p) })
		if err != nil {
			return err
		}
		title := fmt.Sprintf("%s (seed %d)", piece.Title, seed)
		if out, err = packAudio(ctx, track, req.Text("output_format"), title, func(p float64) { report(0.7 + 0.25*p) }); err != nil {
			return err
		}
		report(0.95)
		cover, err = coverOf(req, piece, track, seed)
		return err
	})
	if err != nil {
		return nil, err
	}
	report(1)
	return []media.Output{out, cover}, nil
}

// recording is sound that was made.
type recording interface {
	Seconds() float64
	WAV() []byte
	Opus(ctx context.Context, report func(float64)) (*sound.Opus, error)
}

// packAudio packs sound as a file.
func packAudio(ctx context.Context, r recording, format, title string, report func(float64)) (media.Output, error) {
	out := media.Output{Kind: "audio", Type: "audio/wav", Duration: r.Seconds(), Title: title}
	if format != "opus" {
		out.Open = inMemory(r.WAV())
		return out, nil
	}
	packed, err := r.Opus(ctx, report)
	if err != nil {
		return media.Output{}, err
	}
	out.Type, out.Open = "audio/ogg", inMemory(packed.Ogg(title))
	return out, nil
}

const coverSide = 600

func coverOf(req media.Request, piece *sound.Piece, track sound.Track, seed uint32) (media.Output, error) {
	palette := clip.PaletteFor("auto", req.Prompt+" "+piece.Mood, rand.New(rand.NewPCG(uint64(seed), 0x636f76)))
	under := fmt.Sprintf("%s  %s  %.0f bpm", piece.Mood, piece.Key, piece.Tempo)
	data, err := clip.Cover(coverSide, piece.Title, under, track.Peaks(48), palette, uint64(seed))
	if err != nil {
		return media.Output{}, err
	}
	return media.Output{Kind: "image", Role: media.Cover, Type: "image/jpeg", Width: coverSide, Height: coverSide, Open: inMemory(data)}, nil
}
