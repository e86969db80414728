package clip

import (
	"context"
	"fmt"
	"math"
	"sync"

	"stele/internal/studio/clip/vp8"
)

// Film is a scene and how it is taken.
type Film struct {
	Scene         Scene
	Width, Height int
	FPS           int
	Seconds       float64
}

// Frames is how many pictures the film has.
func (f *Film) Frames() int { return max(int(math.Round(f.Seconds*float64(f.FPS))), 1) }

// At is the time of a frame in seconds.
func (f *Film) At(frame int) float64 { return float64(frame) / float64(f.FPS) }

// group is how many frames hang together: about a second, from one key frame to the
// next. It goes by the film alone, so that the bytes do not depend on the machine.
func (f *Film) group() int {
	if f.Seconds < 4 {
		return max(f.FPS/2, 4)
	}
	return f.FPS
}

// VP8 takes the film. Groups of frames are drawn and encoded side by side, and given
// to take in their order; report hears how far it is, from 0 to 1.
func (f *Film) VP8(ctx context.Context, take func(first int, frames [][]byte) error, report func(float64)) error {
	frames, size := f.Frames(), f.group()
	groups := (frames + size - 1) / size
	tools := sync.Pool{New: func() any { return f.camera() }}
	done := counter{report: report, all: frames}
	return inOrder(ctx, groups, func(ctx context.Context, i int) ([][]byte, error) {
		c := tools.Get().(*camera)
		if c.err != nil {
			return nil, c.err
		}
		defer tools.Put(c)
		return c.take(ctx, i*size, min((i+1)*size, frames), &done)
	}, func(i int, list [][]byte) error {
		return take(i*size, list)
	})
}

// Raw takes the film without compression: frames in YUV 4:2:0, in their order.
func (f *Film) Raw(ctx context.Context, take func(p *vp8.Picture) error, report func(float64)) error {
	tools := sync.Pool{New: func() any { return NewSheet(f.Width, f.Height) }}
	pictures := sync.Pool{New: func() any { return vp8.NewPicture(f.Width, f.Height) }}
	done := counter{report: report, all: f.Frames()}
	return inOrder(ctx, f.Frames(), func(ctx context.Context, i int) (*vp8.Picture, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sheet, p := tools.Get().(*Sheet), pictures.Get().(*vp8.Picture)
		f.Scene.Draw(sheet, f.At(i))
		p.Set(sheet.Frame())
		tools.Put(sheet)
		done.add()
		return p, nil
	}, func(_ int, p *vp8.Picture) error {
		err := take(p)
		pictures.Put(p)
		return err
	})
}

// counter tells how many of all are done, in an order that never goes back.
type counter struct {
	mu     sync.Mutex // guards n and the calls of report
	n, all int
	report func(float64)
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if c.report != nil {
		c.report(float64(c.n) / float64(c.all))
	}
}

// camera is what one worker needs to take frames.
type camera struct {
	film    *Film
	sheet   *Sheet
	picture *vp8.Picture
	encoder *vp8.Encoder
	err     error
}

func (f *Film) camera() *camera {
	encoder, err := vp8.New(f.Width, f.Height)
	if err != nil {
		return &camera{err: fmt.Errorf("film of %dx%d: %w", f.Width, f.Height, err)}
	}
	return &camera{film: f, sheet: NewSheet(f.Width, f.Height), picture: vp8.NewPicture(f.Width, f.Height), encoder: encoder}
}

// take makes the frames of one group. What would need more than its share of bytes is
// made coarser: a film of noise must not fill the memory.
func (c *camera) take(ctx context.Context, from, to int, done *counter) ([][]byte, error) {
	c.encoder.Halt = func() bool { return ctx.Err() != nil }
	list := make([][]byte, 0, to-from)
	fine, share := c.film.rate()
	q, spent := fine, 0
	for i := from; i < to; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.film.Scene.Draw(c.sheet, c.film.At(i))
		c.picture.Set(c.sheet.Frame())
		if i == from {
			frame := c.encoder.Key(c.picture, q)
			for len(frame) > share*6 && q < 60 {
				q += 12
				frame = c.encoder.Key(c.picture, q)
			}
			list = append(list, frame)
		} else {
			list = append(list, c.encoder.Next(c.picture, q))
		}
		spent += len(list[len(list)-1])
		switch allowed := share * (i - from + 6); {
		case spent > allowed:
			q = min(q+4, 80)
		case spent < allowed/2 && q > fine:
			q--
		}
		done.add()
	}
	return list, ctx.Err()
}

// rate is the finest quantiser of the film and the bytes that a frame may have.
func (f *Film) rate() (quantiser, share int) {
	pixels := f.Width * f.Height
	quantiser = 12
	switch {
	case pixels > 1300*1000:
		quantiser = 22
	case pixels > 640*1000:
		quantiser = 18
	}
	// 0.2 bits for a pixel at 24 frames a second: 4.4 Mbit/s at 720p.
	return quantiser, pixels / 40 * 24 / max(f.FPS, 12)
}
