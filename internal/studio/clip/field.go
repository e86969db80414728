package clip

// cell is how many pixels one point of a field stands for each way. What is smooth
// is reckoned at few points: nobody sees it, and it is a hundred times less work.
const cell = 16

// Field paints smooth colour: at is asked for the colour (0 to 255 each) at points of
// the sheet from 0,0 to 1,1, and what is between them is filled in, with a grain that
// hides the steps.
func (s *Sheet) Field(at func(x, y float64) (r, g, b float64)) {
	width, height := s.Rect.Dx(), s.Rect.Dy()
	columns, rows := width/cell+2, height/cell+2
	if n := columns * rows * 3; cap(s.grid) < n {
		s.grid = make([]float32, n)
	}
	grid := s.grid[:columns*rows*3]
	for j := range rows {
		for i := range columns {
			r, g, b := at(float64(i*cell)/s.W, float64(j*cell)/s.H)
			o := (j*columns + i) * 3
			grid[o], grid[o+1], grid[o+2] = float32(r), float32(g), float32(b)
		}
	}
	line := make([]float32, columns*3)
	for y := range height {
		j, f := y/cell, float32(y%cell)/cell
		a, b := grid[j*columns*3:][:columns*3], grid[(j+1)*columns*3:][:columns*3]
		for i := range line {
			line[i] = a[i] + (b[i]-a[i])*f
		}
		s.spread(y, line)
	}
}

// spread paints one row from its points, in 16 bits after the point.
func (s *Sheet) spread(y int, line []float32) {
	row := s.Pix[y*s.Stride:][:s.Rect.Dx()*4]
	grain := &bayer[y&7]
	x := 0
	for i := 0; x < len(row); i += 3 {
		r, g, b := int32(line[i]*65536), int32(line[i+1]*65536), int32(line[i+2]*65536)
		var dr, dg, db int32
		if i+5 < len(line) {
			dr, dg, db = int32((line[i+3]-line[i])*65536/cell), int32((line[i+4]-line[i+1])*65536/cell), int32((line[i+5]-line[i+2])*65536/cell)
		}
		for k := 0; k < cell && x < len(row); k++ {
			n := grain[k&7]
			px := row[x : x+4 : x+4]
			px[0], px[1], px[2], px[3] = byteOf(r+n), byteOf(g+n), byteOf(b+n), 255
			r, g, b = r+dr, g+dg, b+db
			x += 4
		}
	}
}

func byteOf(v int32) uint8 {
	v >>= 16
	if uint32(v) <= 255 {
		return uint8(v)
	}
	if v < 0 {
		return 0
	}
	return 255
}

// bayer is an even grain of 8x8 pixels, from 0 to 1 with 16 bits after the point.
var bayer = func() (m [8][8]int32) {
	for y := range 8 {
		for x := range 8 {
			v, a, b := 0, x^y, y
			for range 3 {
				v = v<<2 | (a&1)<<1 | b&1
				a, b = a>>1, b>>1
			}
			m[y][x] = int32(v) * 65536 / 64
		}
	}
	return m
}()

// blob is a soft spot of colour.
type blob struct {
	x, y, size float64 // by the sheet's width and height; size by its shorter side
	strength   float64
	colour     [3]float64
}

func blobOf(x, y, size, strength float64, c Colour) blob {
	return blob{x, y, size, strength, [3]float64{float64(c.R), float64(c.G), float64(c.B)}}
}

// Blobs paints spots of colour that run into each other on a ground. much says how
// much of them there is at a point; nil for all.
func (s *Sheet) Blobs(ground Colour, list []blob, much func(x, y float64) float64) {
	wide, tall := s.W/min(s.W, s.H), s.H/min(s.W, s.H)
	s.Field(func(x, y float64) (r, g, b float64) {
		r, g, b = float64(ground.R), float64(ground.G), float64(ground.B)
		for _, k := range list {
			dx, dy := (x-k.x)*wide, (y-k.y)*tall
			f := 1 - (dx*dx+dy*dy)/(k.size*k.size)
			if f <= 0 {
				continue
			}
			f = f * f * (3 - 2*f) * k.strength
			r, g, b = r+(k.colour[0]-r)*f, g+(k.colour[1]-g)*f, b+(k.colour[2]-b)*f
		}
		if much != nil {
			f := much(x, y)
			r, g, b = lerp(float64(ground.R), r, f), lerp(float64(ground.G), g, f), lerp(float64(ground.B), b, f)
		}
		return r, g, b
	})
}
