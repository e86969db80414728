package studio

import (
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
	"stele/internal/studio/retouch"
)

// wrapping is how a picture becomes a file.
type wrapping struct {
	format  string // png, jpeg or webp
	quality int    // of jpeg and webp; 100 is lossless webp
	note    string // kept in the file: how to make it again
}

// packed encodes a picture.
func packed(ctx context.Context, m *image.RGBA, how wrapping) (media.Output, error) {
	if how.format == "jpeg" {
		if err := retouch.Flatten(ctx, m, color.RGBA{255, 255, 255, 255}); err != nil {
			return media.Output{}, err
		}
	}
	file, err := spool(ctx, func(to io.Writer) error {
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
		return file.output("image/jpeg", 2, comment(how.note), m.Rect.Size()), nil
	case "webp":
		return file.output("image/webp", 0, nil, m.Rect.Size()), nil
	}
	const header = 8 + 25 // signature and IHDR
	return file.output("image/png", header, annotation(how.note), m.Rect.Size()), nil
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

// annotation is a text chunk, which goes after the header of a PNG.
func annotation(note string) []byte {
	if note == "" {
		return nil
	}
	chunk := []byte("tEXtComment\x00" + note)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4))
	out = append(out, chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}

// comment is a segment with a comment, which goes after the start of a JPEG.
func comment(note string) []byte {
	if note == "" {
		return nil
	}
	out := binary.BigEndian.AppendUint16([]byte{0xff, 0xfe}, uint16(len(note)+2))
	return append(out, note...)
}

// xmp is a note as WebP keeps it.
func xmp(note string) []byte {
	if note == "" {
		return nil
	}
	return []byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:description="` + note + `"/></rdf:RDF></x:xmpmeta>`)
}
