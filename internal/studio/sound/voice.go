package sound

import "math"

// block is how many samples are played at a time.
const block = 480

// mixer gathers the sound of one block.
type mixer struct {
	left, right, room, echo [block]float64
}

// player is a note being played.
type player struct {
	note
	age, hold int // samples
	step      float64
	phases    [8]float64
	bend      float64
	level     float64
	filters   [2]filter
	gone      bool
	begun     bool // in a block before
}

func newPlayer(n note, chance func() float64) *player {
	p := &player{note: n, hold: int(n.length * Rate), step: frequency(n.pitch) / Rate}
	for i := range p.phases {
		p.phases[i] = chance()
	}
	if n.patch.wave == bent || n.patch.wave == sine {
		p.phases[0] = 0
	}
	return p
}

// play adds the note to the mixer from a sample of the block on.
func (p *player) play(m *mixer, from int) {
	k := p.patch
	rise, fall := 1/(k.attack*Rate+1), 1-math.Exp(-1/(k.decay*0.4*Rate))
	release := math.Exp(-1 / (k.release * 0.3 * Rate))
	gain := k.gain * p.loud
	panL, panR := math.Sqrt(0.5*(1-p.pan)), math.Sqrt(0.5*(1+p.pan))
	for i := from; i < block; i++ {
		switch {
		case p.age >= p.hold:
			p.level *= release
			if p.level < 0.0004 {
				p.gone = true
				return
			}
		case float64(p.age) < k.attack*Rate:
			p.level += rise
		default:
			p.level += (k.sustain - p.level) * fall
		}
		if p.age%48 == 0 && k.cutoff > 0 {
			p.tune()
		}
		l, r := p.sound()
		if k.cutoff > 0 {
			l = p.filters[0].low(l)
			r = p.filters[1].low(r)
		}
		l, r = l*p.level*gain*panL, r*p.level*gain*panR
		m.left[i] += l
		m.right[i] += r
		m.room[i] += (l + r) * k.room
		m.echo[i] += (l + r) * k.echo
		p.age++
	}
}

// tune sets the filter to where its sweep is.
func (p *player) tune() {
	k := p.patch
	f := k.cutoff
	if k.sweep > 0 {
		f *= 1 + k.sweep*math.Exp(-float64(p.age)/(k.settle*Rate))
	}
	f *= 0.7 + 0.3*p.loud + p.step*Rate/2400 // loud and high notes are brighter
	p.filters[0].set(f)
	p.filters[1].set(f)
}

func (p *player) sound() (left, right float64) {
	k := p.patch
	step := p.step
	if k.vibrato > 0 && p.age > Rate/5 {
		step *= 1 + k.vibrato*0.0578*sineAt(float64(p.age)*5.2/Rate)
	}
	if k.wave == bent {
		p.phases[0] += step
		p.bend += step * k.ratio
		depth := k.index * math.Exp(-float64(p.age)/(k.fade*Rate))
		v := sineAt(p.phases[0] + depth*sineAt(p.bend)*0.159)
		return v, v
	}
	n := max(k.voices, 1)
	for i := range n {
		s := step
		if n > 1 {
			s *= 1 + k.spread*0.000578*(2*float64(i)/float64(n-1)-1)
		}
		ph := p.phases[i] + s
		if ph >= 1 {
			ph--
		}
		p.phases[i] = ph
		v := k.wave.shape(ph, s)
		side := 0.5
		if n > 1 {
			side = 0.2 + 0.6*float64((i*3)%n)/float64(n-1)
		}
		left += v * (1 - side) * 1.4
		right += v * side * 1.4
	}
	if k.below {
		p.bend += step / 2
		v := sineAt(p.bend) * 0.9
		left, right = left+v, right+v
	}
	return left, right
}

// filter is a low-pass of the second order that stays steady while it moves.
type filter struct{ g, k, a1, a2, a3, s1, s2 float64 }

func (f *filter) set(hz float64) {
	f.g = math.Tan(math.Pi * min(hz, 18000) / Rate)
	f.k = 1.25
	f.a1 = 1 / (1 + f.g*(f.g+f.k))
	f.a2 = f.g * f.a1
	f.a3 = f.g * f.a2
}

func (f *filter) low(v float64) float64 {
	v3 := v - f.s2
	v1 := f.a1*f.s1 + f.a2*v3
	v2 := f.s2 + f.a2*f.s1 + f.a3*v3
	f.s1, f.s2 = 2*v1-f.s1, 2*v2-f.s2
	return v2
}
