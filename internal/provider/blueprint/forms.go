package blueprint

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"stele/internal/media"
	"stele/internal/wire"
)

// mostInline is how many bytes of files a body may carry in itself.
const mostInline = 100 << 20

// writing is a body on its way.
type writing struct {
	maker    *Maker
	op       *Operation
	req      *media.Request
	encode   string
	upstream string
	graph    any
	inlined  int64
}

// attachment is a file in a form.
type attachment struct {
	*media.Source

	filename string
}

// inputFailure is a failure of the request's own.
func inputFailure(format string, args ...any) *media.Failure {
	return &media.Failure{Class: media.BadInput, Message: fmt.Sprintf(format, args...)}
}

// give is a file as the provider is to get it. A part that the model's file asks
// for is given as it is; otherwise it is the first form that is possible here.
func (w *writing) give(ctx context.Context, s *media.Source, part string) (any, error) {
	switch part {
	case "mime":
		return s.Type, nil
	case "base64":
		return w.inline(ctx, s)
	case "file":
		return w.file(ctx, s)
	}
	for _, form := range w.forms(s.Field) {
		switch {
		case form == "url" && s.Link != nil:
			link, err := s.Link(ctx)
			if err != nil {
				return nil, &media.Failure{Class: media.Transient, Message: "An input could not be published.", Err: err}
			}
			return link, nil
		case form == "data_uri" && (w.op.Inline == 0 || s.Size <= w.op.Inline<<10) && w.fits(s):
			text, err := w.inline(ctx, s)
			return wire.NewDataURL(s.Type, text), err
		case form == "base64" && w.fits(s):
			return w.inline(ctx, s)
		case form == "file":
			return w.file(ctx, s)
		}
	}
	return nil, inputFailure("%s: this file cannot be handed to the provider: it is too large to be sent along, or the provider wants an "+
		"address that it can read and this installation has none.", s.Field)
}

// forms are the ways in which the provider takes a field, the best first.
func (w *writing) forms(field string) []string {
	if forms := w.req.Operation.Limits[field].Forms; len(forms) > 0 {
		return forms
	}
	return w.op.forms(w.encode)
}

// forms are the ways of the operation, where a model does not say.
func (op *Operation) forms(encode string) []string {
	if encode == "multipart" {
		return []string{"file"}
	}
	if op.Upload != nil {
		return []string{"url", "data_uri", "file"}
	}
	return []string{"url", "data_uri"}
}

func (w *writing) fits(s *media.Source) bool { return w.inlined+s.Size <= mostInline }

// inline is a file's bytes as text.
func (w *writing) inline(ctx context.Context, s *media.Source) (string, error) {
	if !w.fits(s) {
		return "", inputFailure("%s: the files together are too large to be sent along.", s.Field)
	}
	body, err := s.Open(ctx)
	if err != nil {
		return "", unreadFailure(err)
	}
	defer func() { _ = body.Close() }()
	var text strings.Builder
	text.Grow(base64.StdEncoding.EncodedLen(int(s.Size)))
	coder := base64.NewEncoder(base64.StdEncoding, &text)
	n, err := io.Copy(coder, io.LimitReader(body, s.Size+1))
	if err == nil && n != s.Size {
		err = fmt.Errorf("%d bytes of %d", n, s.Size)
	}
	if err != nil {
		return "", unreadFailure(err)
	}
	_ = coder.Close() // a Builder takes everything
	w.inlined += s.Size
	return text.String(), nil
}

// unreadFailure is the failure of an input that cannot be read here. Nothing was sent, or not all
// of it: the provider has no whole request.
func unreadFailure(err error) *media.Failure {
	if f, ok := errors.AsType[*media.Failure](err); ok {
		return f
	}
	return &media.Failure{Class: media.Transient, Message: "An input could not be read.", Err: fmt.Errorf("read an input: %w", err)}
}

// file is a file itself: part of the form, or uploaded before.
func (w *writing) file(ctx context.Context, s *media.Source) (any, error) {
	file := &attachment{Source: s, filename: filename(s)}
	if w.encode == "multipart" {
		return file, nil
	}
	return w.upload(ctx, file)
}

// upload gives the provider a file ahead of the order, which costs nothing. What
// stands for it is the provider's to say.
func (w *writing) upload(ctx context.Context, file *attachment) (string, error) {
	up := w.op.Upload
	if up == nil {
		return "", fmt.Errorf("%s takes no files", w.op.Name)
	}
	form := map[string]any{up.Part: file}
	for name, value := range up.Form {
		form[name] = value
	}
	body, err := encodeForm(form)
	if err != nil {
		return "", err
	}
	d := w.maker.caller
	a, _, err := d.send(ctx, w.op, "POST", up.Post, body)
	if f, ok := errors.AsType[*media.Failure](err); ok {
		return "", f // an input that could not be read
	}
	if err != nil {
		return "", d.lostFailure(err)
	}
	if !a.fine() {
		return "", d.refusalFailure(w.op, a, false)
	}
	name := up.Reply.text(a.doc)
	if name == "" {
		return "", d.failure(media.Transient, "", "", d.cause(a))
	}
	if folder := up.Under.text(a.doc); up.Under.isGiven() && folder != "" {
		name = folder + "/" + name
	}
	return name, nil
}

// filename is a name that says nothing but the type, which providers go by.
func filename(s *media.Source) string {
	name := cmp.Or(s.ID, "input")
	if end, ok := endings[s.Type]; ok {
		return name + end
	}
	return name + filepath.Ext(s.Name)
}

var endings = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/gif": ".gif", "image/avif": ".avif",
	"video/mp4": ".mp4", "video/quicktime": ".mov", "video/webm": ".webm",
	"audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/ogg": ".ogg", "audio/flac": ".flac", "audio/mp4": ".m4a", "audio/aac": ".aac",
}
