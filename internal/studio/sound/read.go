package sound

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrWAV is what ReadWAV gives for what is no WAVE file it knows.
var ErrWAV = errors.New("no WAVE file of 16 bits")

// ReadWAV reads a WAVE file of 16 bits and one or two channels, in any rate. A length of
// data that is not true, as programs write that speak into a pipe, is taken for all
// that is there.
func ReadWAV(ctx context.Context, data []byte) (Mono, error) {
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
			return resample(ctx, monoOf(body, channels), rate)
		}
		at += 8 + len(body) + len(body)&1
	}
	return nil, ErrWAV
}

func monoOf(data []byte, channels int) Mono {
	out := make(Mono, len(data)/2/channels)
	for i := range out {
		for c := range channels {
			out[i] += float32(int16(binary.LittleEndian.Uint16(data[(i*channels+c)*2:]))) / 32768 / float32(channels)
		}
	}
	return out
}

// reach is how many samples on each side a new one is made from.
const reach = 16

// resample brings sound from a rate to Rate, by a windowed sinc. The two rates have a
// common divisor, so that few sets of weights come up again and again.
func resample(ctx context.Context, in Mono, rate int) (Mono, error) {
	if rate == Rate {
		return in, nil
	}
	common := rate
	for a := Rate; a != 0; {
		common, a = a, common%a
	}
	from, to := rate/common, Rate/common
	wide := max(float64(rate)/Rate, 1) // going down, what is too high must go
	side := int(math.Ceil(reach * wide))
	sets := make([][]float32, to) // most rates need a few hundred
	out := make(Mono, len(in)*to/from)
	for i := range out {
		if i%Rate == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		phase, first := i*from%to, i*from/to-side+1
		if sets[phase] == nil {
			sets[phase] = weights(float64(phase)/float64(to), wide, side)
		}
		var sum float32
		for k, w := range sets[phase] {
			if at := first + k; uint(at) < uint(len(in)) {
				sum += in[at] * w
			}
		}
		out[i] = sum
	}
	return out, nil
}

// weights are those of the samples around a place that lies a fraction after one.
func weights(fraction, wide float64, side int) []float32 {
	out := make([]float32, 2*side)
	list := make([]float64, 2*side)
	total := 0.0
	for k := range list {
		x := (fraction - float64(k-side+1)) / wide
		if x <= -reach || x >= reach {
			continue
		}
		list[k] = 0.5 + 0.5*math.Cos(math.Pi*x/reach)
		if x != 0 {
			list[k] *= math.Sin(math.Pi*x) / (math.Pi * x)
		}
		total += list[k]
	}
	for k, w := range list {
		out[k] = float32(w / total)
	}
	return out
}
