// Package sound makes simple music and packs sound into files: a piece is composed
// from a mood and a seed, played by a small synthesiser, brought to an even loudness
// and written as WAV or Opus. The same order gives the same bytes. It must not know
// requests, files or pictures.
package sound

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Order is what a piece is made from.
type Order struct {
	Mood    string  // one of Moods, or auto
	Words   string  // that choose a mood for auto
	Key     string  // one of Keys, or auto
	Tempo   float64 // beats a minute; 0 for one that fits
	Seconds float64
	Seed    uint64
}

// Piece is music, not yet played.
type Piece struct {
	Title, Mood, Key string
	Tempo, Seconds   float64

	mood  *mood
	seed  uint64
	notes []note // by their start
}

// note is a sound that begins at a time.
type note struct {
	at, length float64 // seconds
	pitch      float64
	loud       float64
	pan        float64 // -1 left, 1 right
	patch      *patch
	drum       drum
}

// Compose writes a piece.
func Compose(o Order) *Piece {
	chance := rand.New(rand.NewPCG(o.Seed, 0x6d757369))
	m := moodFor(o.Mood, o.Words, chance.Float64())
	key := tuningFor(o.Key, m, chance.Float64())
	tempo := math.Round(m.slow + (m.fast-m.slow)*chance.Float64())
	if o.Tempo > 0 {
		tempo = o.Tempo
	}
	p := &Piece{
		Title: m.title[chance.IntN(len(m.title))] + " " + m.under[chance.IntN(len(m.under))],
		Mood:  m.name, Key: key.name, Tempo: tempo, Seconds: o.Seconds, mood: m, seed: o.Seed,
	}
	w := writer{piece: p, key: key, chance: chance, beat: 60 / tempo}
	w.write()
	slices.SortStableFunc(p.notes, func(a, b note) int { return cmp.Compare(a.at, b.at) })
	return p
}

// Beat is how many seconds pass between two beats.
func (p *Piece) Beat() float64 { return 60 / p.Tempo }

// writer writes a piece bar by bar.
type writer struct {
	piece  *Piece
	key    tuning
	chance *rand.Rand
	beat   float64
	bars   int
	tune   tune
}

func (w *writer) write() {
	m, bar := w.piece.mood, 4*w.beat
	w.bars = max(int(math.Ceil(w.piece.Seconds/bar-0.05)), 1)
	chords := m.chords[w.chance.IntN(len(m.chords))]
	w.tune = newTune(w.chance, m)
	for i := range w.bars {
		degree := chords[i%len(chords)]
		last := i == w.bars-1 && w.bars > 1
		if last {
			degree = 0 // home
		}
		w.writeBar(i, degree, last)
	}
}

// fullness is how much is played in a bar, from 0 to 1: a piece that grows begins
// with its ground, and every piece is quieter at its end.
func (w *writer) fullness(i int) float64 {
	if w.bars < 5 || !w.piece.mood.grows {
		return 1
	}
	if i == 0 {
		return 0.4
	}
	if i < 3 && w.bars > 8 {
		return 0.7
	}
	if i%8 == 7 { // air before the next turn
		return 0.6
	}
	return 1
}

func (w *writer) writeBar(i, degree int, last bool) {
	m, start, full := w.piece.mood, float64(i)*4*w.beat, w.fullness(i)
	chord := []int{degree, degree + 2, degree + 4}
	if m.seventh {
		chord = append(chord, degree+6)
	}
	for k, d := range w.voicing(chord) {
		pan := 0.5 * (float64(k)/float64(len(chord)-1)*2 - 1)
		w.add(note{at: start, length: 4 * w.beat * 0.98, pitch: float64(d), loud: 0.8, pan: pan, patch: m.pad})
	}
	w.playBass(start, degree, last)
	if last {
		w.add(note{at: start, length: 4 * w.beat, pitch: float64(w.key.pitch(m.octave, degree)), loud: 0.7, patch: m.lead})
		if m.drums != nil && m.drums.end != noDrum {
			w.add(note{at: start, loud: 0.8, drum: m.drums.end})
		}
		return
	}
	if full > 0.45 {
		w.playFigure(start, chord)
	}
	if m.drums != nil && (full > 0.65 || i > 0) {
		w.beatOut(i, start, full)
	}
	if full > 0.65 {
		w.playMelody(i, start, chord)
	}
}

// voicing puts a chord near the middle of the keyboard, so that chords follow each
// other without leaps.
func (w *writer) voicing(chord []int) []int {
	var list []int
	for _, d := range chord {
		pitch := w.key.pitch(3, d)
		for pitch > 67 {
			pitch -= 12
		}
		for pitch < 54 {
			pitch += 12
		}
		list = append(list, pitch)
	}
	slices.Sort(list)
	return list
}

// playBass plays the bass: 1 is the root, 5 the fifth, each for as long as nothing follows.
func (w *writer) playBass(start float64, degree int, last bool) {
	pattern := w.piece.mood.low
	if last {
		pattern = "1......."
	}
	for i := range len(pattern) {
		if pattern[i] == '.' {
			continue
		}
		length := 1
		for i+length < len(pattern) && pattern[i+length] == '.' {
			length++
		}
		d := degree
		if pattern[i] == '5' {
			d += 4
		}
		pitch := w.key.pitch(1, d)
		for pitch > 43 {
			pitch -= 12
		}
		for pitch < 31 {
			pitch += 12
		}
		w.add(note{at: start + w.off(i), length: float64(length) * w.beat / 2 * 0.92, pitch: float64(pitch), loud: 0.9, patch: w.piece.mood.bass})
	}
}

// playFigure plays the chord in motion: letters are its notes from below (a c e g and b
// for the step above the root), h all of it, a dot none.
func (w *writer) playFigure(start float64, chord []int) {
	m := w.piece.mood
	for i, letter := range m.pattern {
		at := start + w.off(i)
		one := func(d int, loud float64) {
			pitch := w.key.pitch(4, d)
			for pitch > 79 {
				pitch -= 12
			}
			pan := 0.35 * math.Sin(float64(i)*1.7)
			w.add(note{at: at, length: w.beat * 0.8, pitch: float64(pitch), loud: loud * (0.85 + 0.15*w.chance.Float64()), pan: pan, patch: m.figure})
		}
		switch letter {
		case 'a':
			one(chord[0], 0.6)
		case 'b':
			one(chord[0]+1, 0.6)
		case 'c':
			one(chord[1], 0.5)
		case 'e':
			one(chord[2], 0.5)
		case 'g':
			one(chord[0]+7, 0.5)
		case 'h':
			for _, d := range chord {
				one(d, 0.42)
			}
		}
	}
}

// off is when a half beat of a bar comes: swing makes every second late.
func (w *writer) off(half int) float64 {
	at := float64(half) * w.beat / 2
	if half%2 == 1 {
		at += w.piece.mood.swing * w.beat / 2
	}
	return at
}

func (w *writer) add(n note) {
	if n.at < w.piece.Seconds {
		w.piece.notes = append(w.piece.notes, n)
	}
}
