package file

import (
	"encoding/binary"
	"slices"
)

// brand recognises files of boxes (MP4 and its relatives) by their main brand;
// "" is any.
func brand(names ...string) func([]byte) bool {
	return func(head []byte) bool {
		return len(head) >= 16 && string(head[4:8]) == "ftyp" && head[0] == 0 && head[1] == 0 &&
			(names[0] == "" || slices.Contains(names, string(head[8:12])))
	}
}

// film is what the boxes of a file told so far.
type film struct {
	*reader
	about    *Metadata
	moov     bool // it has a table of contents
	contents bool
	picture  bool // it has a track with pictures
	sound    bool
}

// walkBoxes follows the boxes of an MP4, QuickTime, AVIF or HEIC file to its end.
func walkBoxes(r *reader, f *Metadata) {
	m := film{reader: r, about: f}
	m.readBoxes(-1, 0)
	switch {
	case r.err != nil:
	case f.Kind == Image && (f.Width == 0 || !m.contents):
		r.failText("it has no picture in it")
	case f.Kind == Image:
	case !m.moov || !m.contents:
		r.failText("it has no contents")
	case !m.picture && m.sound:
		f.Kind, f.Type = Audio, "audio/mp4"
		f.Width, f.Height = 0, 0
	case m.picture && f.Kind == Audio: // the brand of a song, but a clip
		f.Kind, f.Type = Video, "video/mp4"
	case !m.picture:
		r.failText("it has neither pictures nor sound in it")
	}
}

const deepest = 8 // boxes in boxes

// readBoxes reads the boxes of the next n bytes, or up to the end of the file.
func (m *film) readBoxes(n int64, depth int) {
	end := m.at + n
	for m.err == nil {
		if n >= 0 && m.at >= end || n < 0 && m.hasEnded() {
			return
		}
		start := m.at
		size, name := int64(m.be32()), m.name()
		switch size {
		case 1:
			size = int64(binary.BigEndian.Uint64(m.bytes(8)))
		case 0: // as long as what is around it
			if depth > 0 || !isPrintable(name) {
				m.failText("its boxes are broken")
				return
			}
			m.contents = m.contents || name == "mdat"
			m.skipPayload()
			return
		}
		left := size - (m.at - start)
		if left < 0 || n >= 0 && start+size > end || !isPrintable(name) {
			m.failText("its boxes are broken")
			return
		}
		m.readBox(name, left, depth)
		m.skip(start + size - m.at)
	}
}

// readBox reads what is interesting of a box with n bytes in it.
func (m *film) readBox(name string, n int64, depth int) {
	switch name {
	case "moov", "trak", "mdia", "iprp", "ipco":
		m.moov = m.moov || name == "moov"
		if depth < deepest {
			m.readBoxes(n, depth+1)
		}
	case "meta":
		if m.about.Kind == Image && n >= 4 && depth < deepest {
			m.skip(4)
			m.readBoxes(n-4, depth+1)
		}
	case "mdat", "idat":
		m.contents = m.contents || n > 0
	case "ispe":
		m.skip(4)
		width, height := m.be32(), m.be32()
		if width*height > m.about.Width*m.about.Height || m.err == nil && (width > mostPixels || height > mostPixels) {
			m.setSize(m.about, width, height) // the largest picture of several
		}
	case "mvhd":
		m.readDuration(n)
	case "hdlr":
		if n >= 12 {
			m.skip(8)
			handler := m.name()
			m.picture = m.picture || handler == "vide"
			m.sound = m.sound || handler == "soun"
		}
	case "tkhd":
		m.readTrack(n)
	}
}

// readDuration reads how long a film is.
func (m *film) readDuration(n int64) {
	var scale, ticks uint64
	if version := m.u8(); version == 1 && n >= 32 {
		m.skip(3 + 16)
		scale = uint64(m.be32())
		ticks = binary.BigEndian.Uint64(m.bytes(8))
	} else if n >= 20 {
		m.skip(3 + 8)
		scale, ticks = uint64(m.be32()), uint64(m.be32())
		if ticks == 1<<32-1 {
			ticks = 0 // not known
		}
	}
	if scale > 0 && m.err == nil {
		m.about.Duration = float64(ticks) / float64(scale)
	}
}

// readTrack reads how large the pictures of a track are: the last two fields, as
// numbers with 16 bits behind the point.
func (m *film) readTrack(n int64) {
	if n < 84 {
		return
	}
	m.skip(n - 8)
	width, height := m.be32()>>16, m.be32()>>16
	if width > 0 && height > 0 && m.err == nil {
		m.setSize(m.about, width, height)
	}
}

func isPrintable(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c < ' ' || c > '~') && c != 0xa9 { // © begins the names of notes
			return false
		}
	}
	return true
}
