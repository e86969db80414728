package clip

import (
	"image"

	"golang.org/x/image/draw"
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
func (a *Album) At(width, height int) *Album {
	b := *a
	b.Width, b.Height, b.pictures = width, height, nil
	for _, p := range a.pictures {
		part, w, h := b.Cut(p.Rect)
		small := image.NewRGBA(image.Rect(0, 0, w, h))
		draw.CatmullRom.Scale(small, small.Rect, p, part, draw.Src, nil)
		b.Add(small)
	}
	return &b
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
		v.caption = Set(Medium, a.Text, box, 2+a.Height/a.Width, a.short()*0.075, 0.5)
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
	v.show(s, i, at, s.Rect, 0, 256)
	if t := span(at, v.shots[i].end-v.fade, v.shots[i].end); i+1 < len(v.shots) && v.fade > 0 && t > 0 {
		width := s.Rect.Dx()
		switch v.Transition {
		case "slide":
			edge := width - int(easeBoth(t)*float64(width))
			v.show(s, i+1, at, image.Rect(edge, 0, width, s.Rect.Dy()), edge, 256)
		case "wipe":
			v.show(s, i+1, at, image.Rect(0, 0, int(easeBoth(t)*float64(width)), s.Rect.Dy()), 0, 256)
		default:
			v.show(s, i+1, at, s.Rect, 0, int32(smooth(t)*256))
		}
	}
	v.write(s, at)
}

// show draws a picture into a part of the sheet, moved right by shift; much is how
// much of it is seen, to 256.
func (v *album) show(s *Sheet, i int, at float64, part image.Rectangle, shift int, much int32) {
	k := &v.shots[i]
	t := smooth(span(at, k.start-v.fade, k.end+0.001))
	zoom := lerp(k.from[2], k.to[2], t)
	pw, ph := float64(k.picture.Rect.Dx()), float64(k.picture.Rect.Dy())
	cx := min(max(lerp(k.from[0], k.to[0], t), zoom/2), 1-zoom/2) * pw
	cy := min(max(lerp(k.from[1], k.to[1], t), zoom/2), 1-zoom/2) * ph
	step := pw * zoom / s.W
	x0, y0 := cx-s.W/2*step, cy-s.H/2*(ph*zoom/s.H)
	if zoom == 1 && pw == s.W && ph == s.H && shift == 0 && much == 256 {
		copyPart(s.RGBA, k.picture, part)
		return
	}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		sample(s, k.picture, y, part, x0+(float64(part.Min.X-shift)+0.5)*step-0.5, y0+(float64(y)+0.5)*(ph*zoom/s.H)-0.5, step, much)
	}
}

func copyPart(dst, src *image.RGBA, part image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		copy(dst.Pix[y*dst.Stride+part.Min.X*4:y*dst.Stride+part.Max.X*4], src.Pix[y*src.Stride+part.Min.X*4:])
	}
}

// sample draws one row of a picture, from u, v on in steps, between its pixels.
func sample(s *Sheet, p *image.RGBA, y int, part image.Rectangle, u, v, step float64, much int32) {
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
	o := y*s.Stride + part.Min.X*4
	most := int64(w-1)<<16 - 1
	for x := part.Min.X; x < part.Max.X; x, o = x+1, o+4 {
		c := min(max(at, 0), most)
		i, fx := int(c>>16)*4, int32(c>>8)&255
		a, b := top[i:i+8:i+8], low[i:i+8:i+8]
		px := s.Pix[o : o+4 : o+4]
		for n := range 3 {
			m := int32(a[n])<<8 + (int32(a[n+4])-int32(a[n]))*fx
			l := int32(b[n])<<8 + (int32(b[n+4])-int32(b[n]))*fx
			value := (m + ((l-m)*fy)>>8 + 128) >> 8
			if much < 256 {
				value = int32(px[n]) + ((value-int32(px[n]))*much+128)>>8
			}
			px[n] = uint8(min(max(value, 0), 255))
		}
		px[3] = 255
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
	for y := max(int(top), 0); y < s.Rect.Dy(); y++ {
		dark := int32(in * 175 * smooth((float64(y)-top)/(s.H-top)*1.5))
		o := y * s.Stride
		for range s.Rect.Dx() {
			s.blend(o, Colour{8, 8, 12}, dark)
			o += 4
		}
	}
	for i := range v.caption.Words {
		w := &v.caption.Words[i]
		t := easeOut((at - 0.15 - 0.04*float64(i)) / 0.6)
		s.Write(w, w.X, w.Y+(1-t)*v.caption.Size*0.3, 1, Colour{255, 255, 255}, t)
	}
}
