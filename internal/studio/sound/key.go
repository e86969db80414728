package sound

import (
	"math"
	"slices"
	"strings"
)

var tonics = []string{"C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"}

// Keys lists the keys: major ones by their letter, minor ones with an m.
func Keys() []string {
	list := slices.Clone(tonics)
	for _, t := range tonics {
		list = append(list, t+"m")
	}
	return list
}

// tuning is a scale on a tonic.
type tuning struct {
	tonic int // 0 is C
	scale []int
	name  string
}

// tuningFor is the key of a name, or for "auto" one that fits the mood. A mood keeps
// its own scale where the key is of its kind.
func tuningFor(name string, m *mood, chance float64) tuning {
	isMinor := m.minor
	tonic := int(chance * 12)
	for i, t := range tonics {
		if strings.TrimSuffix(name, "m") == t {
			tonic, isMinor = i, strings.HasSuffix(name, "m")
		}
	}
	out := tuning{tonic: tonic, scale: m.scale, name: tonics[tonic]}
	if isMinor != m.minor {
		out.scale = major
		if isMinor {
			out.scale = minor
		}
	}
	if isMinor {
		out.name += "m"
	}
	return out
}

// pitch is the note of a degree of the scale (any whole number, 7 to an octave), as a
// number of half tones in which 60 is the middle C.
func (t *tuning) pitch(octave, degree int) int {
	up := int(math.Floor(float64(degree) / 7))
	return (octave+1)*12 + t.tonic + up*12 + t.scale[degree-up*7]
}

func frequency(pitch float64) float64 { return 440 * math.Pow(2, (pitch-69)/12) }
