package file

import (
	"encoding/binary"
	"strings"
)

// walkWAV follows the chunks of a WAV sound to its end. Programs that write into
// a pipe cannot know how long it gets: they leave 0 or the largest number.
func walkWAV(r *reader, f *Metadata) {
	r.skip(12)
	rate, format := 0, false
	for r.err == nil && !r.hasEnded() {
		name, length := r.name(), int64(r.le32())
		switch name {
		case "fmt ":
			format = true
			if length < 14 {
				r.failText("its header is broken")
			}
			r.skip(8)
			rate = r.le32()
			r.skip(length + length&1 - 12)
		case "data":
			if !format {
				r.failText("its header is missing")
			}
			start := r.at
			if live := length == 0 || length == 1<<32-1; live {
				r.skipPayload()
			} else {
				r.skip(length)
			}
			if rate > 0 {
				f.Duration = float64(r.at-start) / float64(rate)
			}
			if length&1 == 1 && !r.hasEnded() {
				r.skip(1)
			}
			r.skipNotes()
			return
		default:
			if !isPrintable(name) {
				r.failText("its chunks are broken")
			}
			r.skip(length + length&1)
		}
	}
	r.failText("it has no sound in it")
}

// skipNotes follows the notes after a sound.
func (r *reader) skipNotes() {
	for !r.hasEnded() {
		name, length := r.name(), int64(r.le32())
		if !isPrintable(name) {
			r.fail(errTail)
		}
		r.skip(length)
		if length&1 == 1 && !r.hasEnded() {
			r.skip(1)
		}
	}
}

// walkFLAC reads the notes of a FLAC sound and looks for its first frame.
func walkFLAC(r *reader, f *Metadata) {
	r.skip(4)
	for first, last := true, false; !last && r.err == nil; first = false {
		head := r.be32()
		last = head&0x80000000 != 0
		kind, length := head>>24&0x7f, int64(head&0xffffff)
		if first != (kind == 0) || kind == 127 || first && length < 34 {
			r.failText("its header is broken")
		}
		if first {
			r.skip(10)
			packed := binary.BigEndian.Uint64(r.bytes(8))
			if rate := packed >> 44; rate > 0 {
				f.Duration = float64(packed&(1<<36-1)) / float64(rate)
			}
			length -= 18
		}
		r.skip(length)
	}
	if r.err == nil && r.be16()&0xfffc != 0xfff8 {
		r.failText("it has no sound in it")
	}
	r.skipPayload()
}

// walkOgg follows the pages of an Ogg file to its end.
func walkOgg(r *reader, f *Metadata) {
	rate, skipped, last := 0.0, 0.0, int64(0)
	pages := 0
	for r.err == nil && !r.hasEnded() {
		if r.name() != "OggS" || r.u8() != 0 {
			r.failText("its pages are broken")
		}
		r.skip(1)
		if at := int64(binary.LittleEndian.Uint64(r.bytes(8))); at > 0 {
			last = at
		}
		r.skip(4 + 4 + 4) // stream, number, checksum
		length := int64(0)
		for range r.u8() {
			length += int64(r.u8())
		}
		if pages++; pages == 1 {
			head := r.text(int(min(length, 64)))
			length -= int64(len(head))
			rate, skipped = oggRate(r, f, head)
		}
		r.skip(length)
	}
	if r.err == nil && (pages < 2 || rate == 0 && f.Kind == Audio) {
		r.failText("it has no sound in it that is known")
	}
	if rate > 0 {
		f.Duration = max(0, (float64(last)-skipped)/rate)
	}
}

// oggRate tells by the first packet what is in an Ogg file, and how many units
// its positions count in a second.
func oggRate(r *reader, f *Metadata, head []byte) (rate, skipped float64) {
	text := string(head)
	switch {
	case strings.HasPrefix(text, "OpusHead") && len(head) >= 19:
		return 48000, float64(binary.LittleEndian.Uint16(head[10:]))
	case strings.HasPrefix(text, "\x01vorbis") && len(head) >= 30:
		return float64(binary.LittleEndian.Uint32(head[12:])), 0
	case strings.HasPrefix(text, "\x7fFLAC") && len(head) >= 51:
		return float64(binary.BigEndian.Uint32(head[27:]) >> 12), 0
	case strings.HasPrefix(text, "Speex   ") && len(head) >= 40:
		return float64(binary.LittleEndian.Uint32(head[36:])), 0
	case strings.HasPrefix(text, "\x80theora"):
		f.Kind, f.Type = Video, "video/ogg"
		return 0, 0
	}
	r.failText("it holds nothing that is known")
	return 0, 0
}

