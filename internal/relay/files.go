package relay

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/scope"
)

// Files are what clients have uploaded to this installation.
type Files interface {
	// Own finds the id of one of our files in an address.
	Own(given string) (id string, ok bool)
	File(ctx context.Context, workspace, id string) (*file.File, error)
	Open(ctx context.Context, f *file.File, off, n int64) (io.ReadCloser, error)
}

var kinds = map[string]chat.Kind{file.Image: chat.Image, file.Video: chat.Video, file.Audio: chat.Audio, file.Document: chat.Document}

// load reads a file of the workspace as it goes into a conversation, if count lets it.
func (f *fetched) load(ctx context.Context, files Files, workspace, id string, count func(int64) error) (*gotten, error) {
	if files == nil {
		return nil, fault.New(fault.FileNotFound, "There is no file %q here.", id)
	}
	kept, err := files.File(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	words := kept.Type == "text/plain"
	size := kept.Size
	if !words {
		size = int64(base64.StdEncoding.EncodedLen(int(kept.Size)))
	}
	if err := count(size); err != nil {
		return nil, err
	}
	if err := scope.From(ctx).Memory.Grow(ctx, size); err != nil {
		return nil, err
	}
	r, err := files.Open(ctx, kept, 0, -1)
	if err != nil {
		return nil, refuseLostFile(id, err)
	}
	defer r.Close()
	got := &gotten{kind: kinds[kept.Kind], file: kept, media: &chat.Media{Type: kept.Type, Name: kept.Name}}
	var text strings.Builder
	text.Grow(int(size))
	if words {
		_, err = io.Copy(&text, r)
		got.media.Plain = text.String()
	} else {
		encoder := base64.NewEncoder(base64.StdEncoding, &text)
		if _, err = io.Copy(encoder, r); err == nil {
			err = encoder.Close()
		}
		got.media.Base64 = text.String()
	}
	if err != nil {
		return nil, refuseLostFile(id, err)
	}
	return got, nil
}

// refuseLostFile says why a file cannot go into a conversation.
func refuseLostFile(id string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.FileNotFound, "The bytes of the file %s are not there any more.", id).Because(err)
	case errors.Is(err, file.ErrDamaged):
		return fault.New(fault.FileNotFound, "The file %s is damaged: upload it again.", id).Because(err)
	}
	return fmt.Errorf("read file %s: %w", id, err)
}

// refuseKind says that a file cannot stand where a part names it.
func refuseKind(p *chat.Part, f *file.File) error {
	wanted := "such a file"
	for name, kind := range kinds {
		if kind == p.Kind {
			wanted = name
		}
	}
	return fault.New(fault.InvalidParameter, "the file %s is of the kind %s (%s), not %s.", f.ID, f.Kind, f.Type, wanted)
}
