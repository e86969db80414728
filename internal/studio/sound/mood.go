package sound

import (
	"strings"
	"unicode"
)

// mood is a way to make music: how fast, in which scales, on what.
type mood struct {
	name, words  string
	slow, fast   float64 // beats a minute
	minor        bool
	scale        []int // of the major or minor kind
	chords       [][]int
	seventh      bool
	pad, lead    *patch
	figure       *patch // plays what moves between pad and lead
	bass         *patch
	pattern      string // of the figure: one letter for each half beat, see figures
	low          string // of the bass, likewise
	drums        *kit
	swing        float64
	room         float64 // how much of it is heard
	dust         float64 // crackle and hiss
	dull         float64 // where the highs end, in Hz; 0 for nowhere
	melody       float64 // how many of its notes are played
	octave       int     // of the melody
	grows        bool    // begins with little
	title, under []string
}

var (
	major    = []int{0, 2, 4, 5, 7, 9, 11}
	minor    = []int{0, 2, 3, 5, 7, 8, 10}
	dorian   = []int{0, 2, 3, 5, 7, 9, 10}
	lydian   = []int{0, 2, 4, 6, 7, 9, 11}
	phrygian = []int{0, 1, 3, 5, 7, 8, 10}
)

// Chords are degrees of the scale, from 0.
var moods = []mood{
	{
		name: "calm", words: "calm soft slow peace quiet relax meditation sleep gentle ambient breathe morning spa nature water tender piano",
		slow: 64, fast: 76, scale: major, chords: [][]int{{0, 4, 5, 3}, {0, 2, 3, 4}, {0, 3, 0, 4}, {5, 3, 0, 4}},
		pad: &warmPad, lead: &softKeys, figure: &softKeys, bass: &roundBass, pattern: "a.c.e.c.", low: "1.......",
		room: 0.34, melody: 0.45, octave: 5, title: []string{"Still", "Soft", "Slow", "Open"}, under: []string{"Water", "Morning", "Garden", "Light"},
	},
	{
		name: "upbeat", words: "upbeat happy fun energetic party dance pop bright sunny joy summer sport workout cheerful launch corporate fast",
		slow: 112, fast: 126, scale: major, chords: [][]int{{0, 4, 5, 3}, {5, 3, 0, 4}, {0, 5, 3, 4}, {3, 4, 0, 5}},
		pad: &brightPad, lead: &pluck, figure: &pluck, bass: &pickBass, pattern: ".h.h.h.h", low: "1.11.151", drums: &fourKit,
		room: 0.16, melody: 0.7, octave: 5, grows: true, title: []string{"Bright", "Good", "High", "Quick"}, under: []string{"Days", "Steps", "Colours", "Company"},
	},
	{
		name: "dark", words: "dark horror sad fear night shadow mystery noir grim death lonely winter drone thriller haunted storm",
		slow: 66, fast: 82, minor: true, scale: phrygian, chords: [][]int{{0, 5, 3, 1}, {0, 1, 0, 6}, {0, 3, 5, 4}},
		pad: &darkPad, lead: &bell, figure: &bell, bass: &deepBass, pattern: "a.......", low: "1.....1.", drums: &halfKit,
		room: 0.42, melody: 0.35, octave: 5, title: []string{"Under", "Hollow", "Cold", "Last"}, under: []string{"Ground", "Harbour", "Lamp", "Winter"},
	},
	{
		name: "epic", words: "epic heroic trailer battle cinematic orchestra glory war adventure mountain king hero victory grand film",
		slow: 88, fast: 102, minor: true, scale: minor, chords: [][]int{{0, 5, 2, 6}, {0, 3, 5, 6}, {5, 6, 0, 0}},
		pad: &strings1, lead: &horn, figure: &spiccato, bass: &deepBass, pattern: "aacaacea", low: "1...1...", drums: &epicKit,
		room: 0.3, melody: 0.6, octave: 4, grows: true, title: []string{"Iron", "Great", "Rising", "Far"}, under: []string{"Banners", "Gate", "Mountain", "Oath"},
	},
	{
		name: "lofi", words: "lofi lo-fi chill study hip-hop coffee rain cozy mellow jazz vinyl tape afternoon café cafe hiphop",
		slow: 70, fast: 84, scale: dorian, minor: true, chords: [][]int{{0, 3, 6, 2}, {0, 5, 1, 4}, {3, 6, 2, 0}}, seventh: true,
		pad: &warmPad, lead: &softKeys, figure: &tines, bass: &roundBass, pattern: "h...h..h", low: "1..1.5..", drums: &dustyKit,
		swing: 0.18, room: 0.14, dust: 1, dull: 6800, melody: 0.5, octave: 4, title: []string{"Rainy", "Late", "Paper", "Warm"}, under: []string{"Windows", "Tram", "Coffee", "Notebook"},
	},
	{
		name: "dreamy", words: "dreamy dream magic fairy wonder sky cloud clouds float space stars galaxy fantasy ethereal shimmer snow",
		slow: 76, fast: 90, scale: lydian, chords: [][]int{{0, 1, 5, 0}, {0, 4, 1, 3}, {3, 0, 1, 5}}, seventh: true,
		pad: &brightPad, lead: &bell, figure: &bell, bass: &roundBass, pattern: "aceceagc", low: "1.......", drums: &lightKit,
		room: 0.42, melody: 0.4, octave: 5, title: []string{"Paper", "Silver", "Weightless", "Small"}, under: []string{"Moons", "Cloud", "Stars", "Hours"},
	},
	{
		name: "tense", words: "tense suspense chase urgent countdown danger escape clock spy crime action nervous race pursuit",
		slow: 120, fast: 136, minor: true, scale: minor, chords: [][]int{{0, 0, 5, 4}, {0, 1, 0, 4}, {0, 6, 5, 4}},
		pad: &darkPad, lead: &pluck, figure: &spiccato, bass: &pickBass, pattern: "aaabaaab", low: "11111111", drums: &tickKit,
		room: 0.18, melody: 0.3, octave: 4, grows: true, title: []string{"Against", "No", "Running", "Narrow"}, under: []string{"Time", "Return", "Wire", "Exit"},
	},
	{
		name: "retro", words: "retro synthwave eighties 80s neon arcade drive cyber electro synth disco videogame game night-drive vapor vaporwave",
		slow: 96, fast: 110, minor: true, scale: minor, chords: [][]int{{0, 5, 2, 6}, {0, 6, 5, 6}, {5, 6, 0, 2}},
		pad: &brightPad, lead: &sawLead, figure: &pluck, bass: &sawBass, pattern: "aceaceac", low: "11111111", drums: &gatedKit,
		room: 0.22, melody: 0.55, octave: 5, grows: true, title: []string{"Neon", "Night", "Chrome", "Electric"}, under: []string{"Drive", "Mile", "Coast", "Arcade"},
	},
}

// Moods lists the names of the moods.
func Moods() []string {
	var names []string
	for _, m := range moods {
		names = append(names, m.name)
	}
	return names
}

// moodFor finds the mood of a name; for "auto", the one that the words ask for, or
// else one by chance from 0 to 1.
func moodFor(name, words string, chance float64) *mood {
	said := make(map[string]bool)
	for _, w := range strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	}) {
		said[w] = true
	}
	pick, best := int(chance*float64(len(moods))), 0
	for i, m := range moods {
		if m.name == name {
			return &moods[i]
		}
		hits := 0
		for w := range strings.FieldsSeq(m.words) {
			if said[w] {
				hits++
			}
		}
		if hits > best {
			best, pick = hits, i
		}
	}
	return &moods[pick]
}