// isMP3 recognises an MP3 sound: its notes, or two frames one after the other.
func isMP3(head []byte) bool {
	if len(head) > 10 && string(head[:3]) == "ID3" && head[3] < 0xff && head[6]|head[7]|head[8]|head[9] < 0x80 {
		return true
	}
	return twoFrames(head, mp3Frame)
}

// twoFrames reports whether a file begins with two frames one after the other, or is a single one.
func twoFrames(head []byte, read func([]byte) (frame, bool)) bool {
	first, ok := read(head)
	if !ok || first.length >= len(head) {
		return ok && len(head) < headSize && first.length == len(head)
	}
	_, ok = read(head[first.length:])
	return ok
}

type frame struct {
	length   int     // bytes
	duration float64 // seconds
}

var mp3Rates = [2][16]int{ // kbit/s of layer 3: version 1, versions 2 and 2.5
	{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
	{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0},
}

// mp3Frame reads the header of a frame of layer 3.
func mp3Frame(b []byte) (frame, bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 || b[1]>>1&3 != 1 {
		return frame{}, false
	}
	version := b[1] >> 3 & 3 // 3: version 1, 2: version 2, 0: version 2.5
	if version == 1 || b[2]>>2&3 == 3 {
		return frame{}, false
	}
	table, samples, hertz := 0, 1152, []int{44100, 48000, 32000}[b[2]>>2&3]
	if version != 3 {
		table, samples, hertz = 1, 576, hertz/2
	}
	if version == 0 {
		hertz /= 2
	}
	rate := mp3Rates[table][b[2]>>4]
	if rate == 0 {
		return frame{}, false
	}
	return frame{samples/8*rate*1000/hertz + int(b[2]>>1&1), float64(samples) / float64(hertz)}, true
}

func walkMP3(r *reader, f *Metadata) {
	if head, _ := r.Peek(3); string(head) == "ID3" {
		r.skip(6)
		size := int64(0)
		for range 4 {
			size = size<<7 | int64(r.u8()&0x7f)
		}
		r.skip(size)
		for r.err == nil && !r.hasEnded() { // padding that the notes do not count
			if next, _ := r.Peek(1); next[0] != 0 {
				break
			}
			r.skip(1)
		}
	}
	r.followFrames(f, mp3Frame, 4)
}

// isADTS recognises an AAC sound by two frames one after the other.
func isADTS(head []byte) bool { return twoFrames(head, adtsFrame) }

var adtsRates = []float64{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350}

func adtsFrame(b []byte) (frame, bool) {
	if len(b) < 7 || b[0] != 0xff || b[1]&0xf6 != 0xf0 {
		return frame{}, false
	}
	rate := int(b[2] >> 2 & 15)
	length := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
	if rate >= len(adtsRates) || length < 8 {
		return frame{}, false
	}
	return frame{length, 1024 / adtsRates[rate]}, true
}

func walkADTS(r *reader, f *Metadata) { r.followFrames(f, adtsFrame, 7) }

// followFrames follows frames as long as there are any. Notes may follow, and players
// bear a last frame that was cut off; anything else at the end is refused.
func (r *reader) followFrames(f *Metadata, read func([]byte) (frame, bool), size int) {
	count := 0
	for r.err == nil {
		head, _ := r.Peek(size)
		next, ok := read(head)
		if !ok {
			break
		}
		if _, err := r.Peek(next.length); err != nil {
			break
		}
		r.skip(int64(next.length))
		f.Duration += next.duration
		count++
	}
	if count < 2 {
		r.fail(errCut)
	}
	r.rest()
}
