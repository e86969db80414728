package sound_test

import (
	"math"
	"testing"

	"stele/internal/studio/sound"
)

func play(t *testing.T, o sound.Order) sound.Track {
	t.Helper()
	track, err := sound.Compose(o).Play(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return track
}

func TestEveryMoodIsLoudEnoughAndNeverClips(t *testing.T) {
	t.Parallel()
	for _, mood := range sound.Moods() {
		for _, seconds := range []float64{1, 3} {
			track := play(t, sound.Order{Mood: mood, Seconds: seconds, Seed: 5})
			if len(track) != int(seconds*sound.Rate)*2 {
				t.Errorf("%s: %d samples for %v s", mood, len(track), seconds)
			}
			var peak, sides float64
			for i := 0; i < len(track); i += 2 {
				l, r := float64(track[i]), float64(track[i+1])
				if math.IsNaN(l) || math.IsNaN(r) {
					t.Fatalf("%s: sample %d is no number", mood, i)
				}
				peak = max(peak, math.Abs(l), math.Abs(r))
				sides += math.Abs(l - r)
			}
			if peak > 0.85 || peak < 0.2 {
				t.Errorf("%s of %v s: the peak is %v", mood, seconds, peak)
			}
			if loud := sound.Loudness(track); loud < -16.5 || loud > -14 {
				t.Errorf("%s of %v s: %v LUFS", mood, seconds, loud)
			}
			if sides/float64(len(track)) < 0.0005 {
				t.Errorf("%s: both sides are the same", mood)
			}
			first, last := math.Abs(float64(track[0])), math.Abs(float64(track[len(track)-1]))
			if first > 0.001 || last > 0.001 {
				t.Errorf("%s: begins at %v and ends at %v", mood, first, last)
			}
		}
	}
}

func TestMusicFollowsTheOrder(t *testing.T) {
	t.Parallel()
	for words, mood := range map[string]string{
		"a calm and quiet evening": "calm", "an epic battle trailer": "epic", "lo-fi beats to study": "lofi", "dark horror": "dark", "fast chase, danger": "tense",
	} {
		if p := sound.Compose(sound.Order{Mood: "auto", Words: words, Seconds: 4}); p.Mood != mood {
			t.Errorf("%q becomes %s", words, p.Mood)
		}
	}
	p := sound.Compose(sound.Order{Mood: "upbeat", Key: "F#m", Tempo: 120, Seconds: 4})
	if p.Key != "F#m" || p.Tempo != 120 || p.Beat() != 0.5 {
		t.Errorf("%+v", p)
	}
}

// TestAKeyIsHeard looks for the tonic's pitch classes: a piece in C has more of the
// notes of C than of those a half tone above.
func TestAKeyIsHeard(t *testing.T) {
	t.Parallel()
	for _, key := range []struct {
		name  string
		pitch float64
	}{{"C", 60}, {"E", 64}, {"A", 69}} {
		track := play(t, sound.Order{Mood: "calm", Key: key.name, Seconds: 8, Seed: 2})
		in, out := 0.0, 0.0
		for octave := -12.0; octave <= 12; octave += 12 {
			in += power(track, 440*math.Pow(2, (key.pitch+octave-69)/12))
			out += power(track, 440*math.Pow(2, (key.pitch+1+octave-69)/12))
		}
		if in < 4*out {
			t.Errorf("%s: %g of the tonic, %g of the note above", key.name, in, out)
		}
	}
}

// power is how much of a frequency is in a track (Goertzel).
func power(track sound.Track, hz float64) float64 {
	k := 2 * math.Cos(2*math.Pi*hz/sound.Rate)
	var a, b float64
	for i := 0; i < len(track); i += 2 {
		a, b = float64(track[i])+k*a-b, a
	}
	return a*a + b*b - k*a*b
}

func TestLoudnessIsThatOfTheStandard(t *testing.T) {
	t.Parallel()
	track := make(sound.Track, 2*5*sound.Rate)
	for i := range len(track) / 2 {
		v := float32(math.Sin(2 * math.Pi * 997 * float64(i) / sound.Rate))
		track[2*i], track[2*i+1] = v, v
	}
	if got := sound.Loudness(track); math.Abs(got) > 0.05 {
		t.Errorf("a full sine on both sides is at %v LUFS, not 0", got)
	}
	if got := sound.Loudness(make(sound.Track, 2*sound.Rate)); !math.IsInf(got, -1) {
		t.Errorf("silence is at %v LUFS", got)
	}
}

func BenchmarkPlay(b *testing.B) {
	for b.Loop() {
		if _, err := sound.Compose(sound.Order{Mood: "upbeat", Seconds: 10, Seed: 1}).Play(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
