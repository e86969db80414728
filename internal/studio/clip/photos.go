package clip

import (
	"context"
	"image"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
	"stele/internal/studio/retouch"
)

// Album is what a film of pictures is made from.
type Album struct {
	Script
	Move       string // one of Moves
	Transition string // one of Transitions
	pictures   []*image.RGBA
}

// Add puts in a picture that was cut and brought to size as Cut says.
func (a *Album) Add(p *image.RGBA) { a.pictures = append(a.pictures, p) }

// Cut is what of a picture has the film's shape, and the size to bring it to: a little
// larger than the film where it has the pixels for it, so that what is nearer is sharp.
func (a *Album) Cut(b image.Rectangle) (part image.Rectangle, width, height int) {
	shape := float64(a.Width) / float64(a.Height)
	w, h := float64(b.Dx()), float64(b.Dy())
	part = b
	if w/h > shape {
		cut := min(int((w-h*shape)/2), (b.Dx()-1)/2)
		part.Min.X, part.Max.X = b.Min.X+cut, b.Max.X-cut
	} else {
		cut := min(int((h-w/shape)/2), (b.Dy()-1)/2)
		part.Min.Y, part.Max.Y = b.Min.Y+cut, b.Max.Y-cut
	}
	scale := min(max(float64(part.Dx())/float64(a.Width), 1), 1.25)
	return part, int(float64(a.Width) * scale), int(float64(a.Height) * scale)
}

// At is the album for a smaller film of the same shape.
func (a *Album) At(ctx context.Context, width, height int) (*Album, error) {
	b := *a
	b.Width, b.Height, b.pictures = width, height, nil
	for _, p := range a.pictures {
		part, w, h := b.Cut(p.Rect)
		small, err := retouch.Resize(ctx, p.SubImage(part), w, h)
		if err != nil {
			return nil, err
		}
		b.Add(small)
	}
	return &b, nil
}

// Moves lists how the view may travel over a picture; the first is for each in turn.
func Moves() []string {
	return []string{"auto", "zoom_in", "zoom_out", "pan_left", "pan_right", "pan_up", "pan_down", "still"}
}

// Transitions lists how one picture may follow another.
func Transitions() []string { return []string{"crossfade", "slide", "wipe", "cut"} }

// album shows pictures one after the other, the view travelling over each.
type album struct {
	Album
	shots   []shot
	caption *Setting
	fade    float64 // seconds of a transition
}

// shot is a picture and the two views between which it is seen: centre and the width
// of the view, by the picture's.
type shot struct {
	picture  *image.RGBA
	from, to [3]float64
	start    float64
	end      float64
}

// Stage makes the scene of an album, which has a picture at least.
func (a *Album) Stage() Scene {
	v := &album{Album: *a}
	n := float64(len(a.pictures))
	each := a.Seconds / n
	v.fade = min(0.8, each*0.35)
	if a.Transition == "cut" {
		v.fade = 0
	}
	chance := a.chance(9)
	moves := Moves()[1:]
	turn := chance.IntN(len(moves))
	for i, p := range a.pictures {
		move := a.Move
		if move == "auto" || move == "" {
			move = moves[(turn+i*3)%6] // never still by itself
		}
		s := shot{picture: p, start: each * float64(i), end: each * float64(i+1)}
		s.from, s.to = views(move, 0.1*(chance.Float64()-0.5), 0.1*(chance.Float64()-0.5))
		v.shots = append(v.shots, s)
	}
	if a.Text != "" {
		w, h := float64(a.Width), float64(a.Height)
		box := Box{w * 0.08, h * 0.70, w * 0.84, h * 0.22}
		v.caption = Set(a.Text, box, Type{Face: lettering.Medium, Lines: 2 + a.Height/a.Width, Most: a.shorterSide() * 0.075, Align: 0.5})
	}
	return v
}

// views are where a move begins and ends.
func views(move string, x, y float64) (from, to [3]float64) {
	const near, far, off = 0.80, 0.98, 0.08
	switch move {
	case "zoom_in":
		return [3]float64{0.5, 0.5, far}, [3]float64{0.5 + x, 0.5 + y, near}
	case "zoom_out":
		return [3]float64{0.5 + x, 0.5 + y, near}, [3]float64{0.5, 0.5, far}
	case "pan_left":
		return [3]float64{0.5 + off, 0.5, 0.84}, [3]float64{0.5 - off, 0.5, 0.84}
	case "pan_right":
		return [3]float64{0.5 - off, 0.5, 0.84}, [3]float64{0.5 + off, 0.5, 0.84}
	case "pan_up":
		return [3]float64{0.5, 0.5 + off, 0.84}, [3]float64{0.5, 0.5 - off, 0.84}
	case "pan_down":
		return [3]float64{0.5, 0.5 - off, 0.84}, [3]float64{0.5, 0.5 + off, 0.84}
	}
	return [3]float64{0.5, 0.5, 1}, [3]float64{0.5, 0.5, 1}
}

