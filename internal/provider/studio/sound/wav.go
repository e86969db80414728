package sound

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// WAV is the track in a WAVE file of 16 bits, with a breath of noise below the last bit
// so that quiet ends do not rattle.
func (t Track) WAV() []byte { return wave16(t, 2) }

// WAV is the voice in a WAVE file.
func (m Mono) WAV() []byte { return wave16(m, 1) }

func wave16(samples []float32, channels int) []byte {
	size := len(samples) * 2
	out := make([]byte, 0, 44+size)
	out = append(out, "RIFF"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(36+size))
	out = append(out, "WAVEfmt "...)
	out = binary.LittleEndian.AppendUint32(out, 16)
	out = binary.LittleEndian.AppendUint16(out, 1)
	out = binary.LittleEndian.AppendUint16(out, uint16(channels))
	out = binary.LittleEndian.AppendUint32(out, Rate)
	out = binary.LittleEndian.AppendUint32(out, uint32(Rate*2*channels))
	out = binary.LittleEndian.AppendUint16(out, uint16(2*channels))
	out = binary.LittleEndian.AppendUint16(out, 16)
	out = append(out, "data"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(size))
	chance := rand.New(rand.NewPCG(16, 16))
	for _, v := range samples {
		x := float64(v) * 32767
		if v != 0 {
			x += chance.Float64() - chance.Float64()
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(int16(math.Round(min(max(x, -32768), 32767)))))
	}
	return out
}

// Mono is sound of one channel, at Rate.
type Mono []float32

// Seconds is how long it is.
func (m Mono) Seconds() float64 { return float64(len(m)) / Rate }

// ErrWAV is what ReadWAV gives for what is no WAVE file it knows.
var ErrWAV = errors.New("no WAVE file of 16 bits")

// ReadWAV reads a WAVE file of 16 bits and one or two channels, in any rate. A length of
// data that is not true, as programs write that speak into a pipe, is taken for all
// that is there.
func ReadWAV(data []byte) (Mono, error) {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return nil, ErrWAV
	}
	var channels, rate int
	for at := 12; at+8 <= len(data); {
		name, size := string(data[at:at+4]), int64(binary.LittleEndian.Uint32(data[at+4:]))
		body := data[at+8:]
		if size < int64(len(body)) {
			body = body[:size]
		}
		switch name {
		case "fmt ":
			if len(body) < 16 || binary.LittleEndian.Uint16(body) != 1 || binary.LittleEndian.Uint16(body[14:]) != 16 {
				return nil, ErrWAV
			}
			channels, rate = int(binary.LittleEndian.Uint16(body[2:])), int(binary.LittleEndian.Uint32(body[4:]))
		case "data":
			if channels < 1 || channels > 2 || rate < 4000 || rate > 192000 {
				return nil, fmt.Errorf("%w: %d channels at %d Hz", ErrWAV, channels, rate)
			}
			return resample(monoOf(body, channels), rate), nil
		}
		at += 8 + len(body) + len(body)&1
	}
	return nil, ErrWAV
}

func monoOf(data []byte, channels int) []float64 {
	out := make([]float64, len(data)/2/channels)
	for i := range out {
		for c := range channels {
			out[i] += float64(int16(binary.LittleEndian.Uint16(data[(i*channels+c)*2:]))) / 32768 / float64(channels)
		}
	}
	return out
}

// resample brings sound from a rate to Rate, by a windowed sinc.
func resample(in []float64, rate int) Mono {
	if rate == Rate {
		out := make(Mono, len(in))
		for i, v := range in {
			out[i] = float32(v)
		}
		return out
	}
	const reach = 16
	step := float64(rate) / Rate
	width := max(step, 1) // going down, what is too high must go
	out := make(Mono, int(float64(len(in))/step))
	for i := range out {
		at := float64(i) * step
		sum, weight := 0.0, 0.0
		for k := int(at - reach*width + 1); k <= int(at+reach*width); k++ {
			x := (at - float64(k)) / width
			if x <= -reach || x >= reach {
				continue
			}
			w := 0.5 + 0.5*sineAt(x/reach/2+0.25) // a Hann window
			if x != 0 {
				w *= sineAt(x/2) / (math.Pi * x)
			}
			weight += w
			if k >= 0 && k < len(in) {
				sum += in[k] * w
			}
		}
		out[i] = float32(sum / weight)
	}
	return out
}
