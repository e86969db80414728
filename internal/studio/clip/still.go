package clip

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"

	"stele/internal/studio/clip/vp8"
)

// Small is the size of the preview: that of the film with a shorter side of 180.
func (f *Film) Small() (width, height int) {
	scale := float64(previewSide) / float64(min(f.Width, f.Height))
	return int(float64(f.Width)*scale+0.5) &^ 1, int(float64(f.Height)*scale+0.5) &^ 1
}

// Thumbnail is the frame that shows most, as a JPEG. It is looked for in small, the
// scene at the size of Small.
func (f *Film) Thumbnail(ctx context.Context, small Scene) ([]byte, error) {
	sheet := NewSheet(f.Small())
	best, most := 0.0, -1
	for i := range 7 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := f.Seconds * (0.3 + 0.08*float64(i))
		small.Draw(sheet, at)
		if shows := detail(sheet.Frame()); shows > most {
			best, most = at, shows
		}
	}
	sheet = NewSheet(f.Width, f.Height)
	f.Scene.Draw(sheet, best)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, sheet.Frame(), &jpeg.Options{Quality: 88}); err != nil {
		return nil, fmt.Errorf("write thumbnail: %w", err)
	}
	return out.Bytes(), nil
}

// detail is how much there is to see: steps between neighbours, of every second row.
// A wipe has one long edge, text has many.
func detail(s *image.RGBA) int {
	sum := 0
	for y := 0; y < s.Rect.Dy(); y += 2 {
		row := s.Pix[y*s.Stride:][:s.Rect.Dx()*4]
		for x := 4; x+1 < len(row); x += 4 {
			if d := int(row[x+1]) - int(row[x-3]); d > 12 || d < -12 {
				sum += min(d*d, 2500)
			}
		}
	}
	return sum
}

// The preview's size and length.
const (
	previewSide   = 180 // the shorter side
	previewFrames = 24
)

// Preview is the film in small, as a WebP that moves: all of a short film, and
// of a long one as much as fits, quicker.
func (f *Film) Preview(ctx context.Context, small Scene) ([]byte, error) {
	width, height := f.Small()
	frames := min(f.Frames(), previewFrames)
	pace := min(max(int(f.Seconds*1000/float64(frames)), 60), 160) // milliseconds
	sheet, picture := NewSheet(width, height), vp8.NewPicture(width, height)
	encoder, err := vp8.New(width, height)
	if err != nil {
		return nil, fmt.Errorf("write preview: %w", err)
	}
	var body bytes.Buffer
	for i := range frames {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		small.Draw(sheet, f.Seconds*(float64(i)+0.5)/float64(frames))
		picture.Set(sheet.Frame())
		frame := encoder.Key(picture, 24)
		var head []byte
		head = append24(head, 0, 0, width-1, height-1, pace)
		head = append(head, 2) // on its own, over what was
		chunk(&body, "ANMF", head, chunkOf("VP8 ", frame))
	}
	return animation(width, height, body.Bytes()), nil
}

// animation is the container around the frames of a moving WebP.
func animation(width, height int, frames []byte) []byte {
	var inner bytes.Buffer
	inner.WriteString("WEBP")
	chunk(&inner, "VP8X", append24([]byte{2, 0, 0, 0}, width-1, height-1))
	chunk(&inner, "ANIM", []byte{0, 0, 0, 255, 0, 0}) // over and over
	inner.Write(frames)
	return chunkOf("RIFF", inner.Bytes())
}

func append24(out []byte, list ...int) []byte {
	for _, v := range list {
		out = append(out, byte(v), byte(v>>8), byte(v>>16))
	}
	return out
}

func chunk(out *bytes.Buffer, name string, parts ...[]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	out.WriteString(name)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(size)))
	for _, p := range parts {
		out.Write(p)
	}
	if size%2 == 1 {
		out.WriteByte(0)
	}
}

func chunkOf(name string, data []byte) []byte {
	var out bytes.Buffer
	chunk(&out, name, data)
	return out.Bytes()
}
