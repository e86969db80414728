package ink

import "context"

// cell is how many pixels one point of a field stands for each way. What is smooth is
// reckoned at few points: the eye does not see it, and it is a hundred times less work.
const cell = 16

// Field floods the page with smooth colour: at is asked for points of the page, from 0,0
// to 1,1, and what is between them is filled in.
func (p *Page) Field(ctx context.Context, at func(x, y float64) Color) error {
	columns, rows := p.W/cell+2, p.H/cell+2
	grid := make([][3]float32, columns*rows)
	for i := range grid {
		c := at(float64(i%columns*cell)/float64(p.W), float64(i/columns*cell)/float64(p.H))
		grid[i] = [3]float32{float32(c.R) * 65535, float32(c.G) * 65535, float32(c.B) * 65535}
	}
	return Bands(ctx, p.H, func(from, to int) {
		line := make([][3]float32, columns)
		for y := from; y < to; y++ {
			above, below := grid[y/cell*columns:][:columns], grid[(y/cell+1)*columns:][:columns]
			share := float32(y%cell) / cell
			for i := range line {
				line[i] = between3(above[i], below[i], share)
			}
			spread(p.Row(y), line)
		}
	})
}

// spread paints a row from its points, in 14 bits after the point.
func spread(row []Tone, line [][3]float32) {
	const unit = 1 << 14
	for i := 0; len(row) > 0; i++ {
		a, b := line[i], line[i+1]
		r, g, l := int32(a[0]*unit), int32(a[1]*unit), int32(a[2]*unit)
		dr, dg, dl := int32((b[0]-a[0])*unit/cell), int32((b[1]-a[1])*unit/cell), int32((b[2]-a[2])*unit/cell)
		n := min(cell, len(row))
		for x := range row[:n] {
			row[x] = Tone{uint16(r >> 14), uint16(g >> 14), uint16(l >> 14)}
			r, g, l = r+dr, g+dg, l+dl
		}
		row = row[n:]
	}
}

func between3(a, b [3]float32, t float32) [3]float32 {
	return [3]float32{a[0] + (b[0]-a[0])*t, a[1] + (b[1]-a[1])*t, a[2] + (b[2]-a[2])*t}
}
