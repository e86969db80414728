package sound

import (
	"context"
	"math"
)

// Loudness and peak that every track is brought to: about what the large services
// play at, and a little below what clips.
const (
	wanted  = -15.0 // LUFS
	ceiling = 0.84  // -1.5 dB: compressed sound overshoots
)

// master brings sound to its loudness in place, keeps its peaks under the ceiling, and
// lets it come and go.
func master(ctx context.Context, t []float32, channels int, in, out float64) error {
	cutRumble(t, channels)
	fade(t, channels, in, out)
	for range 3 {
		if err := ctx.Err(); err != nil {
			return err
		}
		loud := loudness(t, channels)
		if math.IsInf(loud, -1) {
			return nil
		}
		gain := math.Pow(10, (wanted-loud)/20)
		limit(t, channels, min(gain, 12))
		if math.Abs(loud-wanted) < 0.3 {
			break
		}
	}
	return nil
}

// cutRumble takes away what cannot be heard but takes room: below 25 Hz.
func cutRumble(t []float32, channels int) {
	keep := 1 - 2*math.Pi*25/Rate
	var x, y [2]float64
	for i, v := range t {
		c := i % channels
		y[c] = float64(v) - x[c] + keep*y[c]
		x[c] = float64(v)
		t[i] = float32(y[c])
	}
}

func fade(t []float32, channels int, in, out float64) {
	n := len(t) / channels
	first, last := min(int(in*Rate), n), min(int(out*Rate), n)
	for i := range t[:first*channels] {
		t[i] *= float32(i/channels) / float32(first)
	}
	for i := (n - last) * channels; i < n*channels; i++ {
		f := float32(n-1-i/channels) / float32(last)
		t[i] *= f * f * (3 - 2*f)
	}
}

// limit makes sound louder, and turns it down shortly before each peak that would pass
// the ceiling: it looks 5 ms ahead.
func limit(t []float32, channels int, gain float64) {
	const ahead = Rate / 200
	n := len(t) / channels
	need := make([]float32, n) // the gain that each sample allows
	for i := range n {
		peak := 0.0
		for _, v := range t[i*channels : (i+1)*channels] {
			peak = max(peak, math.Abs(float64(v))*gain)
		}
		need[i] = 1
		if peak > ceiling {
			need[i] = float32(ceiling / peak)
		}
	}
	// The least over what is to come, by a queue of falling values.
	queue := make([]int, 0, ahead+1)
	turned := 1.0
	back := 1 - math.Exp(-1/(0.12*Rate))
	next := 0
	for i := range n {
		for ; next < min(i+ahead, n); next++ {
			for len(queue) > 0 && need[queue[len(queue)-1]] >= need[next] {
				queue = queue[:len(queue)-1]
			}
			queue = append(queue, next)
		}
		for queue[0] < i {
			queue = queue[1:]
		}
		least := float64(need[queue[0]])
		if least < turned {
			turned += (least - turned) * 0.04 // down within the 5 ms
		} else {
			turned += (least - turned) * back
		}
		g := float32(min(turned, float64(need[i])) * gain)
		for c := range channels {
			t[i*channels+c] *= g
		}
	}
}

// Loudness is how loud a track is to people, in LUFS (ITU-R BS.1770): weighted by how
// ears hear, without its silences. It is -Inf for silence.
func Loudness(t Track) float64 { return loudness(t, 2) }

// loudness of one channel is that of the same sound on both sides.
func loudness(t []float32, channels int) float64 {
	const window, hop = Rate * 4 / 10, Rate / 10
	var shelf, pass [2]biquad
	for c := range shelf {
		shelf[c] = biquad{b0: 1.53512485958697, b1: -2.69169618940638, b2: 1.19839281085285, a1: -1.69065929318241, a2: 0.73248077421585}
		pass[c] = biquad{b0: 1, b1: -2, b2: 1, a1: -1.99004745483398, a2: 0.99007225036621}
	}
	n := len(t) / channels
	sums := make([]float64, n/hop+1) // power of each tenth of a second
	for i := range n {
		for c := range channels {
			v := pass[c].next(shelf[c].next(float64(t[i*channels+c])))
			sums[i/hop] += v * v
		}
	}
	var blocks []float64
	for i := 0; i+window/hop <= n/hop; i++ {
		sum := 0.0
		for _, v := range sums[i : i+window/hop] {
			sum += v
		}
		blocks = append(blocks, sum/window*2/float64(channels))
	}
	if len(blocks) == 0 && n > 0 { // shorter than a window
		sum := 0.0
		for _, v := range sums {
			sum += v
		}
		blocks = append(blocks, sum/float64(n)*2/float64(channels))
	}
	return gatedMean(blocks)
}

// gatedMean is the mean of what is not silence, and not far below the rest.
func gatedMean(blocks []float64) float64 {
	lufs := func(power float64) float64 { return -0.691 + 10*math.Log10(power) }
	mean := func(above float64) float64 {
		sum, n := 0.0, 0
		for _, b := range blocks {
			if b > 0 && lufs(b) > above {
				sum += b
				n++
			}
		}
		if n == 0 {
			return math.Inf(-1)
		}
		return lufs(sum / float64(n))
	}
	first := mean(-70)
	if math.IsInf(first, -1) {
		return first
	}
	return mean(first - 10)
}

type biquad struct{ b0, b1, b2, a1, a2, x1, x2, y1, y2 float64 }

func (b *biquad) next(x float64) float64 {
	y := b.b0*x + b.b1*b.x1 + b.b2*b.x2 - b.a1*b.y1 - b.a2*b.y2
	b.x2, b.x1, b.y2, b.y1 = b.x1, x, b.y1, y
	return y
}

// Peaks is how loud the track is in n parts of its length, the loudest being 1.
func (t Track) Peaks(n int) []float64 {
	out := make([]float64, n)
	most := 1e-9
	for i := range out {
		part := t[len(t)*i/n : len(t)*(i+1)/n]
		for _, v := range part {
			out[i] += float64(v) * float64(v)
		}
		out[i] = math.Sqrt(out[i] / float64(max(len(part), 1)))
		most = max(most, out[i])
	}
	for i := range out {
		out[i] /= most
	}
	return out
}

// Level brings a voice to the loudness of everything else, in place.
func (m Mono) Level(ctx context.Context) error { return master(ctx, m, 1, 0.005, 0.02) }
