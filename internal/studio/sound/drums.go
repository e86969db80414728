package sound

import (
	"math"
	"math/rand/v2"
)

// drum is a kind of hit.
type drum int

const (
	noDrum drum = iota
	kick
	deepKick
	snare
	gatedSnare
	dustySnare
	clap
	hat
	softHat
	tick
	tom
	rim
	crash
)

// kit is which drums are hit when: sixteen steps to a bar, x loud, o soft.
type kit struct {
	parts []part
	end   drum // on the last beat of all
	fill  drum
}

type part struct {
	drum  drum
	steps string
	loud  float64
	pan   float64
}

var (
	fourKit = kit{parts: []part{
		{kick, "x...x...x...x...", 1, 0}, {clap, "....x.......x...", 0.6, 0.05}, {hat, "..x...x...x...x.", 0.42, 0.25}, {softHat, "o.o.o.o.o.o.o.oo", 0.4, -0.3},
	}, end: crash, fill: snare}
	halfKit  = kit{parts: []part{{deepKick, "x.........o.....", 0.9, 0}, {rim, "........x.......", 0.4, 0.2}, {softHat, "....o.......o...", 0.3, -0.3}}, end: deepKick}
	epicKit  = kit{parts: []part{{deepKick, "x..x..x.x..o..x.", 1, 0}, {tom, "....x..x....x.xx", 0.55, 0.2}, {snare, "........x.......", 0.35, 0}}, end: crash, fill: tom}
	dustyKit = kit{parts: []part{{kick, "x......o..x.....", 0.8, 0}, {dustySnare, "....x.......x..o", 0.6, 0}, {softHat, "x.o.x.o.x.o.x.oo", 0.5, 0.25}}}
	lightKit = kit{parts: []part{{softHat, "..o...o...o...o.", 0.4, 0.3}, {rim, "........o.......", 0.3, -0.2}, {deepKick, "o...............", 0.4, 0}}}
	tickKit  = kit{parts: []part{{tick, "xoxoxoxoxoxoxoxo", 0.4, 0.2}, {deepKick, "x.....o.x.......", 0.9, 0}, {tom, "............o.o.", 0.4, -0.2}}, end: deepKick, fill: tom}
	gatedKit = kit{parts: []part{{kick, "x.......x.x.....", 1, 0}, {gatedSnare, "....x.......x...", 0.7, 0}, {hat, "o.o.o.o.o.o.o.o.", 0.35, 0.25}}, end: crash, fill: tom}
)

// beatOut plays a bar of the mood's drums.
func (w *writer) beatOut(i int, start, full float64) {
	k := w.piece.mood.drums
	for n, p := range k.parts {
		if full < 0.65 && n > 0 {
			return // the first alone
		}
		for step := range 16 {
			loud := p.loud
			switch p.steps[step] {
			case '.':
				continue
			case 'o':
				loud *= 0.55
			}
			at := start + float64(step)*w.beat/4
			if step%4 == 2 || step%4 == 3 {
				at += w.piece.mood.swing * w.beat / 2 * float64(step%2+1) / 2
			}
			w.add(note{at: at, loud: loud * (0.9 + 0.1*w.chance.Float64()), pan: p.pan, drum: p.drum})
		}
	}
	if k.fill != noDrum && i%4 == 3 {
		for step := 12; step < 16; step++ {
			w.add(note{at: start + float64(step)*w.beat/4, loud: 0.3 + 0.09*float64(step-12), pan: 0.2 * float64(step-14), drum: k.fill})
		}
	}
	if k.end == crash && i%8 == 0 && i > 0 {
		w.add(note{at: start, loud: 0.4, drum: crash})
	}
}

// hit makes the sound of a drum, once for a whole piece.
func (d drum) hit(chance *rand.Rand) []float64 {
	switch d {
	case kick:
		return boom(0.34, 150, 46, 0.028, 0.11)
	case deepKick:
		return boom(0.9, 95, 36, 0.06, 0.26)
	case tom:
		return boom(0.5, 190, 88, 0.06, 0.14)
	case snare:
		return noise(chance, 0.28, 0.07, 1200, 185, 0.5)
	case gatedSnare:
		return gate(noise(chance, 0.34, 0.3, 900, 170, 0.5), 0.2)
	case dustySnare:
		return noise(chance, 0.22, 0.055, 700, 200, 0.45)
	case clap:
		return claps(chance)
	case hat:
		return noise(chance, 0.2, 0.045, 7000, 0, 0)
	case softHat:
		return noise(chance, 0.09, 0.018, 6000, 0, 0)
	case tick:
		return noise(chance, 0.05, 0.006, 3500, 2100, 0.25)
	case rim:
		return noise(chance, 0.08, 0.012, 1500, 820, 0.6)
	case crash:
		return noise(chance, 2.2, 0.6, 3200, 0, 0)
	}
	return nil
}

// boom is a tone that falls from high to low.
func boom(length, high, low, drop, fade float64) []float64 {
	out := make([]float64, int(length*Rate))
	phase := 0.0
	for i := range out {
		t := float64(i) / Rate
		phase += (low + (high-low)*math.Exp(-t/drop)) / Rate
		v := sineAt(phase) * math.Exp(-t/fade)
		out[i] = math.Tanh(v*1.6) * 0.62 * min(1, t*1200) * min(1, (length-t)*60)
	}
	return out
}

// noise is a hiss above a frequency, with a tone in it.
func noise(chance *rand.Rand, length, fade, above, tone, share float64) []float64 {
	out := make([]float64, int(length*Rate))
	var f filter
	f.set(above)
	phase := 0.0
	for i := range out {
		t := float64(i) / Rate
		v := chance.Float64()*2 - 1
		v -= f.low(v)
		phase += tone / Rate
		v = v*(1-share)*math.Exp(-t/fade) + sineAt(phase)*share*math.Exp(-t/(fade*0.8))
		out[i] = v * 0.5 * min(1, t*3000) * min(1, (length-t)*80)
	}
	return out
}

func gate(v []float64, seconds float64) []float64 {
	n := min(int(seconds*Rate), len(v))
	for i := max(n-400, 0); i < n; i++ {
		v[i] *= float64(n-i) / 400
	}
	return v[:n]
}

// claps is several hands, not quite together.
func claps(chance *rand.Rand) []float64 {
	out := make([]float64, Rate*26/100)
	for k, delay := range []float64{0, 0.011, 0.021, 0.029} {
		fade := 0.006
		if k == 3 {
			fade = 0.07
		}
		one := noise(chance, 0.22, fade, 900, 0, 0)
		from := int(delay * Rate)
		for i, v := range one {
			if from+i < len(out) {
				out[from+i] += v * 0.8
			}
		}
	}
	return out
}
