package file

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// sniffed is what a file is that counts to no lease.
func sniffed(r io.Reader) (Metadata, error) { return sniffWithin(r, nil) }

// samples are what each file in testdata/real is. They were made with ffmpeg and
// heif-enc: test pictures of 64 × 48 pixels and a tone.
var samples = []struct {
	name          string
	kind, content string
	picture       bool
	duration      float64
}{
	{"a.png", Image, "image/png", true, 0},
	{"a.jpg", Image, "image/jpeg", true, 0},
	{"a.gif", Image, "image/gif", true, 0},
	{"a.webp", Image, "image/webp", true, 0},
	{"lossless.webp", Image, "image/webp", true, 0},
	{"animated.webp", Image, "image/webp", true, 0},
	{"a.avif", Image, "image/avif", true, 0},
	{"a.heic", Image, "image/heic", true, 0},
	{"film.mp4", Video, "video/mp4", true, 1},
	{"fast.mp4", Video, "video/mp4", true, 1},
	{"fragments.mp4", Video, "video/mp4", true, 0},
	{"a.mov", Video, "video/quicktime", true, 1},
	{"a.webm", Video, "video/webm", true, 1},
	{"live.webm", Video, "video/webm", true, 0},
	{"sound.webm", Audio, "audio/webm", false, 1},
	{"a.mkv", Video, "video/x-matroska", true, 1},
	{"a.ogv", Video, "video/ogg", false, 0},
	{"a.wav", Audio, "audio/wav", false, 0.2},
	{"live.wav", Audio, "audio/wav", false, 0.2},
	{"a.mp3", Audio, "audio/mpeg", false, 1.08},
	{"bare.mp3", Audio, "audio/mpeg", false, 1.08},
	{"opus.ogg", Audio, "audio/ogg", false, 1},
	{"vorbis.ogg", Audio, "audio/ogg", false, 1},
	{"a.flac", Audio, "audio/flac", false, 0.3},
	{"a.m4a", Audio, "audio/mp4", false, 1},
	{"a.aac", Audio, "audio/aac", false, 1.09},
}

func realFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "real", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRealFilesAreKnownByTheirBytes(t *testing.T) {
	t.Parallel()
	for _, want := range samples {
		for how, r := range map[string]*facts{"whole": sniff(realFile(t, want.name), false), "byte by byte": sniff(realFile(t, want.name), true)} {
			got, err := r.Metadata, r.err
			if err != nil || got.Kind != want.kind || got.Type != want.content || math.Abs(got.Duration-want.duration) > 0.1 {
				t.Errorf("%s (%s): %+v, %v", want.name, how, got, err)
			}
			tile := want.name == "a.heic" && got.Height == 64 // this one is larger than what it shows
			if (got.Width == 64 && (got.Height == 48 || tile)) != want.picture {
				t.Errorf("%s (%s): %d × %d", want.name, how, got.Width, got.Height)
			}
		}
	}
}

type facts struct {
	Metadata
	err error
}

func sniff(b []byte, slow bool) *facts {
	var f facts
	if slow {
		f.Metadata, f.err = sniffed(iotest.OneByteReader(bytes.NewReader(b)))
	} else {
		f.Metadata, f.err = sniffed(bytes.NewReader(b))
	}
	return &f
}

func TestWordsAreKnownByTheirBytes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Ein längerer Text mit Umlauten. ", 1000)
	for _, test := range []struct{ body, content string }{
		{"hello\n", "text/plain"},
		{"\ufeffwith a mark", "text/plain"},
		{long, "text/plain"},
		{"<!doctype html><script>alert(1)</script>", "text/plain"},
		{"<html><svg></svg></html>", "text/plain"},
		{"GIF is a format", "text/plain"},
		{`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="20px"><path d="M0 0"/></svg>`, "image/svg+xml"},
		{"<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x.dtd\">\n<svg/>", "image/svg+xml"},
		{"<svg:svg xmlns:svg='x'/>", "image/svg+xml"},
		{"%PDF-1.7\n" + long + "\n%%EOF\n", "application/pdf"},
	} {
		if got, err := sniffed(strings.NewReader(test.body)); err != nil || got.Type != test.content {
			t.Errorf("%.40q: %+v, %v", test.body, got, err)
		}
	}
}

func TestCutFilesAreRefused(t *testing.T) {
	t.Parallel()
	for _, f := range samples {
		whole := realFile(t, f.name)
		for _, percent := range []int{1, 5, 10, 25, 50, 75, 90, 95, 99} {
			cut := whole[:max(16, len(whole)*percent/100)]
			switch got, err := sniffed(bytes.NewReader(cut)); {
			case err != nil:
			case percent >= 5 && slices.Contains(strings.Fields("a.mp3 bare.mp3 a.aac a.flac live.wav live.webm a.ogv fragments.mp4"), f.name):
				// A sound in frames can be played as far as it goes, and something written live ends anywhere.
			case cutAtABoundary(f.name, cut):
			default:
				t.Errorf("%s, %d %% of it: %+v", f.name, percent, got)
			}
		}
	}
}

// cutAtABoundary: pages of Ogg are whole in themselves.
func cutAtABoundary(name string, cut []byte) bool {
	return strings.HasSuffix(name, ".ogg") && bytes.Count(cut, []byte("OggS")) > 2
}

