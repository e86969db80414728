// Package film makes films whole: scenes of clip with music of sound, packed as WebM or,
// where the machine has ffmpeg, as MP4, and the stills that belong to them. It must not
// know requests or where files are kept.
package film

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"stele/internal/studio/clip"
	"stele/internal/studio/sound"
)

// Take is a film that is about to be made.
type Take struct {
	clip.Film

	Stage func(ctx context.Context, width, height int) (clip.Scene, error) // its scene in any size
	Music *sound.Piece                                                     // nil for none
	Seed  uint32
}

// FrameSize is the size of a film: the resolution is its shorter side, each side even.
func FrameSize(resolution string, shape float64) (width, height int) {
	side := map[string]float64{"360p": 360, "480p": 480, "720p": 720, "1080p": 1080}[resolution]
	side = cmp.Or(side, 480)
	shape = min(max(shape, 9.0/21), 21.0/9)
	even := func(v float64) int { return int(math.Round(v/2)) * 2 }
	if shape >= 1 {
		return even(side * shape), even(side)
	}
	return even(side), even(side / shape)
}

// WebM makes the film in this process alone. music is nil for a silent one.
func (t *Take) WebM(ctx context.Context, music sound.Track, report func(float64)) ([]byte, error) {
	var track *clip.Soundtrack
	if music != nil {
		packed, err := music.Opus(ctx, nil)
		if err != nil {
			return nil, err
		}
		track = &clip.Soundtrack{Channels: packed.Channels, Head: packed.Head(), Delay: float64(packed.Skip) / sound.Rate}
		for i, data := range packed.Packets {
			track.Packets = append(track.Packets, clip.Packet{Data: data, At: float64(i) / 50})
		}
	}
	w := clip.NewWebM(&t.Film, track, fmt.Sprintf("seed %d", t.Seed))
	if err := t.VP8(ctx, w.Add, report); err != nil {
		return nil, err
	}
	return w.Bytes()
}

// Stills are what belongs to the film: the best frame, and all of it in the size of Small.
func (t *Take) Stills(ctx context.Context) (thumbnail, preview []byte, err error) {
	width, height := t.Small()
	small, err := t.Stage(ctx, width, height)
	if err != nil {
		return nil, nil, err
	}
	if thumbnail, err = t.Thumbnail(ctx, small); err != nil {
		return nil, nil, err
	}
	preview, err = t.Preview(ctx, small)
	return thumbnail, preview, err
}
