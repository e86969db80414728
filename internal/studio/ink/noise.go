package ink

import "math"

// Noise is a smooth field of hills and hollows.
type Noise struct{ seed uint32 }

// NewNoise is the field of a seed.
func NewNoise(seed uint32) Noise { return Noise{seed} }

// At is the height at a place, from -1 to 1; hills are about one apart.
func (n Noise) At(x, y float64) float64 {
	x0, y0 := math.Floor(x), math.Floor(y)
	fx, fy := x-x0, y-y0
	ix, iy := int32(x0), int32(y0)
	u, v := fade(fx), fade(fy)
	top := n.slope(ix, iy, fx, fy)*(1-u) + n.slope(ix+1, iy, fx-1, fy)*u
	low := n.slope(ix, iy+1, fx, fy-1)*(1-u) + n.slope(ix+1, iy+1, fx-1, fy-1)*u
	return (top*(1-v) + low*v) * 1.5
}

// Grain is rough paper: a value from -1 to 1 for each pixel.
func (n Noise) Grain(x, y int) float64 {
	h := scatter(uint32(x)*0x9e3779b1 ^ scatter(uint32(y)+n.seed))
	return float64(h&0xffff)/65536 + float64(h>>16)/65536 - 1 // two dice: small steps are the likelier ones
}

func fade(t float64) float64 { return t * t * t * (t*(t*6-15) + 10) }

// slope is the height that one corner of the lattice adds.
func (n Noise) slope(ix, iy int32, fx, fy float64) float64 {
	h := scatter(uint32(ix)*0x8da6b343 ^ uint32(iy)*0xd8163841 ^ n.seed)
	d := directions[h>>27]
	return d.X*fx + d.Y*fy
}

var directions = func() (d [32]Point) {
	for i := range d {
		d[i].Y, d[i].X = math.Sincos(2 * math.Pi * (float64(i) + 0.5) / 32)
	}
	return d
}()

func scatter(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x7feb352d
	h ^= h >> 15
	h *= 0x846ca68b
	return h ^ h>>16
}
