package studio

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/deepteams/webp"

	"stele/internal/media"
	"stele/internal/provider/studio/canvas/retouch"
)

// wrapping is how a picture becomes a file.
type wrapping struct {
	format  string // png, jpeg or webp
	quality int    // of jpeg and webp; 100 is lossless webp
	note    string // kept in the file: how to make it again
}

// packed encodes a picture.
func packed(ctx context.Context, m *image.RGBA, how wrapping) (media.Output, error) {
	var file bytes.Buffer
	to := &stopping{ctx: ctx, Writer: &file}
	if how.format == "jpeg" {
		if err := retouch.Flatten(ctx, m, color.RGBA{255, 255, 255, 255}); err != nil {
			return media.Output{}, err
		}
	}
	err := apart(ctx, func() error {
		switch how.format {
		case "jpeg":
			return jpeg.Encode(to, m, &jpeg.Options{Quality: how.quality})
		case "webp":
			o := webp.DefaultOptions()
			o.Quality, o.Method, o.Lossless = float32(how.quality), 1, how.quality >= 100
			if o.Lossless {
				o.Quality = 20 // here it is effort
			}
			o.XMP = xmp(how.note)
			return webp.Encode(to, m, o)
		}
		// The dither of a gradient is noise to a compressor: more effort takes ten
		// times as long for a file a fifth smaller.
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(to, m)
	})
	if err != nil {
		return media.Output{}, err
	}
	switch how.format {
	case "jpeg":
		return held(commented(file.Bytes(), how.note), "image/jpeg", m.Rect.Size()), nil
	case "webp":
		return held(file.Bytes(), "image/webp", m.Rect.Size()), nil
	}
	return held(annotated(file.Bytes(), how.note), "image/png", m.Rect.Size()), nil
}

// apart does work that cannot be interrupted and does not wait for it once ctx has
// ended: it takes a second or two at most, and then nobody looks at what it did.
func apart(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stopping is a writer that refuses when ctx has ended.
type stopping struct {
	ctx context.Context //nolint:containedctx // that of one call
	io.Writer
}

func (s *stopping) Write(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.Writer.Write(p)
}

// annotated is a PNG with a text chunk after its header.
func annotated(file []byte, note string) []byte {
	if note == "" {
		return file
	}
	const header = 8 + 25 // signature and IHDR
	chunk := []byte("tEXtComment\x00" + note)
	out := append([]byte{}, file[:header]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, file[header:]...)
}

// commented is a JPEG with a comment after its start.
func commented(file []byte, note string) []byte {
	if note == "" {
		return file
	}
	out := append([]byte{}, file[:2]...)
	out = append(out, 0xff, 0xfe)
	out = binary.BigEndian.AppendUint16(out, uint16(len(note)+2))
	out = append(out, note...)
	return append(out, file[2:]...)
}

// xmp is a note as WebP keeps it.
func xmp(note string) []byte {
	if note == "" {
		return nil
	}
	return []byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:description="` + note + `"/></rdf:RDF></x:xmpmeta>`)
}
