package vp8_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	decoder "golang.org/x/image/vp8"

	"stele/internal/studio/clip/vp8"
)

// scene is a frame of a moving picture that has everything: smooth and hard
// edges, noise, things that stay and things that go.
func scene(width, height, frame int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	noise := rand.New(rand.NewPCG(uint64(width), uint64(frame)))
	for y := range height {
		for x := range width {
			o := m.PixOffset(x, y)
			m.Pix[o] = uint8(x * 255 / width)
			m.Pix[o+1] = uint8(y * 255 / height)
			m.Pix[o+2] = uint8(128 + 100*math.Sin(float64(x+y+frame*3)/20))
			if (x+frame*5)%90 < 12 && y > height/2 {
				m.Pix[o], m.Pix[o+1], m.Pix[o+2] = 255, 255, 255
			}
			if x < width/5 && y < height/4 {
				m.Pix[o] = uint8(noise.IntN(256))
			}
			m.Pix[o+3] = 255
		}
	}
	return m
}

func picture(width, height, frame int) *vp8.Picture {
	p := vp8.NewPicture(width, height)
	p.Set(scene(width, height, frame))
	return p
}

func TestADecoderSeesWhatTheEncoderKeeps(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{16, 16}, {1, 1}, {17, 33}, {130, 98}} {
		for _, quantiser := range []int{0, 8, 30, 60, 110, 127} {
			t.Run(fmt.Sprintf("%dx%d at %d", size[0], size[1], quantiser), func(t *testing.T) {
				t.Parallel()
				e, err := vp8.New(size[0], size[1])
				if err != nil {
					t.Fatal(err)
				}
				frame := e.Key(picture(size[0], size[1], 0), quantiser)
				d := decoder.NewDecoder()
				d.Init(bytes.NewReader(frame), len(frame))
				if _, err := d.DecodeFrameHeader(); err != nil {
					t.Fatal(err)
				}
				seen, err := d.DecodeFrame()
				if err != nil {
					t.Fatal(err)
				}
				compare(t, e.Decoded(), seen)
			})
		}
	}
}

func compare(t *testing.T, kept *vp8.Picture, seen *image.YCbCr) {
	t.Helper()
	if seen.Rect.Dx() != kept.Width || seen.Rect.Dy() != kept.Height {
		t.Fatalf("the frame is %v", seen.Rect)
	}
	for y := range kept.Height {
		for x := range kept.Width {
			c := y/2*kept.Stride/2 + x/2
			if y/2*kept.Stride/2 != y/2*(kept.Stride/2) {
				t.Fatal("odd stride")
			}
			if kept.Y[y*kept.Stride+x] != seen.Y[seen.YOffset(x, y)] ||
				kept.U[c] != seen.Cb[seen.COffset(x, y)] || kept.V[c] != seen.Cr[seen.COffset(x, y)] {
				t.Fatalf("pixel %d,%d: kept %d %d %d, seen %d %d %d", x, y, kept.Y[y*kept.Stride+x], kept.U[c], kept.V[c],
					seen.Y[seen.YOffset(x, y)], seen.Cb[seen.COffset(x, y)], seen.Cr[seen.COffset(x, y)])
			}
		}
	}
}

func TestFramesLookLikeWhatWasGiven(t *testing.T) {
	t.Parallel()
	const width, height = 192, 108
	e, err := vp8.New(width, height)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		given := picture(width, height, i)
		var frame []byte
		if i%10 == 0 {
			frame = e.Key(given, 16)
		} else {
			frame = e.Next(given, 16)
		}
		var sum float64
		for k, v := range given.Y {
			d := float64(v) - float64(e.Decoded().Y[k])
			sum += d * d
		}
		if psnr := 10 * math.Log10(255*255/(sum/float64(len(given.Y)))); psnr < 34 {
			t.Errorf("frame %d: %.1f dB in %d bytes", i, psnr, len(frame))
		}
	}
}

