package sound

import "math"

// wave is the shape of an oscillation.
type wave int

const (
	sine wave = iota
	triangle
	saw
	square
	bent // a sine bent by another: bells, electric pianos
)

// patch is an instrument.
type patch struct {
	wave          wave
	voices        int     // in unison; 0 is 1
	spread        float64 // of them, in hundredths of a half tone
	attack, decay float64 // seconds
	sustain       float64
	release       float64
	cutoff        float64 // of the low-pass, in Hz; 0 for none
	sweep, settle float64 // how many times higher it begins, and how long it takes
	ratio, index  float64 // of what bends
	fade          float64 // of the bending, in seconds
	vibrato       float64 // in half tones
	gain          float64
	room, echo    float64 // how much goes there
	below         bool    // with its octave below
}

var (
	warmPad   = patch{wave: saw, voices: 3, spread: 11, attack: 0.7, decay: 1.5, sustain: 0.8, release: 1.1, cutoff: 750, sweep: 0.6, settle: 1.6, gain: 0.10, room: 0.5}
	brightPad = patch{wave: saw, voices: 5, spread: 16, attack: 0.45, decay: 1.2, sustain: 0.8, release: 0.9, cutoff: 1500, sweep: 0.8, settle: 1.2, gain: 0.065, room: 0.5}
	darkPad   = patch{wave: saw, voices: 3, spread: 19, attack: 1.1, decay: 2, sustain: 0.9, release: 1.4, cutoff: 420, sweep: 0.9, settle: 2.5, gain: 0.13, room: 0.6, below: true}
	strings1  = patch{wave: saw, voices: 5, spread: 13, attack: 0.28, decay: 1, sustain: 0.85, release: 0.7, cutoff: 1900, vibrato: 0.06, gain: 0.06, room: 0.5}
	softKeys  = patch{wave: bent, ratio: 1, index: 0.9, fade: 0.5, attack: 0.006, decay: 1.5, sustain: 0.12, release: 0.5, gain: 0.20, room: 0.4, echo: 0.16}
	tines     = patch{wave: bent, ratio: 1, index: 1.5, fade: 0.25, attack: 0.004, decay: 1.1, sustain: 0.2, release: 0.35, cutoff: 2600, vibrato: 0.03, gain: 0.15, room: 0.25, echo: 0.08}
	bell      = patch{wave: bent, ratio: 3.51, index: 1.6, fade: 0.7, attack: 0.003, decay: 1.8, sustain: 0, release: 1.2, gain: 0.12, room: 0.6, echo: 0.3}
	pluck     = patch{wave: saw, voices: 2, spread: 8, attack: 0.003, decay: 0.28, sustain: 0.05, release: 0.18, cutoff: 900, sweep: 3.2, settle: 0.12, gain: 0.15, room: 0.25, echo: 0.22}
	spiccato  = patch{wave: saw, voices: 3, spread: 9, attack: 0.008, decay: 0.16, sustain: 0.1, release: 0.14, cutoff: 1500, sweep: 1.2, settle: 0.1, gain: 0.13, room: 0.4}
	horn      = patch{wave: saw, voices: 3, spread: 7, attack: 0.07, decay: 0.4, sustain: 0.8, release: 0.3, cutoff: 900, sweep: 1.1, settle: 0.25, vibrato: 0.05, gain: 0.13, room: 0.45, echo: 0.1}
	sawLead   = patch{wave: saw, voices: 3, spread: 12, attack: 0.02, decay: 0.5, sustain: 0.7, release: 0.25, cutoff: 2200, sweep: 0.8, settle: 0.3, vibrato: 0.07, gain: 0.11, room: 0.3, echo: 0.3}
	roundBass = patch{wave: triangle, attack: 0.012, decay: 0.9, sustain: 0.6, release: 0.22, cutoff: 520, gain: 0.34}
	pickBass  = patch{wave: square, attack: 0.004, decay: 0.3, sustain: 0.45, release: 0.09, cutoff: 420, sweep: 2, settle: 0.1, gain: 0.22}
	deepBass  = patch{wave: sine, attack: 0.03, decay: 1.5, sustain: 0.75, release: 0.4, gain: 0.36}
	sawBass   = patch{wave: saw, voices: 2, spread: 9, attack: 0.004, decay: 0.22, sustain: 0.5, release: 0.08, cutoff: 520, sweep: 1.8, settle: 0.14, gain: 0.24}
)

const sineSize = 4096

// sines is a turn of the sine, and one value more.
var sines = func() (t [sineSize + 1]float32) {
	for i := range t {
		t[i] = float32(math.Sin(2 * math.Pi * float64(i) / sineSize))
	}
	return t
}()

// sineAt is the sine of p turns.
func sineAt(p float64) float64 {
	p -= math.Floor(p)
	x := p * sineSize
	i := int(x)
	a := float64(sines[i])
	return a + (float64(sines[i+1])-a)*(x-float64(i))
}

// soften takes the corner off a jump at p = 0, where it would sound harsh.
func soften(p, step float64) float64 {
	if p < step {
		p /= step
		return p + p - p*p - 1
	}
	if p > 1-step {
		p = (p - 1) / step
		return p*p + p + p + 1
	}
	return 0
}

// shape is the wave at the place p of its turn, which goes on by step.
func (w wave) shape(p, step float64) float64 {
	switch w {
	case saw:
		return 2*p - 1 - soften(p, step)
	case square:
		v := -1.0
		if p < 0.5 {
			v = 1
		}
		half := p + 0.5
		if half >= 1 {
			half--
		}
		return v + soften(p, step) - soften(half, step)
	case triangle:
		if p < 0.5 {
			return 4*p - 1
		}
		return 3 - 4*p
	}
	return sineAt(p)
}
