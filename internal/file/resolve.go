package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/guard"
	"stele/internal/uid"
	"stele/internal/wire"
)

const fetchTime = 60 * time.Second // of an input, whole

// Take makes a file of what a client gave: an id of one of its workspace's files,
// an address of such a file, an address elsewhere, or the bytes themselves.
func (s *Service) Take(ctx context.Context, workspace, given string, want Want) (*File, error) {
	given = strings.TrimSpace(given)
	f, err := s.take(ctx, workspace, given, want)
	if err != nil {
		return nil, withField(err, want.Field)
	}
	return f, nil
}

func (s *Service) take(ctx context.Context, workspace, given string, want Want) (*File, error) {
	if id, ok := s.Own(given); ok {
		f, err := s.File(ctx, workspace, id)
		if err != nil {
			return nil, err
		}
		return f, want.check(f, fault.UnsupportedFileFormat)
	}
	scheme, _, _ := strings.Cut(given, ":")
	switch strings.ToLower(scheme) {
	case "data":
		return s.inline(ctx, workspace, given, want)
	case "http", "https":
		return s.fetch(ctx, workspace, given, want)
	}
	return nil, refuseUnfit("it is neither a file id nor an http, https or data URL", nil)
}

// Own finds the id in what a client gave, if that is one of this installation's
// files: file_…, files/file_…, or an address of ours, expired or not.
func (s *Service) Own(given string) (id string, ok bool) {
	id = strings.TrimPrefix(given, "files/")
	if uid.Is("file", id) {
		return id, true
	}
	return s.own(given)
}

// inline makes a file of a data: URL.
func (s *Service) inline(ctx context.Context, workspace, given string, want Want) (*File, error) {
	_, content, err := wire.OpenDataURL(given)
	switch {
	case errors.Is(err, wire.ErrNoComma):
		return nil, refuseUnfit(err.Error(), nil)
	case err != nil:
		return nil, refuseUnfit("the data: URL is not well-formed", err)
	}
	return s.input(ctx, workspace, "input", content, want)
}

// fetch makes a file of what is at a client's address.
func (s *Service) fetch(ctx context.Context, workspace, given string, want Want) (*File, error) {
	if !s.Settings().Fetch {
		return nil, refuseUnfit("fetching from elsewhere is switched off here: upload the file", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	checked, err := guard.CheckURL(given)
	if err != nil {
		return nil, refuseUnreachable(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, checked.String(), http.NoBody)
	if err != nil {
		return nil, refuseUnfit("it is not a valid URL", err)
	}
	r.Header.Set("Accept", "*/*")
	r.Header.Set("User-Agent", "stele")
	answer, err := s.Outside().Do(r)
	if err != nil {
		return nil, refuseUnreachable(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, refuseUnfit(fmt.Sprintf("its server answered %d", answer.StatusCode), nil)
	}
	return s.input(ctx, workspace, path.Base(checked.Path), answer.Body, want)
}

func refuseUnreachable(err error) error {
	if refused, ok := errors.AsType[*guard.Refused](err); ok {
		return refuseUnfit(refused.Reason, err)
	}
	return refuseUnfit("it could not be fetched", err)
}

// input saves bytes that came with a request. Whatever they are not, the client
// hears that its URL is no good.
func (s *Service) input(ctx context.Context, workspace, name string, body io.Reader, want Want) (*File, error) {
	f, err := s.Save(ctx, Upload{
		Workspace: workspace, Name: name, Body: &told{body}, Documents: want.Kind == Document, dry: want.Dry, owed: want.Owed,
		Judge: func(f *File) error { // a document that is wanted as a picture is told below
			if f.Kind == "" {
				return refuseUnfit("what is there is of no kind that is taken here", nil)
			}
			return want.check(f, fault.InvalidMediaURL)
		},
	})
	e, ok := errors.AsType[*fault.Error](err)
	if ok && e.Code == fault.UnsupportedFileType {
		return nil, fault.New(fault.InvalidMediaURL, "%s", e.Message).Because(err)
	}
	return f, err
}

// told makes what goes wrong while an input is read into something to tell.
type told struct{ io.Reader }

func (t *told) Read(b []byte) (int, error) {
	n, err := t.Reader.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // never wrapped by a reader
		err = refuseUnfit("it could not be read to its end", err)
	}
	return n, err
}

// refuseUnfit says why something cannot be used as an input.
func refuseUnfit(why string, cause error) error {
	return fault.New(fault.InvalidMediaURL, "The URL cannot be used: %s.", why).Because(cause)
}

// withField says which field an error is about.
func withField(err error, field string) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || field == "" {
		return err
	}
	about := *e
	about.Message = field + ": " + e.Message
	return about.Field(field)
}
