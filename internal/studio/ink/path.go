package ink

import (
	"image"
	"math"
)

// Point is a place on the page, in pixels from the upper left corner.
type Point struct{ X, Y float64 }

type verb uint8

const (
	moveTo verb = iota
	lineTo
	quadTo
	cubeTo
)

// Path is an outline. What lies inside any of its loops is covered; a loop that
// runs the other way around cuts out.
type Path struct {
	verbs  []verb
	points []Point
	pen    Point
}

// Move begins a loop.
func (p *Path) Move(x, y float64) { p.add(moveTo, Point{x, y}) }

// Line goes straight to a point.
func (p *Path) Line(x, y float64) { p.add(lineTo, Point{x, y}) }

// Quad bends towards a on the way to b.
func (p *Path) Quad(a, b Point) { p.add(quadTo, a, b) }

// Cube bends towards a and b on the way to c.
func (p *Path) Cube(a, b, c Point) { p.add(cubeTo, a, b, c) }

// Append adds other, scaled and then moved.
func (p *Path) Append(other *Path, scale, dx, dy float64) {
	p.verbs = append(p.verbs, other.verbs...)
	for _, at := range other.points {
		p.points = append(p.points, Point{at.X*scale + dx, at.Y*scale + dy})
	}
}

// Turn turns everything by degrees, clockwise, around a point.
func (p *Path) Turn(degrees float64, around Point) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	for i, at := range p.points {
		x, y := at.X-around.X, at.Y-around.Y
		p.points[i] = Point{around.X + x*cos - y*sin, around.Y + x*sin + y*cos}
	}
}

// Empty reports whether there is nothing to fill.
func (p *Path) Empty() bool { return len(p.points) == 0 }

// Box is the smallest box around all points.
func (p *Path) Box() (low, high Point) {
	if len(p.points) == 0 {
		return Point{}, Point{}
	}
	low, high = p.points[0], p.points[0]
	for _, at := range p.points[1:] {
		low = Point{min(low.X, at.X), min(low.Y, at.Y)}
		high = Point{max(high.X, at.X), max(high.Y, at.Y)}
	}
	return low, high
}

// Arc adds a part of a circle drawn with a pen whose ends are round; angles are in turns,
// clockwise from the right.
func (p *Path) Arc(x, y, r, pen, from, to float64) {
	n := max(int((to-from)*r*2), 6)
	loop := make([]Point, 0, 2*n+16)
	around := func(x, y, r, from, to float64, first, steps int) {
		for i := first; i <= steps; i++ {
			sin, cos := math.Sincos((from + (to-from)*float64(i)/float64(steps)) * 2 * math.Pi)
			loop = append(loop, Point{x + r*cos, y + r*sin})
		}
	}
	end := func(at, side float64) {
		sin, cos := math.Sincos(at * 2 * math.Pi)
		around(x+r*cos, y+r*sin, pen/2, at+side, at+side+0.5, 1, 8)
	}
	around(x, y, r+pen/2, from, to, 0, n)
	end(to, 0)
	around(x, y, r-pen/2, to, from, 0, n)
	end(from, 0.5)
	p.Polygon(loop...)
}

// Polygon adds a loop through points.
func (p *Path) Polygon(points ...Point) {
	for i, at := range points {
		if i == 0 {
			p.Move(at.X, at.Y)
		} else {
			p.Line(at.X, at.Y)
		}
	}
}

// Rect adds a box.
func (p *Path) Rect(x, y, w, h float64) {
	p.Polygon(Point{x, y}, Point{x + w, y}, Point{x + w, y + h}, Point{x, y + h})
}

// bend is how far the handles of a quarter circle reach.
const bend = 0.5522847498

// Round adds a box with round corners.
func (p *Path) Round(x, y, w, h, r float64) {
	r = min(r, w/2, h/2)
	k := r * (1 - bend)
	right, bottom := x+w, y+h
	p.Move(x+r, y)
	p.Line(right-r, y)
	p.Cube(Point{right - k, y}, Point{right, y + k}, Point{right, y + r})
	p.Line(right, bottom-r)
	p.Cube(Point{right, bottom - k}, Point{right - k, bottom}, Point{right - r, bottom})
	p.Line(x+r, bottom)
	p.Cube(Point{x + k, bottom}, Point{x, bottom - k}, Point{x, bottom - r})
	p.Line(x, y+r)
	p.Cube(Point{x, y + k}, Point{x + k, y}, Point{x + r, y})
}

// Circle adds a disc.
func (p *Path) Circle(x, y, r float64) { p.Round(x-r, y-r, 2*r, 2*r, r) }

// Hole cuts a disc out of what is around it.
func (p *Path) Hole(x, y, r float64) {
	k := r * bend
	p.Move(x, y-r)
	p.Cube(Point{x - k, y - r}, Point{x - r, y - k}, Point{x - r, y})
	p.Cube(Point{x - r, y + k}, Point{x - k, y + r}, Point{x, y + r})
	p.Cube(Point{x + k, y + r}, Point{x + r, y + k}, Point{x + r, y})
	p.Cube(Point{x + r, y - k}, Point{x + k, y - r}, Point{x, y - r})
}

// Ring adds a circle drawn with a pen.
func (p *Path) Ring(x, y, r, pen float64) {
	p.Circle(x, y, r+pen/2)
	if r > pen/2 {
		p.Hole(x, y, r-pen/2)
	}
}

// Wedge adds a slice of a disc, between two angles in degrees, clockwise from the right.
func (p *Path) Wedge(x, y, r, from, to float64) {
	steps := max(8, int(math.Abs(to-from)/3))
	p.Move(x, y)
	for i := range steps + 1 {
		sin, cos := math.Sincos((from + (to-from)*float64(i)/float64(steps)) * math.Pi / 180)
		p.Line(x+r*cos, y+r*sin)
	}
}

// Stroke adds a line through points, drawn with a round pen.
func (p *Path) Stroke(points []Point, pen float64) {
	r := pen / 2
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if length < 1e-9 {
			continue
		}
		nx, ny := -(b.Y-a.Y)/length*r, (b.X-a.X)/length*r
		p.Polygon(Point{a.X - nx, a.Y - ny}, Point{b.X - nx, b.Y - ny}, Point{b.X + nx, b.Y + ny}, Point{a.X + nx, a.Y + ny})
		if r > 0.6 {
			p.dot(b, r)
		}
	}
	if len(points) > 0 && r > 0.6 {
		p.dot(points[0], r)
	}
}

// add goes on from the pen.
func (p *Path) add(v verb, points ...Point) {
	p.verbs = append(p.verbs, v)
	p.points = append(p.points, points...)
	p.pen = points[len(points)-1]
}

// pixels are those that the path can touch.
func (p *Path) pixels() image.Rectangle { return touchedPixels(p.Box()) }

// touchedPixels are the pixels between two corners.
func touchedPixels(low, high Point) image.Rectangle {
	const far = 1 << 20
	whole := func(v float64) int { return int(min(far, max(-far, v))) }
	return image.Rect(whole(math.Floor(low.X)), whole(math.Floor(low.Y)), whole(math.Ceil(high.X))+1, whole(math.Ceil(high.Y))+1)
}

// dot is a small disc: an octagon is round enough for a pen of a pixel or two.
func (p *Path) dot(at Point, r float64) {
	if r > 3 {
		p.Circle(at.X, at.Y, r)
		return
	}
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		if i == 0 {
			p.Move(at.X+r*cos, at.Y+r*sin)
		} else {
			p.Line(at.X+r*cos, at.Y+r*sin)
		}
	}
}
