package studio_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"os/exec"
	"strings"
	"testing"

	"github.com/at-wat/ebml-go"
	"github.com/at-wat/ebml-go/webm"
	"github.com/deepteams/webp/animation"
	"golang.org/x/image/vp8"

	"stele/internal/media"
)

// film is a WebM that was read back.
type film struct {
	content
	start int // of the segment's content
	data  []byte
}

type content struct {
	Header  webm.EBMLHeader `ebml:"EBML"`
	Segment struct {
		Info    webm.Info      `ebml:"Info"`
		Tracks  webm.Tracks    `ebml:"Tracks"`
		Cues    webm.Cues      `ebml:"Cues"`
		Cluster []webm.Cluster `ebml:"Cluster"`
	} `ebml:"Segment"`
}

func readFilm(t *testing.T, data []byte) *film {
	t.Helper()
	f := &film{data: data}
	if err := ebml.Unmarshal(bytes.NewReader(data), &f.content, ebml.WithIgnoreUnknown(true)); err != nil {
		t.Fatal(err)
	}
	f.start = bytes.Index(data, []byte{0x18, 0x53, 0x80, 0x67}) + 12
	return f
}

// frames are the blocks of a track, and their times in milliseconds.
func (f *film) frames(track uint64) (data [][]byte, at []int, keys int) {
	for _, c := range f.Segment.Cluster {
		for _, b := range c.SimpleBlock {
			if b.TrackNumber == track {
				data = append(data, b.Data[0])
				at = append(at, int(c.Timecode)+int(b.Timecode))
				if b.Keyframe {
					keys++
				}
			}
		}
	}
	return data, at, keys
}

func keyFrame(t *testing.T, data []byte) *image.YCbCr {
	t.Helper()
	d := vp8.NewDecoder()
	d.Init(bytes.NewReader(data), len(data))
	if _, err := d.DecodeFrameHeader(); err != nil {
		t.Fatal(err)
	}
	m, err := d.DecodeFrame()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkCues fails unless each cue names the place of a cluster that begins with a key
// frame.
func checkCues(t *testing.T, f *film) {
	t.Helper()
	if len(f.Segment.Cues.CuePoint) != len(f.Segment.Cluster) {
		t.Fatalf("%d cues for %d clusters", len(f.Segment.Cues.CuePoint), len(f.Segment.Cluster))
	}
	for i, cue := range f.Segment.Cues.CuePoint {
		at := f.start + int(cue.CueTrackPositions[0].CueClusterPosition)
		if !bytes.HasPrefix(f.data[at:], []byte{0x1f, 0x43, 0xb6, 0x75}) {
			t.Errorf("no cluster stands where cue %d says", i)
		}
		c := f.Segment.Cluster[i]
		for _, b := range c.SimpleBlock {
			if b.TrackNumber == 1 {
				if !b.Keyframe || cue.CueTime != c.Timecode || b.Data[0][0]&1 != 0 {
					t.Errorf("cluster %d does not begin with a key frame", i)
				}
				break
			}
		}
	}
}

func checkStills(t *testing.T, outputs []media.Output, files [][]byte) {
	t.Helper()
	if len(outputs) != 3 || outputs[1].Role != media.Thumbnail || outputs[2].Role != media.Preview {
		t.Fatalf("%d outputs", len(outputs))
	}
	m, err := jpeg.Decode(bytes.NewReader(files[1]))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds().Size() != image.Pt(outputs[0].Width, outputs[0].Height) || plainness(m) {
		t.Errorf("the thumbnail is %v, or shows nothing", m.Bounds())
	}
	moving, err := animation.DecodeBytes(files[2])
	if err != nil {
		t.Fatal(err)
	}
	if len(moving.Frames) < 4 || moving.CanvasWidth != outputs[2].Width || moving.CanvasHeight != outputs[2].Height || len(files[2]) > 600<<10 {
		t.Errorf("the preview has %d frames of %dx%d in %d bytes", len(moving.Frames), moving.CanvasWidth, moving.CanvasHeight, len(files[2]))
	}
}

// plainness reports whether a picture is of one colour.
func plainness(m image.Image) bool {
	b := m.Bounds()
	first := m.At(b.Min.X, b.Min.Y)
	different := 0
	for y := b.Min.Y; y < b.Max.Y; y += 3 {
		for x := b.Min.X; x < b.Max.X; x += 3 {
			if r, g, bl, _ := m.At(x, y).RGBA(); far(first, r, g, bl) {
				different++
			}
		}
	}
	return different < 50
}

func far(c color.Color, r, g, b uint32) bool {
	p, q, s, _ := c.RGBA()
	d := func(a, b uint32) int { return int(a>>8) - int(b>>8) }
	return max(d(p, r), -d(p, r), d(q, g), -d(q, g), d(s, b), -d(s, b)) > 40
}

// probe asks ffprobe, where there is one, about a file.
func probe(t *testing.T, data []byte, wanted ...string) {
	t.Helper()
	path, err := exec.LookPath("ffprobe")
	if err != nil {
		return
	}
	cmd := exec.Command(path, "-v", "error", "-show_streams", "-show_format", "-i", "pipe:0")
	cmd.Stdin = bytes.NewReader(data)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, w := range wanted {
		if !strings.Contains(string(out), w) {
			t.Errorf("ffprobe does not say %s:\n%s", w, out)
		}
	}
}