func (v *album) Draw(s *Sheet, at float64) {
	i := 0
	for i+1 < len(v.shots) && at >= v.shots[i].end {
		i++
	}
	whole := s.Bounds()
	v.show(s, i, at, whole, 0, 1)
	if t := span(at, v.shots[i].end-v.fade, v.shots[i].end); i+1 < len(v.shots) && v.fade > 0 && t > 0 {
		switch v.Transition {
		case "slide":
			edge := s.W - int(easeBoth(t)*s.w)
			v.show(s, i+1, at, image.Rect(edge, 0, s.W, s.H), edge, 1)
		case "wipe":
			v.show(s, i+1, at, image.Rect(0, 0, int(easeBoth(t)*s.w), s.H), 0, 1)
		default:
			v.show(s, i+1, at, whole, 0, smooth(t))
		}
	}
	v.write(s, at)
}

// show draws a picture into a part of the sheet, moved right by shift; much is how much of
// it is seen.
func (v *album) show(s *Sheet, i int, at float64, part image.Rectangle, shift int, much float64) {
	k := &v.shots[i]
	t := smooth(span(at, k.start-v.fade, k.end+0.001))
	zoom := lerp(k.from[2], k.to[2], t)
	pw, ph := float64(k.picture.Rect.Dx()), float64(k.picture.Rect.Dy())
	cx := min(max(lerp(k.from[0], k.to[0], t), zoom/2), 1-zoom/2) * pw
	cy := min(max(lerp(k.from[1], k.to[1], t), zoom/2), 1-zoom/2) * ph
	across, down := pw*zoom/s.w, ph*zoom/s.h
	x0 := cx - s.w/2*across + (float64(part.Min.X-shift)+0.5)*across - 0.5
	y0 := cy - s.h/2*down + 0.5*down - 0.5
	for y := part.Min.Y; y < part.Max.Y; y++ {
		row := s.Row(y)[part.Min.X:part.Max.X]
		sample(row, k.picture, x0, y0+float64(y)*down, across, much)
	}
}

// sample draws a row of a picture, from u, v on in steps, between its pixels.
func sample(row []ink.Tone, p *image.RGBA, u, v, step, much float64) {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	v = min(max(v, 0), float64(h)-1.001)
	j := int(v)
	fy := int32((v - float64(j)) * 256)
	top := p.Pix[j*p.Stride:][:w*4]
	low := top
	if j+1 < h {
		low = p.Pix[(j+1)*p.Stride:][:w*4]
	}
	at, by := int64(u*65536), int64(step*65536)
	most := int64(w-1)<<16 - 1
	for x := range row {
		c := min(max(at, 0), most)
		i, fx := int(c>>16)*4, int32(c>>8)&255
		a, b := top[i:i+8:i+8], low[i:i+8:i+8]
		var tone ink.Tone
		for n := range tone {
			m := int32(a[n])<<8 + (int32(a[n+4])-int32(a[n]))*fx
			l := int32(b[n])<<8 + (int32(b[n+4])-int32(b[n]))*fx
			tone[n] = uint16((m + ((l-m)*fy)>>8 + 128) >> 8 * 257)
		}
		if much < 1 {
			tone = row[x].Mix(tone, much)
		}
		row[x] = tone
		at += by
	}
}

// write puts the caption over a darkened foot of the picture.
func (v *album) write(s *Sheet, at float64) {
	if v.caption == nil {
		return
	}
	in := smooth((at - 0.1) / 0.7)
	top := v.caption.Box.Y - v.caption.Size*1.6
	dark := ink.Color{R: 0.03, G: 0.03, B: 0.05}.Tone()
	_ = s.Wash(context.Background(), image.Rect(0, max(int(top), 0), s.W, s.H), func(_, y int) (ink.Tone, float64) {
		return dark, in * 0.68 * smooth((float64(y)-top)/(s.h-top)*1.5)
	})
	for i := range v.caption.Words {
		w := &v.caption.Words[i]
		t := easeOut((at - 0.15 - 0.04*float64(i)) / 0.6)
		s.write(w, w.X, w.Y+(1-t)*v.caption.Size*0.3, 1, ink.White, t)
	}
}
