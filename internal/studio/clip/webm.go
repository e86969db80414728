package clip

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/at-wat/ebml-go"
	"github.com/at-wat/ebml-go/webm"
)

// Packet is a piece of compressed sound.
type Packet struct {
	Data []byte
	At   float64 // seconds from the start
}

// Soundtrack is sound for a film: Opus at 48 kHz.
type Soundtrack struct {
	Channels int
	Head     []byte // the Opus identification header
	Delay    float64
	Packets  []Packet
}

// WebM packs frames and sound as they come. All is held compressed, in memory.
type WebM struct {
	film     *Film
	note     string
	sound    *Soundtrack
	next     int // packet
	clusters []cluster
	buf      bytes.Buffer
}

type cluster struct {
	at       uint64 // milliseconds
	position int    // in buf
}

// NewWebM begins a film; sound is nil for a silent one, note says what it was made from.
func NewWebM(f *Film, sound *Soundtrack, note string) *WebM {
	return &WebM{film: f, sound: sound, note: note}
}

// Add takes a group of frames that begins with a key frame, and the sound until its end.
func (w *WebM) Add(first int, frames [][]byte) error {
	start := w.milliseconds(w.film.At(first))
	c := webm.Cluster{Timecode: start}
	for i, frame := range frames {
		at := w.milliseconds(w.film.At(first + i))
		c.SimpleBlock = append(w.until(at, start, c.SimpleBlock), ebml.Block{
			TrackNumber: 1, Timecode: int16(at - start), Keyframe: i == 0, Data: [][]byte{frame},
		})
	}
	end := w.milliseconds(w.film.At(first + len(frames)))
	if first+len(frames) >= w.film.Frames() {
		end = math.MaxInt64
	}
	c.SimpleBlock = w.until(end, start, c.SimpleBlock)
	w.clusters = append(w.clusters, cluster{start, w.buf.Len()})
	return marshal(&w.buf, &struct {
		Cluster webm.Cluster `ebml:"Cluster"`
	}{c})
}

// until adds the sound that comes before a time.
func (w *WebM) until(at, start uint64, list []ebml.Block) []ebml.Block {
	for ; w.sound != nil && w.next < len(w.sound.Packets); w.next++ {
		p := w.sound.Packets[w.next]
		t := w.milliseconds(p.At)
		if t >= at {
			break
		}
		list = append(list, ebml.Block{TrackNumber: 2, Timecode: int16(t - start), Keyframe: true, Data: [][]byte{p.Data}})
	}
	return list
}

func (w *WebM) milliseconds(seconds float64) uint64 { return uint64(math.Round(seconds * 1000)) }

// Bytes is the whole file: what it is, where everything is, and then the pictures.
func (w *WebM) Bytes() ([]byte, error) {
	var out bytes.Buffer
	if err := marshal(&out, &struct {
		Header webm.EBMLHeader `ebml:"EBML"`
	}{*webm.DefaultEBMLHeader}); err != nil {
		return nil, err
	}
	front, err := w.front()
	if err != nil {
		return nil, err
	}
	out.Write([]byte{0x18, 0x53, 0x80, 0x67, 0x01}) // Segment, its size in seven bytes
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(front)+w.buf.Len()))
	out.Write(size[1:])
	out.Grow(len(front) + w.buf.Len())
	out.Write(front)
	out.Write(w.buf.Bytes())
	return out.Bytes(), nil
}

// front is what stands before the pictures. It holds positions, whose sizes depend on
// its own: it is written until they hold.
func (w *WebM) front() ([]byte, error) {
	head := struct {
		SeekHead webm.SeekHead `ebml:"SeekHead"`
		Info     webm.Info     `ebml:"Info"`
		Tracks   webm.Tracks   `ebml:"Tracks"`
		Cues     webm.Cues     `ebml:"Cues"`
	}{
		Info:   webm.Info{TimecodeScale: 1e6, MuxingApp: "stele", WritingApp: "stele " + w.note, Duration: w.film.At(w.film.Frames()) * 1000},
		Tracks: w.tracks(),
	}
	length := 0
	for range 8 {
		head.Cues.CuePoint = nil
		for _, c := range w.clusters {
			head.Cues.CuePoint = append(head.Cues.CuePoint, webm.CuePoint{
				CueTime:           c.at,
				CueTrackPositions: []webm.CueTrackPosition{{CueTrack: 1, CueClusterPosition: uint64(length + c.position)}},
			})
		}
		var out bytes.Buffer
		places := map[string]uint64{}
		hook := ebml.WithElementWriteHooks(func(e *ebml.Element) {
			if e.Parent == nil {
				places[e.Name] = e.Position
			}
		})
		if err := ebml.Marshal(&head, &out, hook); err != nil {
			return nil, fmt.Errorf("write webm: %w", err)
		}
		if out.Len() == length && len(head.SeekHead.Seek) > 0 && head.SeekHead.Seek[2].SeekPosition == places["Cues"] {
			return out.Bytes(), nil
		}
		length = out.Len()
		head.SeekHead.Seek = []webm.Seek{
			{SeekID: ebml.ElementInfo.Bytes(), SeekPosition: places["Info"]},
			{SeekID: ebml.ElementTracks.Bytes(), SeekPosition: places["Tracks"]},
			{SeekID: ebml.ElementCues.Bytes(), SeekPosition: places["Cues"]},
		}
	}
	return nil, fmt.Errorf("write webm: its positions do not settle")
}

func (w *WebM) tracks() webm.Tracks {
	list := []webm.TrackEntry{{
		TrackNumber: 1, TrackUID: 1, TrackType: 1, CodecID: "V_VP8", DefaultDuration: uint64(1e9 / w.film.FPS),
		Video: &webm.Video{PixelWidth: uint64(w.film.Width), PixelHeight: uint64(w.film.Height)},
	}}
	if w.sound != nil {
		list = append(list, webm.TrackEntry{
			TrackNumber: 2, TrackUID: 2, TrackType: 2, CodecID: "A_OPUS", CodecPrivate: w.sound.Head,
			CodecDelay: uint64(math.Round(w.sound.Delay * 1e9)), SeekPreRoll: 80e6,
			Audio: &webm.Audio{SamplingFrequency: 48000, Channels: uint64(w.sound.Channels)},
		})
	}
	return webm.Tracks{TrackEntry: list}
}

func marshal(out *bytes.Buffer, v any) error {
	if err := ebml.Marshal(v, out); err != nil {
		return fmt.Errorf("write webm: %w", err)
	}
	return nil
}
