package clip

import (
	"math"

	"stele/internal/studio/ink"
)

// Curves of movement: each goes from 0 to 1 with t, and stays there outside.

func unit(t float64) float64 { return min(max(t, 0), 1) }

// easeOut starts quickly and settles.
func easeOut(t float64) float64 { t = 1 - unit(t); return 1 - t*t*t*t }

// easeIn gathers speed.
func easeIn(t float64) float64 { t = unit(t); return t * t * t }

// easeBoth does both.
func easeBoth(t float64) float64 {
	t = unit(t)
	if t < 0.5 {
		return 4 * t * t * t
	}
	t = 1 - t
	return 1 - 4*t*t*t
}

// overshoot goes a little too far and comes back.
func overshoot(t float64) float64 {
	t = unit(t) - 1
	return 1 + 2.2*t*t*t + 1.2*t*t
}

// smooth is the S-curve without a hurry.
func smooth(t float64) float64 { return ink.Smooth(0, 1, t) }

// span is how far now is between from and to.
func span(now, from, to float64) float64 {
	if to <= from {
		if now < from {
			return 0
		}
		return 1
	}
	return unit((now - from) / (to - from))
}

func lerp(a, b, t float64) float64 { return a + (b-a)*t }

// turn is the sine of so many whole turns.
func turn(t float64) float64 { return math.Sin(2 * math.Pi * t) }

// chanceAt is a number from 0 to 1 for a seed and two indices: always the same one.
func chanceAt(seed uint64, i, j int) float64 {
	x := seed ^ uint64(i)*0x9e3779b97f4a7c15 ^ uint64(j)*0xc2b2ae3d27d4eb4f
	x ^= x >> 31
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}
