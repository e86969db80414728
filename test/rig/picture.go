package rig

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// PlainPNG is a picture of many pixels and few bytes, with 16 bits for each colour if deep:
// its rows are all the same, and written here since image/png takes seconds for so many.
func PlainPNG(t testing.TB, side int, deep bool) []byte {
	t.Helper()
	bits, pixel := byte(8), []byte{10, 200, 90, 128}
	if deep {
		bits, pixel = 16, []byte{39, 16, 78, 32, 117, 48, 156, 64}
	}
	row := append([]byte{0}, bytes.Repeat(pixel, side)...)
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	for range side {
		if err == nil {
			_, err = z.Write(row)
		}
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(side)), uint32(side))
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, chunk := range []struct {
		kind string
		data []byte
	}{{"IHDR", append(head, bits, 6, 0, 0, 0)}, {"IDAT", packed.Bytes()}, {"IEND", nil}} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(chunk.data)))
		named := append([]byte(chunk.kind), chunk.data...)
		out = binary.BigEndian.AppendUint32(append(out, named...), crc32.ChecksumIEEE(named))
	}
	return out
}
