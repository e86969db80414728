package clip

import "math"

// retro is a drive into a striped sun over a grid of light.
type retro struct {
	script Script
	title  *title
	stars  [][3]float64
	ridge  []float64
}

func newRetro(s Script) Scene {
	v := &retro{script: s}
	w, h := float64(s.Width), float64(s.Height)
	chance := s.chance(5)
	v.title = newTitle(s, Bold, Box{w * 0.1, h * 0.07, w * 0.8, h * 0.27}, 3+s.Height/s.Width*2, s.short()*0.16, 0.5)
	for range 90 {
		v.stars = append(v.stars, [3]float64{chance.Float64(), chance.Float64() * 0.5, chance.Float64()})
	}
	for range 15 {
		v.ridge = append(v.ridge, 0.02+0.075*chance.Float64())
	}
	return v
}

const horizon = 0.66

func (v *retro) Draw(s *Sheet, at float64) {
	p := v.script.Palette
	ground, line, high, low := p.Back, p.Mid, p.Back, p.Mid
	if p.Light {
		ground, line, high, low = p.Deep, p.Accent, p.Back, p.Soft
	}
	s.Field(func(_, y float64) (r, g, b float64) {
		f := smooth(y/horizon) * 0.9
		return lerp(float64(high.R), float64(low.R), f*f), lerp(float64(high.G), float64(low.G), f*f), lerp(float64(high.B), float64(low.B), f*f)
	})
	for _, k := range v.stars {
		glitter := 0.35 + 0.4*turn(at*(0.2+0.5*k[2])+k[2]*7)
		s.Disc(k[0]*s.W, k[1]*s.H, v.script.short()*(0.0012+0.0016*k[2]), p.Ink, max(glitter, 0)*(1-k[1]*1.6))
	}
	v.sun(s, at)
	v.hills(s)
	y := s.H * horizon
	s.Bar(0, y, s.W, s.H, ground, 1)
	v.grid(s, at, line)
	if !p.Light {
		for i := range 3 {
			t := v.script.short() * 0.012 * float64(i+1)
			s.Bar(0, y-t, s.W, y+t, p.Soft, 0.13)
		}
	}
	s.Bar(0, y-v.script.short()*0.002, s.W, y+v.script.short()*0.002, p.Soft, 1)
	v.title.rise(s, at, p.Ink)
}

// sun is a disc with slits that move down and widen.
func (v *retro) sun(s *Sheet, at float64) {
	p := v.script.Palette
	low := p.Mid
	if p.Light {
		low = p.Soft
	}
	r := v.script.short() * 0.21
	cx, cy := s.W/2, s.H*horizon-r*0.34+(1-easeOut(at/1.6))*r*0.9
	if !p.Light {
		s.Glow(cx, cy, r*2.2, p.Mid, 0.5)
	}
	top, bottom := max(int(cy-r), 0), min(int(cy+r)+1, s.Rect.Dy())
	for y := top; y < bottom; y++ {
		d := (float64(y) + 0.5 - cy) / r
		if d < -1 || d > 1 {
			continue
		}
		if d > -0.15 {
			band := (d+0.15)*6.5 - at*0.45
			band -= math.Floor(band)
			if band < 0.16+0.3*(d+0.15) {
				continue
			}
		}
		half := r * math.Sqrt(1-d*d)
		s.Bar(cx-half, float64(y), cx+half, float64(y+1), p.Accent.Mix(low, unit(d*0.6+0.5)*0.85), 1)
	}
}

func (v *retro) hills(s *Sheet) {
	p := v.script.Palette
	colour := p.Deep.Mix(p.Back, 0.4)
	if p.Light {
		colour = p.Mid
	}
	reach := min(s.W*0.42, s.W/2-v.script.short()*0.24)
	for _, side := range []bool{false, true} {
		points := [][2]float64{{-2, s.H*horizon + 1}}
		for i, h := range v.ridge {
			f := float64(i) / float64(len(v.ridge)-1)
			points = append(points, [2]float64{f * reach, s.H * (horizon - h*(1-f*f))})
		}
		points = append(points, [2]float64{reach, s.H*horizon + 1})
		if side {
			for i := range points {
				points[i][0] = s.W - points[i][0]*0.92
			}
		}
		s.Polygon(points, colour, 1)
	}
}

func (v *retro) grid(s *Sheet, at float64, line Colour) {
	y0, deep := s.H*horizon, s.H*(1-horizon)
	thin := max(v.script.short()/420, 1)
	for i := -16; i <= 16; i++ {
		x := s.W/2 + float64(i)*s.W*0.035
		far := s.W/2 + float64(i)*s.W*0.21
		s.Line([2]float64{x, y0}, [2]float64{far, s.H + 2}, thin, line, 0.85)
	}
	move := math.Mod(at*0.9, 1)
	for i := range 14 {
		d := float64(i) + 1 - move
		y := y0 + deep/(d*0.55)*0.45
		if y > s.H {
			continue
		}
		thick := thin * (0.4 + 1.3*(y-y0)/deep)
		s.Bar(0, y-thick/2, s.W, y+thick/2, line, 0.3+0.6*unit((y-y0)/deep*2))
	}
}
