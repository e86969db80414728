package maker

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"

	"stele/internal/media"
	"stele/internal/studio/sound"
)

//go:embed models/*.yaml
var files embed.FS

// Models holds the sandbox's model files, at the root.
func Models() fs.FS { return media.ModelFiles(files) }

const (
	side = 128   // of pictures and clips
	rate = 16000 // of sounds
)

// outputs are what the work gives: drawn anew at each look, always the same.
func (m *Maker) outputs(l life) []media.Output {
	list := make([]media.Output, l.Outputs)
	for i := range list {
		seed := l.Seed + uint64(i)
		o := media.Output{Kind: l.Kind}
		var draw func() (io.Reader, error)
		switch l.Kind {
		case "video":
			o.Type, o.Width, o.Height, o.Duration = "video/webm", side, side, l.Seconds
			draw = func() (io.Reader, error) {
				data, err := clip(seed, l.Seconds)
				return bytes.NewReader(data), err
			}
		case "audio":
			o.Type, o.Duration, o.Title = "audio/wav", l.Seconds, "Test tone"
			draw = func() (io.Reader, error) { return tone(seed, l.Seconds, l.Bytes), nil }
		default:
			o.Type, o.Width, o.Height = "image/png", side, side
			draw = func() (io.Reader, error) { return card(seed, 0, l.Bytes) }
		}
		o.Open = func(ctx context.Context) (io.ReadCloser, error) {
			if l.Expire > 0 && m.now().After(l.ends().Add(l.Expire)) {
				return nil, errExpired()
			}
			if err := m.drawing.Acquire(ctx, l.Workspace, 1); err != nil {
				return nil, &media.Failure{Class: media.Transient, Message: "The sandbox did not come to it.", Err: err}
			}
			defer m.drawing.Release(l.Workspace, 1)
			drawn, err := draw()
			return io.NopCloser(drawn), err
		}
		list[i] = o
	}
	return list
}

// bars is a test card: vertical bars whose colours come from the seed, and a
// marker that moves with time.
func bars(seed uint64, at float64) *image.RGBA {
	random := rand.New(rand.NewPCG(seed, 7))
	colours := make([]color.RGBA, 8)
	for i := range colours {
		colours[i] = color.RGBA{byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256)), 255}
	}
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			c := colours[x*len(colours)/side]
			if y > side*3/4 && x < int(at*side) {
				c = color.RGBA{255, 255, 255, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// card is a picture of at least so many bytes. What it is filled up with is never
// held in memory.
func card(seed uint64, at float64, least int64) (io.Reader, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, bars(seed, at)); err != nil {
		return nil, err
	}
	missing := least - int64(b.Len()) - 12
	if missing <= 0 {
		return &b, nil
	}
	// An extra chunk before the last one, which readers skip.
	const end = 12
	head, tail := b.Bytes()[:b.Len()-end], b.Bytes()[b.Len()-end:]
	sum := crc32.NewIEEE()
	_, _ = io.WriteString(sum, "stLe")
	_, _ = io.Copy(sum, io.LimitReader(zeros{}, missing))
	begin := append(binary.BigEndian.AppendUint32(nil, uint32(missing)), "stLe"...)
	return io.MultiReader(bytes.NewReader(head), bytes.NewReader(begin), io.LimitReader(zeros{}, missing),
		bytes.NewReader(binary.BigEndian.AppendUint32(nil, sum.Sum32())), bytes.NewReader(tail)), nil
}

// zeros is nothing, without end.
type zeros struct{}

// Read fills b.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// tone is a sound of so many seconds, or of at least so many bytes. It is made as it
// is read.
func tone(seed uint64, seconds float64, least int64) io.Reader {
	n := max(int(seconds*rate), int(least/2))
	b := sound.WAVHeader(rate, 1, 2*n)
	return io.MultiReader(bytes.NewReader(b), &samples{n: n, pitch: 220 * math.Pow(2, float64(seed%24)/12)})
}

// samples are those of a tone, two bytes each.
type samples struct {
	n, at int
	pitch float64
	one   [2]byte
	rest  []byte // of one, that was read by half
}

// Read gives the next samples.
func (s *samples) Read(b []byte) (int, error) {
	filled := copy(b, s.rest)
	s.rest = s.rest[filled:]
	for ; filled < len(b) && s.at < s.n; s.at++ {
		fade := min(1, float64(min(s.at, s.n-s.at))/800)
		binary.LittleEndian.PutUint16(s.one[:], uint16(int16(8000*fade*math.Sin(2*math.Pi*s.pitch*float64(s.at)/rate))))
		took := copy(b[filled:], s.one[:])
		filled += took
		s.rest = s.one[took:]
	}
	if filled == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return filled, nil
}

func errExpired() *media.Failure {
	return &media.Failure{Class: media.Gone, Message: "The sandbox's outputs have expired, as ordered."}
}
