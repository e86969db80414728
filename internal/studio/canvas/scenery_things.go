package canvas

import (
	"math"

	"stele/internal/studio/ink"
)

// drawWood draws conifers along the lower edge, the near ones the larger.
func (v *view) drawWood() {
	for row := range 2 {
		depth := float64(row)
		size := v.u * (0.085 + 0.075*depth)
		noise := ink.NewNoise(v.r.Uint32())
		p := new(ink.Path)
		for x := v.x - size; x < v.right()+size; x += size * (0.26 + 0.22*v.r.Float64()) {
			rise := noise.At((x-v.x)/v.u*1.7, depth)
			gap := 0.45 + 0.75*math.Abs((x-v.x)/v.w-0.5) // lower in the middle: a view through
			high := size * (0.55 + 0.5*v.r.Float64()) * (gap + 0.35)
			foot := v.bottom() - (0.085-0.085*depth)*v.u - 0.03*v.u*rise + 0.01*v.u
			v.drawConifer(p, x, foot, high)
		}
		ground := v.bottom() - (0.1-0.085*depth)*v.u
		p.Rect(v.x-2, ground, v.w+4, v.bottom()-ground+2)
		v.lay(p, v.far.Mix(v.near, 0.82+0.18*depth).Lighter(-0.02*depth))
	}
}

// drawConifer draws a tree of four skirts.
func (v *view) drawConifer(p *ink.Path, x, foot, high float64) {
	for i := range 4 {
		t := float64(i) / 4
		top, low := foot-high*(1-0.2*float64(i)), foot-high*(0.62-t*0.78)
		half := high * (0.075 + 0.062*float64(i))
		p.Polygon(ink.Point{X: x, Y: top}, ink.Point{X: x + half, Y: min(foot, low)}, ink.Point{X: x - half, Y: min(foot, low)})
	}
	p.Rect(x-high*0.02, foot-high*0.1, high*0.04, high*0.12)
}

// drawTown draws a skyline with lit windows.
func (v *view) drawTown() {
	for row := range 2 {
		depth := float64(row)
		base := v.horizon + (0.06+0.2*depth)*(v.bottom()-v.horizon)
		c := v.far.Mix(v.near, 0.45+0.5*depth)
		houses, lights := new(ink.Path), new(ink.Path)
		x := v.x - 0.02*v.u
		for x < v.right() {
			w := v.u * (0.045 + 0.06*v.r.Float64())
			centre := 1 - math.Abs((x-v.x)/v.w-0.5)*1.1
			top := base - v.u*(0.05+0.24*v.r.Float64()*centre)*(1.05-0.25*depth)
			houses.Rect(x, top, w*0.94, v.bottom()-top+2)
			if v.r.IntN(4) == 0 {
				houses.Rect(x+w*0.44, top-0.04*v.u, max(1, 0.005*v.u), 0.045*v.u)
			}
			v.drawWindows(lights, box{x, top, w * 0.94, base + 0.1*v.u - top})
			x += w
		}
		v.lay(houses, c)
		v.paint(lights, ink.Solid(v.lamp), 0.45+0.35*depth)
	}
	ground := box{v.x, v.horizon + 0.42*(v.bottom()-v.horizon), v.w, v.bottom()}
	p := v.downFrom(func(float64) float64 { return ground.y })
	v.lay(p, v.near)
}

func (v *view) drawWindows(p *ink.Path, b box) {
	step := 0.017 * v.u
	for y := b.y + step; y < b.bottom()-step; y += step {
		for x := b.x + step*0.7; x < b.right()-step*0.7; x += step * 0.8 {
			if v.r.IntN(4) == 0 {
				p.Rect(x, y, step*0.34, step*0.46)
			}
		}
	}
}

// drawBoat draws a boat that sails, and a lighthouse where one was named.
func (v *view) drawBoat() {
	b := box{v.x, v.horizon, v.w, v.bottom() - v.horizon}
	size := 0.055 * v.u
	x, y := b.x+b.w*(0.16+0.2*v.r.Float64()), b.y+0.3*b.h
	if beacon := v.mood.things["lighthouse"]; beacon == (v.lampX > v.x+v.w/2) { // not in the light, nor before the tower
		x = v.right() - (x - v.x)
	}
	hull, sail := new(ink.Path), new(ink.Path)
	hull.Polygon(ink.Point{X: x - size, Y: y}, ink.Point{X: x + size, Y: y}, ink.Point{X: x + size*0.6, Y: y + size*0.34}, ink.Point{X: x - size*0.7, Y: y + size*0.34})
	sail.Polygon(ink.Point{X: x, Y: y - size*2.1}, ink.Point{X: x + size*0.95, Y: y - size*0.14}, ink.Point{X: x, Y: y - size*0.14})
	sail.Polygon(ink.Point{X: x - size*0.1, Y: y - size*1.7}, ink.Point{X: x - size*0.1, Y: y - size*0.14}, ink.Point{X: x - size*0.75, Y: y - size*0.14})
	v.lay(hull, v.near.Lighter(-0.03))
	v.lay(sail, v.low.Mix(ink.White, 0.6))
	if v.mood.things["lighthouse"] {
		v.drawLighthouse()
	}
}