func TestWhatStaysCostsNothing(t *testing.T) {
	t.Parallel()
	e, err := vp8.New(320, 180)
	if err != nil {
		t.Fatal(err)
	}
	key := e.Key(picture(320, 180, 0), 20)
	e.Next(picture(320, 180, 0), 20)
	again := e.Next(picture(320, 180, 0), 20)
	if len(key) < 2000 || len(again)*10 > len(key) {
		t.Errorf("the frame takes %d bytes, and %d when nothing changes", len(key), len(again))
	}
}

func TestCoarserIsSmaller(t *testing.T) {
	t.Parallel()
	e, err := vp8.New(320, 180)
	if err != nil {
		t.Fatal(err)
	}
	fine, coarse := len(e.Key(picture(320, 180, 0), 10)), len(e.Key(picture(320, 180, 0), 80))
	if coarse*2 > fine {
		t.Errorf("%d bytes fine, %d coarse", fine, coarse)
	}
}

// TestAnotherDecoderSeesTheSameFilm compares every frame, those between key frames
// included, with what ffmpeg decodes, where there is one.
func TestAnotherDecoderSeesTheSameFilm(t *testing.T) {
	t.Parallel()
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("there is no ffmpeg")
	}
	for _, size := range [][2]int{{128, 96}, {170, 130}} {
		for _, quantiser := range []int{4, 24, 60, 120} {
			width, height := size[0], size[1]
			e, err := vp8.New(width, height)
			if err != nil {
				t.Fatal(err)
			}
			film := []byte("DKIF\x00\x00\x20\x00VP80")
			film = binary.LittleEndian.AppendUint16(film, uint16(width))
			film = binary.LittleEndian.AppendUint16(film, uint16(height))
			film = append(film, 25, 0, 0, 0, 1, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 0)
			var kept []byte
			for i := range 14 {
				var frame []byte
				if i%7 == 0 {
					frame = e.Key(picture(width, height, i), quantiser)
				} else {
					frame = e.Next(picture(width, height, i), quantiser)
				}
				film = binary.LittleEndian.AppendUint32(film, uint32(len(frame)))
				film = binary.LittleEndian.AppendUint64(film, uint64(i))
				film = append(film, frame...)
				kept = append(kept, plain(e.Decoded())...)
			}
			name := filepath.Join(t.TempDir(), "film.ivf")
			if err := os.WriteFile(name, film, 0o600); err != nil {
				t.Fatal(err)
			}
			seen, err := exec.Command(ffmpeg, "-v", "error", "-i", name, "-f", "rawvideo", "-pix_fmt", "yuv420p", "pipe:1").Output()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(seen, kept) {
				t.Errorf("%dx%d at %d: the films differ from frame %d on", width, height, quantiser, differ(seen, kept)/(width*height*3/2))
			}
		}
	}
}

func differ(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func plain(p *vp8.Picture) []byte {
	var out []byte
	for y := range p.Height {
		out = append(out, p.Y[y*p.Stride:][:p.Width]...)
	}
	for _, plane := range [][]uint8{p.U, p.V} {
		for y := range (p.Height + 1) / 2 {
			out = append(out, plane[y*(p.Stride/2):][:(p.Width+1)/2]...)
		}
	}
	return out
}

func BenchmarkKey(b *testing.B) {
	e, _ := vp8.New(1280, 720)
	p := picture(1280, 720, 0)
	n := 0
	for b.Loop() {
		n = len(e.Key(p, 20))
	}
	b.ReportMetric(float64(n)/1024, "KB")
}

func BenchmarkNext(b *testing.B) {
	e, _ := vp8.New(1280, 720)
	list := []*vp8.Picture{picture(1280, 720, 0), picture(1280, 720, 1), picture(1280, 720, 2)}
	e.Key(list[0], 20)
	n, i := 0, 0
	for b.Loop() {
		i++
		n = len(e.Next(list[i%3], 20))
	}
	b.ReportMetric(float64(n)/1024, "KB")
}

func BenchmarkSet(b *testing.B) {
	p, m := vp8.NewPicture(1280, 720), scene(1280, 720, 0)
	for b.Loop() {
		p.Set(m)
	}
}
