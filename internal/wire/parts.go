package wire

import (
	"errors"
	"io"
	"mime/multipart"
)

// mostPartHeader is how many bytes may come before the content of a part of a form.
// The library would keep ten megabytes for each.
const mostPartHeader = 32 << 10

// errPartHeader says that the headers of a part of a form are too long.
var errPartHeader = errors.New("the headers of a part are too long")

// Parts reads the parts of a form, front to back, with bounds for all that it keeps in
// memory. What a part holds is for its reader to bound.
type Parts struct {
	source *gated
	reader *multipart.Reader
	part   *multipart.Part
}

// NewParts reads a form with a boundary.
func NewParts(r io.Reader, boundary string) *Parts {
	source := &gated{Reader: r}
	return &Parts{source: source, reader: multipart.NewReader(source, boundary)}
}

// Next passes over what is left of the part before and gives the next one. Its error is
// io.EOF where the form has ended.
func (p *Parts) Next() (*multipart.Part, error) {
	if p.part != nil {
		if err := p.part.Close(); err != nil {
			return nil, err
		}
	}
	p.source.within, p.source.left = true, mostPartHeader
	part, err := p.reader.NextPart()
	p.source.within = false
	p.part = part
	return part, err
}

// gated is a form's bytes, of which only so many may be headers.
type gated struct {
	io.Reader

	within bool // what is read now is headers
	left   int
}

func (g *gated) Read(b []byte) (int, error) {
	if !g.within {
		return g.Reader.Read(b)
	}
	if g.left <= 0 {
		return 0, errPartHeader
	}
	n, err := g.Reader.Read(b[:min(len(b), g.left)])
	g.left -= n
	return n, err
}
