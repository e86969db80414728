package blueprint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"

	"github.com/go-json-experiment/json"

	"stele/internal/media"
)

// encodings that files may name.
var encodings = []string{"json", "multipart"}

// encode makes what is sent out of a body.
func encode(how string, body any) (*payload, error) {
	fields, ok := body.(map[string]any)
	if how == "multipart" && ok {
		return encodeForm(fields)
	}
	return encodeJSON(body)
}

// encodeJSON writes keys in order, so that the same request is the same bytes.
func encodeJSON(body any) (*payload, error) {
	text, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write the body: %w", err)
	}
	return &payload{kind: "application/json", size: int64(len(text)), open: openMemory(text)}, nil
}

// encodeForm writes fields as parts of a form, lists as parts called name[]. The
// files are read when they are sent: none is ever whole in memory.
func encodeForm(fields map[string]any) (*payload, error) {
	f := &form{}
	w := multipart.NewWriter(&f.text)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		values, listed := fields[name].([]any)
		if !listed {
			values = []any{fields[name]}
		} else {
			name += "[]"
		}
		for _, v := range values {
			if err := f.addPart(w, name, v); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	f.endText()
	return &payload{kind: w.FormDataContentType(), size: f.size, open: func(ctx context.Context) (io.ReadCloser, error) {
		return &sequence{ctx: ctx, left: f.pieces}, nil
	}}, nil
}

// form is a multipart body: texts and files in turn.
type form struct {
	text   bytes.Buffer // since the last file
	pieces []piece
	size   int64
}

type piece struct {
	open opener
	size int64
}

func (f *form) addPart(w *multipart.Writer, name string, v any) error {
	file, ok := v.(*attachment)
	if !ok {
		text := media.Plain(v)
		if text == "" && v != "" {
			return fmt.Errorf("%s: a form has no place for %T", name, v)
		}
		return w.WriteField(name, text)
	}
	head := make(textproto.MIMEHeader)
	head.Set("Content-Disposition", mime.FormatMediaType("form-data", map[string]string{"name": name, "filename": file.filename}))
	head.Set("Content-Type", file.Type)
	if _, err := w.CreatePart(head); err != nil {
		return err
	}
	f.endText()
	f.add(piece{open: file.Open, size: file.Size})
	return nil
}

func (f *form) endText() {
	text := bytes.Clone(f.text.Bytes())
	f.text.Reset()
	f.add(piece{open: openMemory(text), size: int64(len(text))})
}

func (f *form) add(p piece) {
	f.pieces = append(f.pieces, p)
	f.size += p.size
}

// sequence reads pieces one after the other, each to exactly its size.
type sequence struct {
	ctx  context.Context //nolint:containedctx // that of the request whose body this is
	left []piece
	now  io.ReadCloser
	more int64 // of the piece
}

func (r *sequence) Read(p []byte) (int, error) {
	for {
		if r.now == nil {
			if len(r.left) == 0 {
				return 0, io.EOF
			}
			body, err := r.left[0].open(r.ctx)
			if err != nil {
				return 0, unreadFailure(err)
			}
			r.now, r.more = body, r.left[0].size
			r.left = r.left[1:]
		}
		if r.more == 0 {
			_ = r.now.Close()
			r.now = nil
			continue
		}
		if int64(len(p)) > r.more {
			p = p[:r.more]
		}
		n, err := r.now.Read(p)
		r.more -= int64(n)
		if err == io.EOF && r.more > 0 { //nolint:errorlint // as io.Reader promises
			return n, unreadFailure(io.ErrUnexpectedEOF)
		}
		if err == io.EOF { //nolint:errorlint // as io.Reader promises
			err = nil
		}
		if err != nil {
			return n, unreadFailure(err)
		}
		if n > 0 {
			return n, nil
		}
	}
}

func (r *sequence) Close() error {
	if r.now == nil {
		return nil
	}
	return r.now.Close()
}
