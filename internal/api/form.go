package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"stele/internal/fault"
	"stele/internal/wire"
)

const (
	longestField = 1 << 10 // bytes
	mostParts    = 200
)

// formFields are the parts beside the file that mean something. Others are
// passed over unread.
var formFields = []string{"file_type", "model", "mode", "purpose"}

// form is a multipart body that is read front to back, in whatever order its
// parts come.
type form struct {
	parts  *wire.Parts
	tail   *tail
	end    []byte // the closing boundary
	count  int
	fields map[string]string
}

func openForm(r *http.Request) (*form, error) {
	boundary := boundaryOf(r.Header.Get("Content-Type"))
	if boundary == "" {
		return nil, fault.New(fault.UnsupportedContentType, "Send the file as multipart/form-data, in a part called file.")
	}
	t := &tail{Reader: r.Body}
	return &form{
		parts: wire.NewParts(t, boundary), tail: t, end: []byte("--" + boundary + "--"), fields: make(map[string]string),
	}, nil
}

// boundaryOf is what stands between the parts of a form; "" where the body is none. Some clients write
// a boundary such as Python's ===============123== without the quotation marks that its signs need.
func boundaryOf(contentType string) string {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if kind != "multipart/form-data" {
		return ""
	}
	if errors.Is(err, mime.ErrInvalidMediaParameter) {
		for parameter := range strings.SplitSeq(contentType, ";") {
			name, value, _ := strings.Cut(parameter, "=")
			if strings.EqualFold(strings.TrimSpace(name), "boundary") {
				return strings.Trim(strings.TrimSpace(value), `"`)
			}
		}
	}
	return parameters["boundary"]
}

func (f *form) has(name string) bool {
	_, ok := f.fields[name]
	return ok
}

// next reads fields up to the next part that is a file, or up to the closing
// boundary: then it returns nil.
func (f *form) next() (*multipart.Part, error) {
	for {
		part, err := f.parts.Next()
		// A body that just ends looks to the library much like one that is complete.
		if err == io.EOF && bytes.Contains(f.tail.last, f.end) { //nolint:errorlint // bare at the closing boundary
			return nil, nil
		}
		if err != nil {
			return nil, formError(err)
		}
		if f.count++; f.count > mostParts {
			return nil, fault.New(fault.InvalidRequestBody, "The form has more than %d parts.", mostParts)
		}
		if part.FormName() == "file" {
			return part, nil
		}
		if err := f.keepField(part); err != nil {
			return nil, err
		}
	}
}

// keepField keeps a part that means something. Of several with one name the first counts.
func (f *form) keepField(part *multipart.Part) error {
	name := part.FormName()
	if !slices.Contains(formFields, name) || f.has(name) {
		return nil // it is passed over
	}
	value, err := io.ReadAll(io.LimitReader(part, longestField+1))
	if err != nil {
		return formError(err)
	}
	if len(value) > longestField {
		return fault.New(fault.InvalidRequestBody, "The field %s is longer than %d bytes.", name, longestField).Field(name)
	}
	f.fields[name] = string(value)
	return nil
}

// formBody is the bytes of a part, with errors that a client understands.
type formBody struct{ part *multipart.Part }

func (b *formBody) Read(p []byte) (int, error) {
	n, err := b.part.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // bare at the part's end
		err = formError(err)
	}
	return n, err
}

// tail remembers the last bytes that were read: more than the library reads ahead.
type tail struct {
	io.Reader
	last []byte
}

func (t *tail) Read(p []byte) (int, error) {
	const most = 8 << 10
	n, err := t.Reader.Read(p)
	t.last = append(t.last, p[:n]...)
	if over := len(t.last) - most; over > 0 {
		t.last = append(t.last[:0], t.last[over:]...)
	}
	return n, err
}

func formError(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.New(fault.InvalidRequestBody, "The form ends before its closing boundary.").Because(err)
	}
	return fault.New(fault.InvalidRequestBody, "The form is not well-formed.").Because(err)
}
