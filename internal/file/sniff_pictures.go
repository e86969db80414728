package file

import "bytes"

// walkPNG follows the chunks of a PNG image to its end.
func walkPNG(r *reader, f *Metadata) {
	r.skip(8)
	seen := false
	for first := true; r.err == nil; first = false {
		length, name := r.be32(), r.name()
		if first && (name != "IHDR" || length != 13) || !letters(name) || length > 1<<31-1 {
			r.failText("its chunks are broken")
		}
		switch name {
		case "IHDR":
			if !first {
				r.failText("it has two headers")
			}
			r.setSize(f, r.be32(), r.be32())
			r.skip(5)
		case "IDAT":
			seen = seen || length > 0
			r.skip(int64(length))
		default:
			r.skip(int64(length))
		}
		r.skip(4) // checksum
		if name == "IEND" && r.err == nil {
			if !seen {
				r.failText("it has no picture in it")
			}
			r.last()
			return
		}
	}
}

func letters(name string) bool {
	for i := range len(name) {
		if c := name[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// walkJPEG follows the segments of a JPEG image to the end of its first picture.
// Phones put further pictures and clips behind it, so other bytes may follow.
func walkJPEG(r *reader, f *Metadata) {
	r.skip(2)
	scanned := false
	for r.err == nil {
		if r.u8() != 0xff {
			r.failText("its segments are broken")
		}
		marker := r.u8()
		for marker == 0xff { // padding
			marker = r.u8()
		}
		switch {
		case r.err != nil:
		case marker == 0xd9: // end
			if !scanned || f.Width == 0 {
				r.failText("it has no picture in it")
			}
			r.rest()
			return
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd8: // without a length
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc: // a frame
			length := r.be16()
			r.skip(1)
			height, width := r.be16(), r.be16()
			r.setSize(f, width, height)
			r.skip(int64(length) - 7)
		default:
			r.skip(int64(r.be16()) - 2)
			if marker == 0xda { // a scan: its bytes have no length
				scanned = true
				r.scan()
			}
		}
	}
}

// scan passes over a scan's bytes up to the marker after them.
func (r *reader) scan() {
	for r.err == nil {
		next, err := r.Peek(2)
		if err != nil {
			r.fail(err)
			return
		}
		block, _ := r.Peek(r.Buffered())
		at := bytes.IndexByte(block, 0xff)
		switch {
		case at < 0:
			r.skip(int64(len(block)))
		case at > 0:
			r.skip(int64(at))
		case next[1] == 0xff:
			r.skip(1)
		case next[1] == 0 || next[1] >= 0xd0 && next[1] <= 0xd7:
			r.skip(2)
		default:
			return
		}
	}
}

const mostFramePixels = 10 * mostPixels // of all frames of an animation

// walkGIF follows the blocks of a GIF image to its end.
func walkGIF(r *reader, f *Metadata) {
	r.skip(6)
	r.setSize(f, r.le16(), r.le16())
	r.skip(r.palette(r.u8()) + 2)
	for pixels := 0; r.err == nil; {
		switch r.u8() {
		case 0x21: // an extension
			r.skip(1)
			r.skipSubBlocks()
		case 0x2c: // a frame
			left, top, width, height := r.le16(), r.le16(), r.le16(), r.le16()
			if left+width > f.Width || top+height > f.Height || width*height == 0 {
				r.failText("a frame of it is larger than the picture")
			}
			if pixels += width * height; pixels > mostFramePixels {
				r.fail(&bombError{f.Width, pixels / max(f.Width, 1)})
			}
			r.skip(r.palette(r.u8()))
			r.skip(1)
			r.skipSubBlocks()
		case 0x3b:
			if pixels == 0 {
				r.failText("it has no picture in it")
			}
			r.last()
			return
		default:
			r.failText("its blocks are broken")
		}
	}
}

// palette is the length of the colour table that a GIF's flags announce.
func (r *reader) palette(flags int) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func (r *reader) skipSubBlocks() {
	for r.err == nil {
		n := r.u8()
		if n == 0 {
			return
		}
		r.skip(int64(n))
	}
}

// walkWebP follows the chunks of a WebP image to its end.
func walkWebP(r *reader, f *Metadata) {
	r.skip(4)
	end := int64(r.le32()) + 8
	r.skip(4)
	seen := false
	for r.err == nil && r.at < end {
		name, length := r.name(), int64(r.le32())
		start := r.at
		switch name {
		case "VP8X":
			r.skip(4)
			width, height := r.le24()+1, r.le24()+1
			r.setSize(f, width, height)
		case "VP8 ":
			seen = true
			r.skip(3)
			if string(r.bytes(3)) != "\x9d\x01\x2a" {
				r.failText("its picture is broken")
			}
			width, height := r.le16()&0x3fff, r.le16()&0x3fff
			r.takeInner(f, width, height)
		case "VP8L":
			seen = true
			if r.u8() != 0x2f {
				r.failText("its picture is broken")
			}
			bits := r.le32()
			r.takeInner(f, bits&0x3fff+1, bits>>14&0x3fff+1)
		case "ANMF":
			seen = true
		}
		r.skip(length + length&1 - (r.at - start))
	}
	if r.err == nil && (!seen || f.Width == 0) {
		r.failText("it has no picture in it")
	}
	if r.at > end+1 {
		r.failText("its lengths do not fit")
	}
	r.last()
}

func (r *reader) le24() int { return r.le16() | r.u8()<<16 }

// takeInner sets the size by a picture, or compares it with the canvas announced before.
func (r *reader) takeInner(f *Metadata, width, height int) {
	if f.Width == 0 {
		r.setSize(f, width, height)
	} else if width > f.Width || height > f.Height {
		r.failText("its picture is larger than it says")
	}
}
