package clip

import "math"

// waves is a sea, or hills, in layers under a sun that rises behind them.
type waves struct {
	script Script
	title  *title
	layers []layer
	sunX   float64
}

type layer struct {
	colour                 Colour
	base                   float64 // of the height
	tall, long, speed, off [3]float64
}

const waveLayers = 6

func newWaves(s Script) Scene {
	v := &waves{script: s}
	w, h := float64(s.Width), float64(s.Height)
	chance := s.chance(2)
	v.title = newTitle(s, Bold, Box{w * 0.1, h * 0.08, w * 0.8, h * 0.34}, 3+s.Height/s.Width*2, s.short()*0.15, 0.5)
	v.sunX = w * (0.3 + 0.4*chance.Float64())
	for i := range waveLayers {
		f := float64(i) / (waveLayers - 1)
		k := layer{base: 0.6 + 0.32*f}
		if s.Palette.Light {
			k.colour = s.Palette.Soft.Mix(s.Palette.Accent, 0.25+0.75*f)
		} else {
			k.colour = s.Palette.Mid.Mix(s.Palette.Back, 0.15+0.85*f)
		}
		for j := range 3 {
			k.tall[j] = s.short() * (0.035 - 0.009*float64(j)) * (0.8 + 0.5*chance.Float64()) * (0.7 + 0.5*f)
			k.long[j] = w * (0.75 - 0.22*float64(j)) * (0.7 + 0.6*chance.Float64()) * (0.8 + 0.5*f)
			k.speed[j] = (0.035 + 0.05*f) * (1 + 0.5*float64(j)) * sign(chance.Float64()-0.4)
			k.off[j] = chance.Float64()
		}
		v.layers = append(v.layers, k)
	}
	return v
}

func sign(v float64) float64 {
	if v < 0 {
		return -1
	}
	return 1
}

func (v *waves) Draw(s *Sheet, at float64) {
	p := v.script.Palette
	top, low := p.Back, p.Mid
	if p.Light {
		top, low = p.Back, p.Soft
	}
	middle := p.Deep
	s.Field(func(_, y float64) (r, g, b float64) {
		from, to, f := top, middle, y/0.38
		if y > 0.38 {
			from, to, f = middle, low, (y-0.38)/0.34
		}
		f = smooth(f)
		return lerp(float64(from.R), float64(to.R), f), lerp(float64(from.G), float64(to.G), f), lerp(float64(from.B), float64(to.B), f)
	})
	v.sun(s, at)
	v.paint(s, at)
	v.title.rise(s, at, p.Ink)
}

func (v *waves) sun(s *Sheet, at float64) {
	p := v.script.Palette
	up := easeOut(at / max(v.script.Seconds*0.9, 1))
	y := s.H*0.76 - s.H*0.15*up
	r := v.script.short() * 0.13
	if !p.Light {
		s.Glow(v.sunX, y, r*3.4, p.Soft, 0.34)
		s.Disc(v.sunX, y, r, p.Accent, 1)
		return
	}
	s.Disc(v.sunX, y, r*1.5, p.Mid, 0.25)
	s.Disc(v.sunX, y, r, p.Accent, 1)
}

// paint fills the layers, the last in front: each pixel once, with soft crests.
func (v *waves) paint(s *Sheet, at float64) {
	width, height := s.Rect.Dx(), s.Rect.Dy()
	var crests [waveLayers][]float64
	high := s.H
	for i, k := range v.layers {
		crests[i] = make([]float64, width)
		// A swell is smooth: every eighth column, and lines between.
		for x := 0; x < width+8; x += 8 {
			y := k.base * s.H
			for j := range 3 {
				y += k.tall[j] * turn(float64(x)/k.long[j]+at*k.speed[j]+k.off[j])
			}
			high = math.Min(high, y)
			if x < width {
				crests[i][x] = y
			}
			for back := 1; back < 8 && x > 0 && x-back < width; back++ {
				start := crests[i][x-8]
				crests[i][x-back] = start + (y-start)*float64(8-back)/8
			}
		}
	}
	for y := max(int(high)-1, 0); y < height; y++ {
		o := y * s.Stride
		for x := range width {
			i := waveLayers - 1
			for i >= 0 && float64(y) < crests[i][x] {
				i--
			}
			if i >= 0 {
				c := v.layers[i].colour
				px := s.Pix[o : o+3 : o+3]
				px[0], px[1], px[2] = c.R, c.G, c.B
			}
			for i++; i < waveLayers; i++ { // crests that run through the pixel
				if cover := float64(y) + 1 - crests[i][x]; cover > 0 {
					s.blend(o, v.layers[i].colour, int32(cover*256))
				}
			}
			o += 4
		}
	}
}
