package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"stele/internal/fault"
	"stele/internal/memory"
)

// Metadata is what the bytes of a file tell about it.
type Metadata struct {
	Kind          string // image, video, audio or document
	Type          string // content type
	Width, Height int
	Duration      float64 // seconds
}

// mostPixels bounds pictures: decoding one takes memory for each pixel,
// and a few bytes can claim any number of them.
const mostPixels = 100_000_000

// Why bytes are refused. The sentences are for clients.
var (
	errUnknown = errors.New("it is no image, video, audio or document that is taken here")
	errCut     = errors.New("it ends too early")
	errTail    = errors.New("something else follows its end")
)

// bombError is a picture that claims too many pixels.
type bombError struct{ width, height int }

func (e *bombError) Error() string {
	return fmt.Sprintf("it has %d × %d pixels, more than the %d million that are taken", e.width, e.height, mostPixels/1_000_000)
}

// damagedError is a file that is not what it begins as.
type damagedError struct {
	what string // PNG image, …
	err  error
}

func (e *damagedError) Error() string {
	return fmt.Sprintf("it begins like a %s, but %s", e.what, e.err)
}
func (e *damagedError) Unwrap() error { return e.err }

// format is a sort of file: how it begins, and how its bytes are read to the end.
type format struct {
	what string // for people
	Metadata
	ext  string
	is   func(head []byte) bool
	walk func(r *reader, f *Metadata)
}

// headSize is how many bytes are enough to tell what a file is.
const headSize = 4096

// formats are all that is taken. Text is last: it is what nothing else claims.
var formats = []format{
	{"PNG image", Metadata{Kind: Image, Type: "image/png"}, "png", begins("\x89PNG\r\n\x1a\n"), walkPNG},
	{"JPEG image", Metadata{Kind: Image, Type: "image/jpeg"}, "jpg", begins("\xff\xd8\xff"), walkJPEG},
	{"GIF image", Metadata{Kind: Image, Type: "image/gif"}, "gif", begins("GIF87a", "GIF89a"), walkGIF},
	{"WebP image", Metadata{Kind: Image, Type: "image/webp"}, "webp", begins("RIFF....WEBP"), walkWebP},
	{"AVIF image", Metadata{Kind: Image, Type: "image/avif"}, "avif", brand("avif", "avis"), walkBoxes},
	{"HEIC image", Metadata{Kind: Image, Type: "image/heic"}, "heic", brand("heic", "heix", "heim", "heis", "hevc", "mif1", "msf1"), walkBoxes},
	{"M4A sound", Metadata{Kind: Audio, Type: "audio/mp4"}, "m4a", brand("M4A ", "M4B "), walkBoxes},
	{"QuickTime film", Metadata{Kind: Video, Type: "video/quicktime"}, "mov", brand("qt  "), walkBoxes},
	{"MP4 film", Metadata{Kind: Video, Type: "video/mp4"}, "mp4", brand(""), walkBoxes},
	{"WebM film", Metadata{Kind: Video, Type: "video/webm"}, "webm", docType("webm"), walkMatroska},
	{"Matroska film", Metadata{Kind: Video, Type: "video/x-matroska"}, "mkv", docType("matroska"), walkMatroska},
	{"WAV sound", Metadata{Kind: Audio, Type: "audio/wav"}, "wav", begins("RIFF....WAVE"), walkWAV},
	{"FLAC sound", Metadata{Kind: Audio, Type: "audio/flac"}, "flac", begins("fLaC"), walkFLAC},
	{"Ogg sound", Metadata{Kind: Audio, Type: "audio/ogg"}, "ogg", begins("OggS"), walkOgg},
	{"MP3 sound", Metadata{Kind: Audio, Type: "audio/mpeg"}, "mp3", isMP3, walkMP3},
	{"AAC sound", Metadata{Kind: Audio, Type: "audio/aac"}, "aac", isADTS, walkADTS},
	{"PDF document", Metadata{Kind: Document, Type: "application/pdf"}, "pdf", begins("%PDF-"), walkPDF},
	{"SVG image", Metadata{Kind: Image, Type: "image/svg+xml"}, "svg", isSVG, walkSVG},
	{"text", Metadata{Kind: Document, Type: "text/plain"}, "txt", isText, walkText},
}

// formatOf finds the format of a file by its first bytes.
func formatOf(head []byte) (*format, bool) {
	for i := range formats {
		if formats[i].is(head) {
			return &formats[i], true
		}
	}
	return nil, false
}

// sniffWithin reads a whole file and tells what it is. It holds no more than a few
// kilobytes of it, which count to the caller's lease, and decodes nothing. What is not
// whole, or something else at the same time, is an error that says so.
func sniffWithin(r io.Reader, lease *memory.Lease) (Metadata, error) {
	b := newReader(r)
	b.lease = lease
	head, err := b.Peek(headSize)
	if len(head) == 0 && err == io.EOF { //nolint:errorlint // never wrapped by a reader
		return Metadata{}, errors.New("it is empty")
	}
	f, ok := formatOf(head)
	if !ok {
		return Metadata{}, errUnknown
	}
	about := f.Metadata
	if f.Kind != Document && bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) {
		return about, &damagedError{f.what, errors.New("it is a PDF document as well")} // readers look for that in the first kilobyte
	}
	f.walk(b, &about)
	if b.err == nil && about.Kind == Image && about.Width*about.Height > mostPixels {
		b.err = &bombError{about.Width, about.Height}
	}
	if bomb, ok := errors.AsType[*bombError](b.err); ok {
		return about, bomb
	}
	if busy, ok := errors.AsType[*fault.Error](b.err); ok {
		return about, busy
	}
	if b.err != nil {
		return about, &damagedError{f.what, b.err}
	}
	return about, nil
}

// begins recognises bytes; a dot stands for any.
func begins(patterns ...string) func([]byte) bool {
	return func(head []byte) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return len(head) >= len(p) && matches(head, p) })
	}
}

func matches(head []byte, pattern string) bool {
	for i := range len(pattern) {
		if pattern[i] != '.' && pattern[i] != head[i] {
			return false
		}
	}
	return true
}

// inspector looks at a file while it passes by on its way elsewhere.
type inspector struct {
	pipe  *io.PipeWriter
	done  chan struct{}
	about Metadata
	err   error
}

func inspect(lease *memory.Lease) *inspector {
	r, w := io.Pipe()
	i := &inspector{pipe: w, done: make(chan struct{})}
	go func() {
		defer close(i.done)
		i.about, i.err = sniffWithin(r, lease)
		_, _ = io.Copy(io.Discard, r) // whatever is wrong with it, it passes by
	}()
	return i
}

// Write never fails.
func (i *inspector) Write(p []byte) (int, error) { return i.pipe.Write(p) }

// end says what passed by. It must be called, once.
func (i *inspector) end() (Metadata, error) {
	_ = i.pipe.Close()
	<-i.done
	return i.about, i.err
}
