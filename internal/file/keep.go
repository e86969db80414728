package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/guard"
	"stele/internal/media"
)

const largestOutput = 2 << 30 // bytes

// Keep copies what a maker made into this installation. The same output of the
// same generation is copied once, however often a crash comes between. Its
// errors are *media.Failure where the output is to blame, or the maker that has it. It is kept
// however much the workspace holds: it is paid.
func (s *Service) Keep(ctx context.Context, workspace, generation string, place int, o media.Output) (*File, error) {
	return s.keep(ctx, Upload{Workspace: workspace, generation: generation, place: place, owed: true}, o)
}

// KeepUnpaid is Keep for what cost nothing: a workspace that holds as much as it may is refused.
func (s *Service) KeepUnpaid(ctx context.Context, workspace, generation string, place int, o media.Output) (*File, error) {
	return s.keep(ctx, Upload{Workspace: workspace, generation: generation, place: place}, o)
}

func (s *Service) keep(ctx context.Context, up Upload, o media.Output) (*File, error) {
	f, err := s.Store.MadeFile(ctx, up.generation, up.place)
	if !errors.Is(err, access.ErrNotFound) {
		return f, err
	}
	body, err := o.Open(ctx)
	if err != nil {
		return nil, media.ToFailure(err)
	}
	defer body.Close()
	source := &sourceError{Reader: body}
	up.Name, up.Body = fmt.Sprintf("%s-%d%s", up.generation, up.place+1, extension(o.Type)), source
	up.Most, up.Keep, up.lenient = largestOutput, s.Settings().Outputs, true
	up.Judge = func(f *File) error {
		if f.Kind != o.Kind {
			return &media.Failure{Class: media.ModelFailed, Message: fmt.Sprintf("What the provider made is not %s.", article(o.Kind))}
		}
		if f.Width == 0 {
			f.Width, f.Height = o.Width, o.Height
		}
		f.Duration = cmp.Or(f.Duration, o.Duration)
		return nil
	}
	f, err = s.Save(ctx, up)
	if source.err != nil {
		return nil, fetchFailure(source.err)
	}
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Code == fault.PermissionDenied {
		return nil, &media.Failure{Class: media.ModelFailed, Message: e.Message, Err: e}
	} else if ok && !e.Away {
		return nil, &media.Failure{Class: media.ModelFailed, Message: "What the provider made cannot be kept.", Err: e}
	}
	return f, err
}

// fetchFailure is the failure of an output that broke off. What a maker of this installation
// has spooled breaks off because of the disk.
func fetchFailure(err error) error {
	if f := media.ToFailure(err); f.Ours() {
		return f
	}
	return &media.Failure{Class: media.Transient, Message: "What the provider made could not be read.", Err: err}
}

// sourceError remembers that it was the maker's side that broke.
type sourceError struct {
	io.Reader
	err error
}

func (s *sourceError) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // never wrapped by a reader
		s.err = err
	}
	return n, err
}

// Source is a file that goes into a generation.
func (s *Service) Source(ctx context.Context, workspace, field, id string) (media.Source, error) {
	f, err := s.File(ctx, workspace, id)
	if err != nil {
		return media.Source{}, err
	}
	source := media.Source{
		Field: field, ID: f.ID, Name: f.Name, Type: f.Type, Size: f.Size,
		Open: func(ctx context.Context) (io.ReadCloser, error) {
			r, err := s.Open(ctx, f, 0, -1)
			if err != nil {
				return nil, toInputFailure(ctx, err)
			}
			return &watched{ReadCloser: r, seen: func(err error) error { return toInputFailure(ctx, err) }}, nil
		},
	}
	if _, err := guard.CheckPublic(s.Public().String(), nil); err == nil {
		source.Link = func(context.Context) (string, error) { return s.URL(f.ID, f.Type), nil }
	}
	return source, nil
}
