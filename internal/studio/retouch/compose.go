package retouch

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
)

// Arrangement is how several pictures become one.
type Arrangement struct {
	Kind       string // grid, row, column or side_by_side
	Gap        int
	Background color.RGBA
	At         Anchor // what is kept of a picture that is cut
	Most       int    // pixels of the longest side
}

// cell is where a picture goes.
type cell struct {
	area image.Rectangle
	of   int
}

// Compose arranges pictures. In a row or a column each keeps its shape; in a grid and
// side by side they are cut to the same size.
// They are asked for one after the other, so that they need not be there all at once.
func Compose(ctx context.Context, sizes []image.Point, open func(i int) (*image.RGBA, error), a Arrangement) (*image.RGBA, error) {
	cells, size := a.plan(sizes)
	out := sheet(size.X, size.Y, a.Background)
	for _, c := range cells {
		m, err := open(c.of)
		if err != nil {
			return nil, err
		}
		if m, err = Cover(ctx, m, c.area.Dx(), c.area.Dy(), a.At); err != nil {
			return nil, err
		}
		draw.Draw(out, c.area, m, image.Point{}, draw.Over)
	}
	return out, nil
}

// plan finds the places, and the size of the whole.
func (a Arrangement) plan(sizes []image.Point) ([]cell, image.Point) {
	switch a.Kind {
	case "row":
		return a.strip(sizes)
	case "column":
		turned := make([]image.Point, len(sizes))
		for i, s := range sizes {
			turned[i] = image.Pt(s.Y, s.X)
		}
		cells, size := a.strip(turned)
		for i, c := range cells {
			cells[i].area = image.Rect(c.area.Min.Y, c.area.Min.X, c.area.Max.Y, c.area.Max.X)
		}
		return cells, image.Pt(size.Y, size.X)
	case "side_by_side":
		return a.table(sizes, len(sizes))
	}
	return a.table(sizes, int(math.Ceil(math.Sqrt(float64(len(sizes))))))
}

// strip sets pictures of one height side by side.
func (a Arrangement) strip(sizes []image.Point) ([]cell, image.Point) {
	high, shapes := 0, 0.0
	for _, s := range sizes {
		high = max(high, s.Y)
		shapes += float64(s.X) / float64(s.Y)
	}
	gaps := a.Gap * (len(sizes) - 1)
	high = max(1, min(high, a.Most, int(float64(max(1, a.Most-gaps))/shapes)))
	var cells []cell
	x := 0
	for i, s := range sizes {
		w := max(1, high*s.X/s.Y)
		cells = append(cells, cell{image.Rect(x, 0, x+w, high), i})
		x += w + a.Gap
	}
	return cells, image.Pt(x-a.Gap, high)
}

// table sets pictures of the same size in rows. A last row with fewer stands in the
// middle.
func (a Arrangement) table(sizes []image.Point, columns int) ([]cell, image.Point) {
	rows := (len(sizes) + columns - 1) / columns
	w, h := sizes[0].X, sizes[0].Y
	room := func(n int) float64 { return float64(max(n, a.Most-a.Gap*(n-1))) / float64(n) }
	if k := min(room(columns)/float64(w), room(rows)/float64(h)); k < 1 {
		w, h = max(1, int(float64(w)*k)), max(1, int(float64(h)*k))
	}
	wide := columns*w + (columns-1)*a.Gap
	var cells []cell
	for i := range sizes {
		row, col := i/columns, i%columns
		n := min(columns, len(sizes)-row*columns) // in this row
		left := (columns-n)*(w+a.Gap)/2 + col*(w+a.Gap)
		top := row * (h + a.Gap)
		cells = append(cells, cell{image.Rect(left, top, left+w, top+h), i})
	}
	return cells, image.Pt(wide, rows*h+(rows-1)*a.Gap)
}
