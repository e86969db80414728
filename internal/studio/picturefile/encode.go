// Package picturefile writes pictures as files and reads what a file says beside its
// pixels. It must not know how pictures are made or where files are kept.
package picturefile

import (
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/deepteams/webp"
)

// Wrapping is how a picture becomes a file.
type Wrapping struct {
	Format  string // png, jpeg or webp
	Quality int    // of jpeg and webp; 100 is lossless webp
	Note    string // kept in the file: how to make it again
}

// Encode writes the picture. A JPEG has no clear pixels: they must be gone.
func (how Wrapping) Encode(to io.Writer, m *image.RGBA) error {
	switch how.Format {
	case "jpeg":
		return jpeg.Encode(to, m, &jpeg.Options{Quality: how.Quality})
	case "webp":
		o := webp.DefaultOptions()
		o.Quality, o.Method, o.Lossless = float32(how.Quality), 1, how.Quality >= 100
		if o.Lossless {
			o.Quality = 20 // here it is effort
		}
		o.XMP = xmp(how.Note)
		return webp.Encode(to, m, o)
	}
	// The dither of a gradient is noise to a compressor: more effort takes ten
	// times as long for a file a fifth smaller.
	return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(to, m)
}

// Inset is the note of a JPEG or PNG, and where in the file that Encode wrote it belongs.
func (how Wrapping) Inset() (at int64, note []byte) {
	switch how.Format {
	case "jpeg":
		return 2, comment(how.Note)
	case "webp":
		return 0, nil // it is in the file
	}
	const header = 8 + 25 // signature and IHDR
	return header, annotation(how.Note)
}

// Type is the file's media type.
func (how Wrapping) Type() string {
	if how.Format == "jpeg" || how.Format == "webp" {
		return "image/" + how.Format
	}
	return "image/png"
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
