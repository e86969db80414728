package sound

import (
	"context"
	"math"
	"math/rand/v2"
)

// Rate is how many samples make a second.
const Rate = 48000

// Track is stereo sound: left and right by turns, from -1 to 1.
type Track []float32

// Seconds is how long the track is.
func (t Track) Seconds() float64 { return float64(len(t)) / 2 / Rate }

// drumGain sets the drums under the rest.
const drumGain = 0.7

// stage is where a piece is played.
type stage struct {
	piece  *Piece
	mixer  mixer
	active []*player
	hits   []hitting
	sounds map[drum][]float64
	chance *rand.Rand
	hall   *hall
	echo   *echo
	dust   duster
	dull   [2]filter
}

type hitting struct {
	sound []float64
	at    int // may be before the block
	loud  float64
	pan   float64
}

// Play plays the piece, to its length and at an even loudness. report hears how far
// it is, from 0 to 1.
func (p *Piece) Play(ctx context.Context, report func(float64)) (Track, error) {
	s := &stage{piece: p, sounds: map[drum][]float64{}, chance: rand.New(rand.NewPCG(p.seed, 0x706c6179)), hall: newHall(1.2 + 4*p.mood.room), echo: newEcho(p.Beat() * 0.75)}
	s.dust = duster{chance: rand.New(rand.NewPCG(p.seed, 0x64757374)), much: p.mood.dust}
	for i := range s.dull {
		s.dull[i].set(p.mood.dull)
	}
	total := int(math.Round(p.Seconds * Rate))
	out := make(Track, 0, 2*total)
	notes := p.notes
	for from := 0; from < total; from += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.mixer = mixer{}
		for len(notes) > 0 && int(notes[0].at*Rate) < from+block {
			s.start(notes[0], int(notes[0].at*Rate)-from)
			notes = notes[1:]
		}
		s.play()
		out = s.mix(out, min(block, total-from))
		if report != nil && from/block%50 == 0 {
			report(0.9 * float64(from) / float64(total))
		}
	}
	in, gone := fades(p.Seconds)
	return out, master(ctx, out, 2, in, gone)
}

// fades are how long a piece takes to come and to go.
func fades(seconds float64) (in, out float64) {
	return min(0.02, seconds*0.02), min(2.2, seconds*0.22)
}

func (s *stage) start(n note, at int) {
	if n.drum == noDrum {
		p := newPlayer(n, s.chance.Float64)
		p.play(&s.mixer, max(at, 0))
		s.active = append(s.active, p)
		return
	}
	sound, ok := s.sounds[n.drum]
	if !ok {
		sound = n.drum.hit(rand.New(rand.NewPCG(s.piece.seed, uint64(n.drum))))
		s.sounds[n.drum] = sound
	}
	s.hits = append(s.hits, hitting{sound, at, n.loud, n.pan})
}

// play goes on with what was begun before this block, and with all drums.
func (s *stage) play() {
	rest := s.active[:0]
	for _, p := range s.active {
		if p.begun {
			p.play(&s.mixer, 0)
		}
		p.begun = true
		if !p.gone {
			rest = append(rest, p)
		}
	}
	clear(s.active[len(rest):])
	s.active = rest
	drums := s.hits[:0]
	for _, h := range s.hits {
		l, r := drumGain*h.loud*math.Sqrt(0.5*(1-h.pan)), drumGain*h.loud*math.Sqrt(0.5*(1+h.pan))
		for i := max(h.at, 0); i < block && i-h.at < len(h.sound); i++ {
			v := h.sound[i-h.at]
			s.mixer.left[i] += v * l
			s.mixer.right[i] += v * r
			s.mixer.room[i] += v * h.loud * 0.12
		}
		if h.at -= block; -h.at < len(h.sound) {
			drums = append(drums, h)
		}
	}
	s.hits = drums
}

// mix puts together what is in the mixer, the room and the echo.
func (s *stage) mix(out Track, n int) Track {
	m := s.piece.mood
	for i := range n {
		el, er := s.echo.next(s.mixer.echo[i])
		hl, hr := s.hall.next((s.mixer.room[i] + (el+er)*0.3) * 0.5)
		l := s.mixer.left[i] + el*0.6 + hl*m.room
		r := s.mixer.right[i] + er*0.6 + hr*m.room
		if m.dust > 0 {
			d := s.dust.next()
			l, r = l+d, r+d*0.8
		}
		if m.dull > 0 {
			l, r = s.dull[0].low(l), s.dull[1].low(r)
		}
		out = append(out, float32(math.Tanh(l*1.1)), float32(math.Tanh(r*1.1)))
	}
	return out
}

// duster is the crackle of an old record.
type duster struct {
	chance *rand.Rand
	much   float64
	pop    float64
	low    float64
}

func (d *duster) next() float64 {
	if d.chance.Float64() < 0.00022 {
		d.pop = (d.chance.Float64() - 0.5) * 0.11
	}
	d.pop *= 0.93
	d.low += (d.chance.Float64() - 0.5 - d.low) * 0.12
	return (d.pop + d.low*0.011) * d.much
}
