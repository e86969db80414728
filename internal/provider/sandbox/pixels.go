package sandbox

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// pixels is the size of a picture, from its first bytes.
func pixels(m *chat.Media) (w, h int, ok bool) {
	read := map[string]func(io.Reader) (image.Config, error){
		"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig, "image/webp": webp,
	}[dialect.TypeOf(m)]
	if read == nil || m.Base64 == "" {
		return 0, 0, false
	}
	c, err := read(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m.Base64)))
	return c.Width, c.Height, err == nil && c.Width > 0 && c.Height > 0
}

var errNotWebP = errors.New("not a WebP picture")

// webp reads the three sorts of WebP headers (RFC 9649, section 2).
func webp(r io.Reader) (image.Config, error) {
	var b [30]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return image.Config{}, err
	}
	if string(b[:4]) != "RIFF" || string(b[8:12]) != "WEBP" {
		return image.Config{}, errNotWebP
	}
	uint24 := func(at int) int { return int(b[at]) | int(b[at+1])<<8 | int(b[at+2])<<16 }
	switch string(b[12:16]) {
	case "VP8 ": // lossy: two sizes of 14 bits after the start code
		w, h := binary.LittleEndian.Uint16(b[26:]), binary.LittleEndian.Uint16(b[28:])
		return image.Config{Width: int(w & 0x3fff), Height: int(h & 0x3fff)}, nil
	case "VP8L": // lossless: 14 bits each, less one, after the signature
		bits := binary.LittleEndian.Uint32(b[21:])
		return image.Config{Width: int(bits&0x3fff) + 1, Height: int(bits>>14&0x3fff) + 1}, nil
	case "VP8X": // extended: 24 bits each, less one
		return image.Config{Width: uint24(24) + 1, Height: uint24(27) + 1}, nil
	}
	return image.Config{}, errNotWebP
}
