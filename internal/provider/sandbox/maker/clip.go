package maker

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/at-wat/ebml-go"
	"github.com/at-wat/ebml-go/webm"
	"github.com/deepteams/webp"
)

const frames = 4 // a second

// clip is a test clip: the card with a marker that moves.
func clip(seed uint64, seconds float64) ([]byte, error) {
	count := max(1, int(seconds*frames))
	cluster := webm.Cluster{}
	for i := range count {
		frame, err := keyFrame(seed, float64(i)/float64(count))
		if err != nil {
			return nil, err
		}
		cluster.SimpleBlock = append(cluster.SimpleBlock, ebml.Block{
			TrackNumber: 1, Timecode: int16(i * 1000 / frames), Keyframe: true, Data: [][]byte{frame},
		})
	}
	var b bytes.Buffer
	err := ebml.Marshal(&struct {
		Header  webm.EBMLHeader `ebml:"EBML"`
		Segment webm.Segment    `ebml:"Segment"`
	}{*webm.DefaultEBMLHeader, webm.Segment{
		Info: webm.Info{TimecodeScale: 1_000_000, MuxingApp: "stele", WritingApp: "stele", Duration: seconds * 1000},
		Tracks: webm.Tracks{TrackEntry: []webm.TrackEntry{{
			TrackNumber: 1, TrackUID: 1, CodecID: "V_VP8", TrackType: 1,
			Video: &webm.Video{PixelWidth: side, PixelHeight: side},
		}}},
		Cluster: []webm.Cluster{cluster},
	}}, &b)
	return b.Bytes(), err
}

// keyFrame is a picture as VP8 has it: what a lossy WebP file is around.
func keyFrame(seed uint64, at float64) ([]byte, error) {
	var b bytes.Buffer
	options := webp.DefaultOptions()
	options.Method = 0
	if err := webp.Encode(&b, bars(seed, at), options); err != nil {
		return nil, err
	}
	for rest := b.Bytes()[min(12, b.Len()):]; len(rest) >= 8; {
		size := int(binary.LittleEndian.Uint32(rest[4:]))
		if string(rest[:4]) == "VP8 " && size <= len(rest)-8 {
			return rest[8 : 8+size], nil
		}
		rest = rest[min(8+size+size%2, len(rest)):]
	}
	return nil, errors.New("the picture has no VP8 frame")
}
