package file

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
)

// docType recognises EBML files by the name of their document type.
func docType(name string) func([]byte) bool {
	return func(head []byte) bool {
		head = head[:min(len(head), 128)]
		return begins("\x1aE\xdf\xa3")(head) && bytes.Contains(head, append([]byte{0x42, 0x82, 0x80 | byte(len(name))}, name...))
	}
}

// The elements of Matroska that are looked into or read.
const (
	idEBML     = 0x1a45dfa3
	idSegment  = 0x18538067
	idInfo     = 0x1549a966
	idScale    = 0x2ad7b1
	idDuration = 0x4489
	idTracks   = 0x1654ae6b
	idTrack    = 0xae
	idType     = 0x83
	idVideo    = 0xe0
	idWidth    = 0xb0
	idHeight   = 0xba
	idCluster  = 0x1f43b675
)

// tape is what the elements of a WebM or Matroska file told so far.
type tape struct {
	*reader
	about          *Metadata
	scale, ticks   float64
	picture, sound bool
	clusters       bool
}

const unknown = math.MaxInt64 // the length of an element that was written live

// walkMatroska follows the elements of a WebM or Matroska file to its end.
func walkMatroska(r *reader, f *Metadata) {
	t := tape{reader: r, about: f, scale: 1e6}
	if r.element() != idEBML {
		r.failText("its header is broken")
	}
	r.skip(r.length())
	if r.element() != idSegment {
		r.failText("its segment is missing")
	}
	t.readElements(r.length(), 0)
	if r.err == nil && (!t.clusters || !t.picture && !t.sound) {
		r.failText("it has no contents")
	}
	if !t.picture {
		f.Kind, f.Width, f.Height = Audio, 0, 0
		f.Type = strings.Replace(f.Type, Video, Audio, 1)
	}
	f.Duration = t.ticks * t.scale / 1e9
	r.last()
}

// readElements reads the elements of the next n bytes.
func (t *tape) readElements(n int64, depth int) {
	end := int64(unknown)
	if n != unknown {
		end = t.at + n
	}
	for t.err == nil && t.at < end {
		if end == unknown && t.hasEnded() {
			return
		}
		id, length := t.element(), t.length()
		if t.err == nil && length != unknown && end != unknown && t.at+length > end {
			t.failText("its elements are broken")
		}
		if length == unknown && id != idCluster {
			t.failText("its elements are broken")
		}
		if t.err == nil {
			t.read(id, length, depth)
		}
	}
}

func (t *tape) read(id int, length int64, depth int) {
	switch id {
	case idInfo, idTracks, idTrack, idVideo:
		if depth >= deepest {
			t.failText("its elements are broken")
			return
		}
		t.readElements(length, depth+1)
	case idCluster:
		t.clusters = true
		if length != unknown { // else its elements are read as if they stood beside it
			t.skip(length)
		}
	case idScale:
		t.scale = float64(t.readUnsigned(length))
	case idDuration:
		t.ticks = t.float(length)
	case idType:
		kind := t.readUnsigned(length)
		t.picture = t.picture || kind == 1
		t.sound = t.sound || kind == 2
	case idWidth:
		t.about.Width = int(min(t.readUnsigned(length), mostPixels))
	case idHeight:
		t.about.Height = int(min(t.readUnsigned(length), mostPixels))
	default:
		t.skip(length)
	}
}

// element reads an element's id, its length bits included.
func (r *reader) element() int {
	first := r.u8()
	more := bits.LeadingZeros8(uint8(first))
	if more > 3 {
		r.failText("its elements are broken")
		return 0
	}
	id := first
	for range more {
		id = id<<8 | r.u8()
	}
	return id
}

// length reads the length of an element.
func (r *reader) length() int64 {
	first := r.u8()
	more := bits.LeadingZeros8(uint8(first))
	if more > 7 {
		r.failText("its elements are broken")
		return 0
	}
	n := int64(first) & (0x7f >> more)
	all := n == 0x7f>>more
	for range more {
		b := r.u8()
		all = all && b == 0xff
		n = n<<8 | int64(b)
	}
	if all {
		return unknown
	}
	return n
}

func (r *reader) readUnsigned(n int64) (v uint64) {
	if n > 8 {
		r.failText("its elements are broken")
		return 0
	}
	for range n {
		v = v<<8 | uint64(r.u8())
	}
	return v
}

func (r *reader) float(n int64) float64 {
	v := 0.0
	switch n {
	case 4:
		v = float64(math.Float32frombits(uint32(r.be32())))
	case 8:
		v = math.Float64frombits(binary.BigEndian.Uint64(r.bytes(8)))
	default:
		r.skip(n)
	}
	if v < 0 || v > 1e15 || math.IsNaN(v) {
		return 0
	}
	return v
}
