package sound

import (
	"encoding/binary"
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
	out := append(make([]byte, 0, 44+size), WAVHeader(Rate, channels, size)...)
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

// WAVHeader is what stands before so many bytes of samples of 16 bits in a WAVE file.
func WAVHeader(rate, channels, size int) []byte {
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+size))
	out = append(out, "WAVEfmt "...)
	out = binary.LittleEndian.AppendUint32(out, 16)
	out = binary.LittleEndian.AppendUint16(out, 1) // plain samples
	out = binary.LittleEndian.AppendUint16(out, uint16(channels))
	out = binary.LittleEndian.AppendUint32(out, uint32(rate))
	out = binary.LittleEndian.AppendUint32(out, uint32(rate*2*channels))
	out = binary.LittleEndian.AppendUint16(out, uint16(2*channels))
	out = binary.LittleEndian.AppendUint16(out, 16)
	out = append(out, "data"...)
	return binary.LittleEndian.AppendUint32(out, uint32(size))
}

// Mono is sound of one channel, at Rate.
type Mono []float32

// Seconds is how long it is.
func (m Mono) Seconds() float64 { return float64(len(m)) / Rate }
