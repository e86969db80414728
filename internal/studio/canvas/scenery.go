package canvas

import (
	"math"

	"stele/internal/studio/ink"
)

// hangLight hangs sun or moon where no word is.
func (v *view) hangLight() {
	v.lr = v.u * (0.075 + 0.035*v.r.Float64())
	v.lampX = v.x + v.w*(0.28+0.44*v.r.Float64())
	v.lampY = v.horizon - v.lr*(0.4+1.2*v.r.Float64())
	if v.night {
		v.lr *= 0.72
		v.lampY = v.y + (v.horizon-v.y)*0.3
		if v.words.w > 0 {
			v.lampX = v.right() - 2.4*v.lr
			v.lampY = max(v.words.bottom()+1.6*v.lr, v.lampY)
		}
	} else if v.words.w > 0 {
		v.lampY = max(v.lampY, v.words.bottom()+1.15*v.lr)
	}
	at := ink.Point{X: v.lampX, Y: v.lampY}
	v.glow(at, 4.5*v.lr, v.lamp, 0.42)
	disc := new(ink.Path)
	disc.Circle(at.X, at.Y, v.lr)
	v.lay(disc, v.lamp)
}

// drawClouds draws flat bars of air with round ends.
func (v *view) drawClouds() {
	top := v.y + 0.1*v.u
	if v.words.w > 0 {
		top = v.words.bottom() + 0.02*v.u
	}
	room := v.horizon - 0.16*v.u - top
	if room < 0.02*v.u {
		return
	}
	c := v.low.Mix(ink.White, 0.35)
	for range 3 {
		p := new(ink.Path)
		x, y := v.x+v.w*v.r.Float64(), top+room*v.r.Float64()
		w, h := v.u*(0.16+0.16*v.r.Float64()), 0.024*v.u
		p.Round(x-w/2, y, w, h, h/2)
		p.Round(x-w*0.26, y-h*0.9, w*0.56, h, h/2)
		p.Round(x-w*0.44, y+h*0.9, w*0.6, h, h/2)
		v.paint(p, ink.Solid(c), 0.5)
	}
}

// shape is the height of a ridge at a place, from 0 to 1.
type shape func(n ink.Noise, x float64) float64

func peak(n ink.Noise, x float64) float64 {
	sharp := 1 - math.Abs(n.At(x*1.1, 0.5)) // ridges where the noise crosses zero
	return 0.62*sharp*sharp + 0.2*math.Abs(n.At(x*3.1, 4.5)) + 0.1*math.Abs(n.At(x*8, 8.5)) + 0.05*math.Abs(n.At(x*19, 2.5))
}

func hill(n ink.Noise, x float64) float64 { return 0.5 + 0.42*n.At(x*0.8, 0.5) }

func dune(n ink.Noise, x float64) float64 {
	v := n.At(x*0.7, 0.5)
	return 0.45 + 0.4*v + 0.12*math.Abs(n.At(x*1.4+5, 2.5))
}

// drawRidges draws ridges, one before the other, each darker than the last; before the sea there
// are fewer of them.
func (v *view) drawRidges(form shape, n int, sea bool) {
	high := min(0.34*v.u, 0.8*(v.horizon-v.y))
	if v.words.w > 0 {
		high = min(high, 0.9*(v.horizon-v.words.bottom()))
	}
	ground := v.bottom() - v.horizon
	if sea {
		n = 2
	}
	for i := range n {
		depth := float64(i) / float64(n)
		noise := ink.NewNoise(v.r.Uint32())
		base := v.horizon + 0.02*v.u + ground*0.8*depth*depth
		lift := high * (1 - 0.45*depth)
		if sea {
			base, lift = v.horizon+0.004*v.u, high*(0.95-0.4*depth)
		}
		line := func(x float64) float64 { return base - lift*form(noise, (x-v.x)/v.u*1.5+40*depth) + 0.3*lift }
		c := v.far.Mix(v.near, depth*0.95)
		foot := ink.NewRamp(c.Lighter(0.035), c.Mix(v.low, 0.16))
		v.paint(v.downFrom(line), foot.Linear(ink.Point{Y: base - lift}, ink.Point{Y: base + 0.2*v.u}), 1)
		if i == 0 && v.mood.things["snow"] || i == 0 && v.pal.name == "ice" {
			v.whitenCaps(line, base-0.2*lift)
		}
		if sea && i == n-1 {
			v.drawSea()
		}
	}
}

// whitenCaps whitens what stands above the snow line.
func (v *view) whitenCaps(line func(x float64) float64, snow float64) {
	p := v.downFrom(line)
	noise := ink.NewNoise(v.r.Uint32())
	white, k := ink.White.Tone(), 1/v.u
	rock := func(x, y int) float64 {
		edge := snow + 0.03*v.u*noise.At(float64(x)*k*26, 1.5)
		return ink.Smooth(edge+1.2, edge-1.2, float64(y))
	}
	v.paint(p, func(x, y int) ink.Tone { return v.page.At(x, y).Mix(white, 0.9*rock(x, y)) }, 1)
}

// drawSea draws the sea below the horizon, which carries the light in broken lines.
func (v *view) drawSea() {
	b := box{v.x, v.horizon, v.w, v.bottom() - v.horizon}
	water := ink.NewRamp(v.low.Mix(v.far, 0.5), v.far.Mix(v.near, 0.55), v.near)
	v.wash(b.pixels(), opaque(water.Linear(ink.Point{Y: b.y}, ink.Point{Y: b.bottom()})))
	glints, streaks := new(ink.Path), new(ink.Path)
	for i := range 26 {
		t := float64(i) / 26
		y := b.y + b.h*math.Pow(t, 1.4)*0.96 + 0.008*v.u
		h := max(0.8, 0.0042*v.u*(0.5+1.6*t))
		w := v.lr * (0.7 + 1.6*v.r.Float64()) * (0.6 + 0.9*t)
		x := v.lampX + (v.r.Float64()-0.5)*v.lr*(0.6+1.6*t)
		glints.Round(x-w/2, y, w, h, h/2)
		x = v.x + v.r.Float64()*v.w
		w = v.u * (0.05 + 0.15*v.r.Float64())
		streaks.Round(x-w/2, y+0.01*v.u, w, h*0.7, h/3)
	}
	v.paint(streaks, ink.Solid(v.low), 0.22)
	v.paint(glints, ink.Solid(v.lamp), 0.72)
}
