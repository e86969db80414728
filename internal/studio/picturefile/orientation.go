package picturefile

import (
	"bytes"
	"encoding/binary"
)

// Orientation is how the camera was held, from 1 to 8, as a picture file says; 1 where
// it says nothing that can be understood.
func Orientation(file []byte) int {
	var block []byte
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xd8")):
		block = jpegExif(file)
	case bytes.HasPrefix(file, []byte("\x89PNG")):
		block = chunk(file, 8, binary.BigEndian, "eXIf")
	case bytes.HasPrefix(file, []byte("RIFF")):
		block = chunk(file, 12, binary.LittleEndian, "EXIF")
	}
	return exifOrientation(bytes.TrimPrefix(block, []byte("Exif\x00\x00")))
}

// jpegExif finds the EXIF block among the segments before the picture.
func jpegExif(file []byte) []byte {
	for at := 2; at+4 <= len(file) && file[at] == 0xff; {
		kind, n := file[at+1], int(binary.BigEndian.Uint16(file[at+2:]))
		if kind == 0xda || n < 2 || at+2+n > len(file) {
			return nil
		}
		if body := file[at+4 : at+2+n]; kind == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) {
			return body
		}
		at += 2 + n
	}
	return nil
}

// chunk finds a chunk of a PNG or a WebP file, which differ in their order: PNG writes
// the length before the name and a sum after the body, WebP the name first and a
// padding byte.
func chunk(file []byte, at int, order binary.ByteOrder, name string) []byte {
	png := order == binary.BigEndian
	for at+8 <= len(file) {
		tag, size := file[at:at+4], order.Uint32(file[at+4:])
		if png {
			tag, size = file[at+4:at+8], order.Uint32(file[at:])
		}
		if uint64(size) > uint64(len(file)-at-8) {
			return nil
		}
		body := file[at+8 : at+8+int(size)]
		if string(tag) == name {
			return body
		}
		at += 8 + int(size)
		if png {
			at += 4
		} else {
			at += int(size) & 1
		}
	}
	return nil
}

// exifOrientation reads tag 0x0112 of the first directory.
func exifOrientation(block []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(block, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(block, []byte("II*\x00")):
		return 1
	}
	if len(block) < 8 {
		return 1
	}
	at := uint64(order.Uint32(block[4:]))
	if at+2 > uint64(len(block)) {
		return 1
	}
	n := uint64(order.Uint16(block[at:]))
	for i := range n {
		entry := at + 2 + 12*i
		if entry+12 > uint64(len(block)) {
			return 1
		}
		if order.Uint16(block[entry:]) == 0x0112 {
			if v := int(order.Uint16(block[entry+8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
	}
	return 1
}