// drawLighthouse draws a striped tower on a rock, with its beam.
func (v *view) drawLighthouse() {
	x, foot, high := v.x+v.w*0.82, v.horizon+0.16*(v.bottom()-v.horizon), 0.3*v.u
	if v.lampX > v.x+v.w/2 {
		x = v.x + v.w*0.18
	}
	if v.words.w > 0 {
		high = min(high, 0.92*(foot-v.words.bottom()))
	}
	lamp := ink.Point{X: x, Y: foot - high}
	way := math.Copysign(1, v.x+v.w/2-x)
	beam := new(ink.Path)
	beam.Polygon(lamp, ink.Point{X: x + way*1.1*v.u, Y: lamp.Y - 0.05*v.u}, ink.Point{X: x + way*1.1*v.u, Y: lamp.Y + 0.1*v.u})
	light := v.lamp.Mix(ink.White, 0.5).Tone()
	v.fade(beam, light, lamp, 1.1*v.u)
	rock, tower := new(ink.Path), new(ink.Path)
	wide := 0.24 * v.u
	rock.Move(x-wide, foot+0.03*v.u)
	rock.Cube(ink.Point{X: x - 0.6*wide, Y: foot - 0.005*v.u}, ink.Point{X: x - 0.4*wide, Y: foot - 0.03*v.u}, ink.Point{X: x, Y: foot - 0.028*v.u})
	rock.Cube(ink.Point{X: x + 0.35*wide, Y: foot - 0.03*v.u}, ink.Point{X: x + 0.5*wide, Y: foot + 0.012*v.u}, ink.Point{X: x + wide, Y: foot + 0.03*v.u})
	w := high * 0.085
	half := func(t float64) float64 { return w * (1.25 - 0.45*t) } // t from the foot up
	slice := func(p *ink.Path, from, to float64) {
		low, top := foot-high*from, foot-high*to
		p.Polygon(ink.Point{X: x - half(from), Y: low}, ink.Point{X: x - half(to), Y: top}, ink.Point{X: x + half(to), Y: top}, ink.Point{X: x + half(from), Y: low})
	}
	slice(tower, 0, 0.86)
	v.lay(tower, v.low.Mix(ink.White, 0.75))
	for i := range 3 {
		t, band := 0.12+0.28*float64(i), new(ink.Path)
		slice(band, t, t+0.13)
		v.lay(band, v.pal.accent(0).Lighter(-0.06))
	}
	head := new(ink.Path)
	head.Rect(x-w*1.15, foot-high*0.88, w*2.3, high*0.03)
	head.Rect(x-w*0.2, foot-high*1.12, w*0.4, high*0.06)
	head.Polygon(ink.Point{X: x - w, Y: foot - high*1.02}, ink.Point{X: x, Y: foot - high*1.1}, ink.Point{X: x + w, Y: foot - high*1.02})
	v.lay(head, v.near)
	glass := new(ink.Path)
	glass.Rect(x-w*0.6, foot-high*1.02, w*1.2, high*0.14)
	v.lay(glass, v.lamp.Mix(ink.White, 0.6))
	v.lay(rock, v.near)
}

// fade fills a path with light that dies away from a point.
func (v *view) fade(p *ink.Path, light ink.Tone, from ink.Point, reach float64) {
	v.paint(p, func(x, y int) ink.Tone {
		d := math.Hypot(float64(x)-from.X, float64(y)-from.Y) / reach
		return v.page.At(x, y).Mix(light, 0.42*max(0, 1-d))
	}, 1)
}

// drawWeather draws snow or rain, where it was named.
func (v *view) drawWeather() {
	if v.mood.things["snow"] {
		p := new(ink.Path)
		for range int(170 * v.w * v.h / (v.u * v.u)) {
			p.Circle(v.x+v.r.Float64()*v.w, v.y+v.r.Float64()*v.h, v.u*(0.0016+0.0034*v.r.Float64()))
		}
		v.paint(p, ink.Solid(ink.White), 0.75)
	}
	if v.mood.things["rain"] {
		p := new(ink.Path)
		for range int(150 * v.w * v.h / (v.u * v.u)) {
			x, y, l := v.x+v.r.Float64()*v.w, v.y+v.r.Float64()*v.h, v.u*(0.02+0.025*v.r.Float64())
			p.Stroke([]ink.Point{{X: x, Y: y}, {X: x - l*0.28, Y: y + l}}, max(0.8, 0.0018*v.u))
		}
		v.paint(p, ink.Solid(v.low.Mix(ink.White, 0.4)), 0.45)
	}
}
