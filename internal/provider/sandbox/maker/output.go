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
)

//go:embed models/*.yaml
var files embed.FS

// Models holds the sandbox's model files, at the root.
func Models() fs.FS {
	models, err := fs.Sub(files, "models")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return models
}

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
		var draw func() ([]byte, error)
		switch l.Kind {
		case "video":
			o.Type, o.Width, o.Height, o.Duration = "video/webm", side, side, l.Seconds
			draw = func() ([]byte, error) { return clip(seed, l.Seconds) }
		case "audio":
			o.Type, o.Duration, o.Title = "audio/wav", l.Seconds, "Test tone"
			draw = func() ([]byte, error) { return tone(seed, l.Seconds, l.Bytes), nil }
		default:
			o.Type, o.Width, o.Height = "image/png", side, side
			draw = func() ([]byte, error) { return card(seed, 0, l.Bytes) }
		}
		o.Open = func(context.Context) (io.ReadCloser, error) {
			if l.Expire > 0 && m.now().After(l.ends().Add(l.Expire)) {
				return nil, &media.Failure{Class: media.Gone, Message: "The sandbox's outputs have expired, as ordered."}
			}
			data, err := draw()
			return io.NopCloser(bytes.NewReader(data)), err
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

// card is a picture of at least so many bytes.
func card(seed uint64, at float64, least int64) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, bars(seed, at)); err != nil {
		return nil, err
	}
	missing := least - int64(b.Len()) - 12
	if missing <= 0 {
		return b.Bytes(), nil
	}
	// An extra chunk before the last one, which readers skip.
	const end = 12
	out := bytes.NewBuffer(make([]byte, 0, least))
	out.Write(b.Bytes()[:b.Len()-end])
	chunk := append([]byte("stLe"), make([]byte, missing)...)
	_ = binary.Write(out, binary.BigEndian, uint32(missing))
	out.Write(chunk)
	_ = binary.Write(out, binary.BigEndian, crc32.ChecksumIEEE(chunk))
	out.Write(b.Bytes()[b.Len()-end:])
	return out.Bytes(), nil
}

// tone is a sound of so many seconds, or of at least so many bytes.
func tone(seed uint64, seconds float64, least int64) []byte {
	n := max(int(seconds*rate), int(least/2))
	pitch := 220 * math.Pow(2, float64(seed%24)/12)
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(36+2*n))...)
	b = append(b, "WAVEfmt "...)
	for _, word := range []uint32{16, 1<<16 | 1, rate, 2 * rate, 16<<16 | 2, 0x61746164, uint32(2 * n)} { // … "data", its size
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	for i := range n {
		fade := min(1, float64(min(i, n-i))/800)
		b = binary.LittleEndian.AppendUint16(b, uint16(int16(8000*fade*math.Sin(2*math.Pi*pitch*float64(i)/rate))))
	}
	return b
}
