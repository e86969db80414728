package ink

// Flatten walks the outline in straight pieces.
func (p *Path) Flatten(piece func(from, to Point)) {
	var start, pen Point
	line := func(to Point) {
		piece(pen, to)
		pen = to
	}
	points := p.points
	for _, v := range p.verbs {
		switch v {
		case moveTo:
			if pen != start {
				piece(pen, start)
			}
			start, pen, points = points[0], points[0], points[1:]
		case lineTo:
			line(points[0])
			points = points[1:]
		case quadTo:
			from, a, b := pen, points[0], points[1]
			curve(line, func(t float64) Point { return along(along(from, a, t), along(a, b, t), t) })
			points = points[2:]
		case cubeTo:
			from, a, b, c := pen, points[0], points[1], points[2]
			curve(line, func(t float64) Point {
				middle := along(a, b, t)
				return along(along(along(from, a, t), middle, t), along(middle, along(b, c, t), t), t)
			})
			points = points[3:]
		}
	}
	if pen != start {
		piece(pen, start)
	}
}

func curve(line func(Point), at func(t float64) Point) {
	const steps = 8
	for i := range steps {
		line(at(float64(i+1) / steps))
	}
}

func along(a, b Point, t float64) Point { return Point{a.X + (b.X-a.X)*t, a.Y + (b.Y-a.Y)*t} }
