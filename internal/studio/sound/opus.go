package sound

import (
	"context"
	"fmt"

	"github.com/thesyncim/gopus"
	"github.com/thesyncim/gopus/container/ogg"
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
	head := ogg.OpusHead{Version: 1, Channels: uint8(o.Channels), PreSkip: uint16(o.Skip), SampleRate: Rate}
	return head.Encode()
}

// Ogg is the sound in an Ogg file (RFC 3533, RFC 7845), about a second to a page: the
// module's own writer makes a page of each packet, which costs a tenth of the file.
func (o *Opus) Ogg(title string) []byte {
	tags := ogg.OpusTags{Vendor: "stele"}
	if title != "" {
		tags.Comments = map[string]string{"TITLE": title}
	}
	out := page(0, ogg.PageFlagBOS, 0, o.Head())
	out = append(out, page(1, 0, 0, tags.Encode())...)
	const each = 50 // packets of up to 1275 bytes: at most 5 of the 255 segments each
	for from := 0; from < len(o.Packets); from += each {
		to := min(from+each, len(o.Packets))
		flags, position := byte(0), to*packetSamples
		if to == len(o.Packets) {
			flags, position = ogg.PageFlagEOS, o.Skip+o.Samples // the end is cut to the sample
		}
		out = append(out, page(2+from/each, flags, position, o.Packets[from:to]...)...)
	}
	return out
}

func page(number int, flags byte, position int, packets ...[]byte) []byte {
	p := ogg.Page{HeaderType: flags, GranulePos: uint64(position), SerialNumber: 0x7374656c, PageSequence: uint32(number)}
	for _, packet := range packets {
		p.Segments = append(p.Segments, ogg.BuildSegmentTable(len(packet))...)
		p.Payload = append(p.Payload, packet...)
	}
	return p.Encode()
}
