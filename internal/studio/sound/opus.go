package sound

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/thesyncim/gopus"
)

// Opus is compressed sound: packets of 20 ms, and what a player must know.
type Opus struct {
	Channels int
	Skip     int // samples at the start that are not meant to be heard
	Samples  int // of one channel, that are
	Packets  [][]byte
}

const packetSamples = Rate / 50

// Opus compresses the track.
func (t Track) Opus(ctx context.Context, report func(float64)) (*Opus, error) {
	return compress(ctx, t, 2, gopus.ApplicationAudio, 128000, report)
}

// Opus compresses the voice.
func (m Mono) Opus(ctx context.Context, report func(float64)) (*Opus, error) {
	return compress(ctx, m, 1, gopus.ApplicationAudio, 56000, report)
}

func compress(ctx context.Context, samples []float32, channels int, use gopus.Application, bitrate int, report func(float64)) (*Opus, error) {
	enc, err := gopus.NewEncoder(gopus.EncoderConfig{SampleRate: Rate, Channels: channels, Application: use})
	if err != nil {
		return nil, fmt.Errorf("open opus: %w", err)
	}
	if err := enc.SetBitrate(bitrate); err != nil {
		return nil, fmt.Errorf("open opus: %w", err)
	}
	if err := enc.SetComplexity(5); err != nil { // twice as quick as the most, and no worse to hear
		return nil, fmt.Errorf("open opus: %w", err)
	}
	o := &Opus{Channels: channels, Skip: enc.Lookahead(), Samples: len(samples) / channels}
	pcm, packet := make([]float32, packetSamples*channels), make([]byte, 4000)
	total := (o.Samples + o.Skip + packetSamples - 1) / packetSamples
	for i := range total {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from := min(i*len(pcm), len(samples))
		clear(pcm[copy(pcm, samples[from:]):])
		n, err := enc.Encode(pcm, packet)
		if err != nil {
			return nil, fmt.Errorf("write opus: %w", err)
		}
		o.Packets = append(o.Packets, append([]byte(nil), packet[:n]...))
		if report != nil && i%50 == 0 {
			report(float64(i) / float64(total))
		}
	}
	return o, nil
}

// Head is the identification header (RFC 7845, 5.1), as Ogg and WebM hold it.
func (o *Opus) Head() []byte {
	head := append([]byte("OpusHead"), 1, byte(o.Channels))
	head = binary.LittleEndian.AppendUint16(head, uint16(o.Skip))
	head = binary.LittleEndian.AppendUint32(head, Rate)
	return append(head, 0, 0, 0)
}

// Ogg is the sound in an Ogg file (RFC 3533, RFC 7845), about a second to a page.
func (o *Opus) Ogg(title string) []byte {
	w := pages{serial: 0x7374656c}
	w.page(2, 0, [][]byte{o.Head()})
	tags := binary.LittleEndian.AppendUint32([]byte("OpusTags"), 5)
	tags = append(tags, "stele"...)
	if title == "" {
		tags = binary.LittleEndian.AppendUint32(tags, 0)
	} else {
		comment := "TITLE=" + title
		tags = binary.LittleEndian.AppendUint32(tags, 1)
		tags = binary.LittleEndian.AppendUint32(tags, uint32(len(comment)))
		tags = append(tags, comment...)
	}
	w.page(0, 0, [][]byte{tags})
	const each = 50
	for from := 0; from < len(o.Packets); from += each {
		to := min(from+each, len(o.Packets))
		kind, position := byte(0), to*packetSamples
		if to == len(o.Packets) {
			kind, position = 4, o.Skip+o.Samples // the end is cut to the sample
		}
		w.page(kind, uint64(position), o.Packets[from:to])
	}
	return w.out
}

// pages writes Ogg.
type pages struct {
	out    []byte
	serial uint32
	count  uint32
}

// page writes whole packets. They are small enough: 50 packets of up to 1275 bytes
// need at most 5 of the 255 places each.
func (w *pages) page(kind byte, position uint64, packets [][]byte) {
	start := len(w.out)
	w.out = append(w.out, "OggS\x00"...)
	w.out = append(w.out, kind)
	w.out = binary.LittleEndian.AppendUint64(w.out, position)
	w.out = binary.LittleEndian.AppendUint32(w.out, w.serial)
	w.out = binary.LittleEndian.AppendUint32(w.out, w.count)
	w.out = append(w.out, 0, 0, 0, 0) // the checksum
	var places []byte
	for _, p := range packets {
		n := len(p)
		for ; n >= 255; n -= 255 {
			places = append(places, 255)
		}
		places = append(places, byte(n))
	}
	w.out = append(w.out, byte(len(places)))
	w.out = append(w.out, places...)
	for _, p := range packets {
		w.out = append(w.out, p...)
	}
	binary.LittleEndian.PutUint32(w.out[start+22:], checksum(w.out[start:]))
	w.count++
}

// checksum is Ogg's own: CRC-32 by 0x04c11db7, the highest bit first, from 0.
func checksum(data []byte) (sum uint32) {
	for _, b := range data {
		sum = sum<<8 ^ crcTable[byte(sum>>24)^b]
	}
	return sum
}

var crcTable = func() (t [256]uint32) {
	for i := range t {
		v := uint32(i) << 24
		for range 8 {
			if v&0x80000000 != 0 {
				v = v<<1 ^ 0x04c11db7
			} else {
				v <<= 1
			}
		}
		t[i] = v
	}
	return t
}()