func TestPolyglotsAreRefused(t *testing.T) {
	t.Parallel()
	archive := "PK\x03\x04\x14\x00\x00\x00\x00\x00" + strings.Repeat("x", 40) + "PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00\x2e\x00\x00\x00\x28\x00\x00\x00\x00\x00"
	for _, f := range samples {
		for what, tail := range map[string]string{"archive": archive, "page": "\n<html><script>alert(1)</script></html>"} {
			if what == "page" && (f.name == "live.wav" || f.name == "a.flac") {
				continue // sound up to the end: every byte is some sound
			}
			both := append(realFile(t, f.name), tail...)
			if got, err := sniffed(bytes.NewReader(both)); err == nil {
				t.Errorf("%s and %s: %+v", f.name, what, got)
			}
		}
	}
	for name, body := range map[string]string{
		"script in a picture": "GIF89a/*" + strings.Repeat("\x00", 20) + "*/=1;alert(1)//",
		"page in a picture":   "\x89PNG\r\n\x1a\n<html><script>alert(1)</script>",
		"document in a film":  "\x00\x00\x00\x14ftypmp42%PDF-1.4" + string(realFile(t, "film.mp4")[8:]),
		"document, archive":   "%PDF-1.4\n%%EOF\n" + archive,
		"nothing but a head":  "\xff\xd8\xff\xe0",
		"picture, then text":  "RIFF\x04\x00\x00\x00WEBPalert(1)",
	} {
		if got, err := sniffed(strings.NewReader(body)); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestPicturesThatPhonesMakeAreTaken(t *testing.T) {
	t.Parallel()
	// A second picture and a clip behind the first one.
	jpg := realFile(t, "a.jpg")
	for _, more := range [][]byte{jpg, realFile(t, "film.mp4"), []byte("\x00\x00SEFH\x6b\x00\x00\x00SEFT")} {
		if got, err := sniffed(bytes.NewReader(append(bytes.Clone(jpg), more...))); err != nil || got.Type != "image/jpeg" {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

func TestBombsAreRefusedWithoutBeingDecoded(t *testing.T) {
	t.Parallel()
	gifBomb := realFile(t, "a.gif")
	copy(gifBomb[6:], "\xff\xff\xff\xff")
	webp := realFile(t, "lossless.webp")
	binary.LittleEndian.PutUint32(webp[21:], 1<<28-1) // 16384 × 16384
	avif := bytes.Clone(realFile(t, "a.avif"))
	at := bytes.Index(avif, []byte("ispe"))
	binary.BigEndian.PutUint32(avif[at+8:], 100_000)
	binary.BigEndian.PutUint32(avif[at+12:], 100_000)
	jpg := bytes.Clone(realFile(t, "a.jpg"))
	at = bytes.Index(jpg, []byte("\xff\xc0"))
	copy(jpg[at+5:], "\xff\xff\xff\xff")
	for name, bomb := range map[string][]byte{
		"png": pngOf(50_000, 50_000), "png, as wide as can be": pngOf(math.MaxInt32, math.MaxInt32), "gif": gifBomb, "webp": webp, "avif": avif, "jpeg": jpg,
		"svg": []byte(`<svg width="1e9" height="1e9"/>`),
	} {
		_, err := sniffed(bytes.NewReader(bomb))
		if _, ok := errors.AsType[*bombError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	laughs := `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><svg>&b;</svg>`
	deep := "<svg>" + strings.Repeat("<g>", 5000) + strings.Repeat("</g>", 5000) + "</svg>"
	long := `<svg><image href="` + strings.Repeat("A", 5<<20) + `"/></svg>`
	for _, bomb := range []string{laughs, deep, long} {
		if got, err := sniffed(strings.NewReader(bomb)); err == nil {
			t.Errorf("%.60s: %+v", bomb, got)
		}
	}
}

// pngOf is a PNG image that claims to be of a size.
func pngOf(width, height uint32) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, body []byte) {
		_ = binary.Write(&b, binary.BigEndian, uint32(len(body)))
		b.WriteString(name)
		b.Write(body)
		_ = binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(append([]byte(name), body...)))
	}
	header := binary.BigEndian.AppendUint32(nil, width)
	header = binary.BigEndian.AppendUint32(header, height)
	chunk("IHDR", append(header, 8, 6, 0, 0, 0))
	chunk("IDAT", []byte("\x78\x9c\x63\x00\x00\x00\x01\x00\x01"))
	chunk("IEND", nil)
	return b.Bytes()
}

// TestWhatGoEncodesIsTaken compares with encoders that know nothing of us.
func TestWhatGoEncodesIsTaken(t *testing.T) {
	t.Parallel()
	plain := image.NewGray(image.Rect(0, 0, 31, 17))
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, plain) },
		"jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, plain, nil) },
		"gif":  func(b *bytes.Buffer) error { return gif.Encode(b, plain, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		if got, err := sniffed(&b); err != nil || got.Type != "image/"+name || got.Width != 31 || got.Height != 17 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func FuzzSniff(f *testing.F) {
	for _, file := range samples {
		f.Add(realFile(f, file.name))
	}
	f.Add([]byte("<svg><a b='c'/></svg>"))
	f.Add([]byte("%PDF-1.4 %%EOF"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := sniffed(bytes.NewReader(b))
		if err != nil {
			return
		}
		if got.Kind == "" || got.Type == "" || got.Width < 0 || got.Height < 0 || got.Duration < 0 || math.IsNaN(got.Duration) {
			t.Errorf("%+v", got)
		}
		if got.Kind == Image && got.Width*got.Height > mostPixels {
			t.Errorf("%d × %d", got.Width, got.Height)
		}
		if again, err := sniffed(iotest.HalfReader(bytes.NewReader(b))); err != nil || again != got {
			t.Errorf("%+v, then %+v, %v", got, again, err)
		}
	})
}
