package sound

import "math/rand/v2"

// tune is a melody's seed: a rhythm of two bars and the way it moves. It comes back,
// changed a little, so that one can remember it.
type tune struct {
	hits  [16]bool // by half beats
	steps [16]int
	echo  [16]int // in the second half of a phrase
	where int     // degree, going on
}

func newTune(chance *rand.Rand, m *mood) tune {
	var t tune
	weights := [16]float64{1, .25, .6, .45, .8, .3, .6, .35, .9, .25, .55, .45, .7, .3, .4, .15}
	n := 0
	for i := range t.hits {
		if chance.Float64() < weights[i]*(0.35+0.75*m.melody) {
			t.hits[i] = true
			n++
		}
		t.steps[i] = []int{-2, -1, -1, 0, 1, 1, 1, 2, 2, -3, 3}[chance.IntN(11)]
		t.echo[i] = t.steps[i]
		if i > 9 {
			t.echo[i] = []int{-2, -1, -1, 0, 1}[chance.IntN(5)]
		}
	}
	if n < 3 {
		t.hits[0], t.hits[4], t.hits[8] = true, true, true
	}
	return t
}

// playMelody plays a bar of the tune: on the beats notes of the chord, between them steps.
func (w *writer) playMelody(i int, start float64, chord []int) {
	m := w.piece.mood
	if i%8 >= 6 && w.bars > 8 && m.melody < 0.5 {
		return // breath
	}
	half := i % 2 * 8
	steps := &w.tune.steps
	if i%4 >= 2 {
		steps = &w.tune.echo
	}
	if half == 0 && i%4 == 0 {
		w.tune.where = chord[w.chance.IntN(3)]
	}
	for k := range 8 {
		if !w.tune.hits[half+k] {
			continue
		}
		d := w.tune.where + steps[half+k]
		if d < -2 {
			d += 3
		}
		if d > 9 {
			d -= 4
		}
		if k%4 == 0 || i%4 == 3 && k > 4 {
			d = nearest(d, chord)
		}
		w.tune.where = d
		length := 1
		for k+length < 8 && !w.tune.hits[half+k+length] && length < 4 {
			length++
		}
		loud := 0.72
		if k%4 == 0 {
			loud = 0.85
		}
		w.add(note{
			at: start + w.off(k), length: float64(length) * w.beat / 2 * 0.95, pitch: float64(w.key.pitch(m.octave, d)),
			loud: loud * (0.92 + 0.08*w.chance.Float64()), pan: 0.08, patch: m.lead,
		})
	}
}

// nearest is the degree of a chord, in any octave, that lies closest.
func nearest(d int, chord []int) int {
	best, gap := d, 99
	for _, c := range chord {
		for octave := -3; octave <= 3; octave++ {
			g := c + 7*octave - d
			if g < 0 {
				g = -g
			}
			if g < gap {
				best, gap = c+7*octave, g
			}
		}
	}
	return best
}
