package console

import (
	"context"
	"errors"
	"io"
	"net/http"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/uid"
)

// uploadField is the part of a form that a file comes in.
const uploadField = "file"

// uploads is what a room of the console keeps files with.
type uploads struct {
	Files interface {
		Save(ctx context.Context, u file.Upload) (*file.File, error)
	}
	Audit func(ctx context.Context, e access.Entry) error // writes down what no transaction of a room does
}

// keepUpload keeps a file that a person sends, and writes down that they did. It is
// the only way for a file to come in here. rules are those of the room: what kinds it
// takes.
func (c *Console) keepUpload(r *http.Request, v access.Visitor, room uploads, rules file.Upload) (*file.File, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, fault.New(fault.UnsupportedContentType, "Send the file as a form, in a part called file.").Because(err)
	}
	part, err := parts.NextPart()
	if err != nil || part.FormName() != uploadField {
		return nil, fault.New(fault.MissingFile, "The form has no file.").With("field", uploadField).Because(err)
	}
	who := v.Principal()
	rules.Workspace, rules.Name, rules.Body = who.Workspace, part.FileName(), arriving{part}
	f, err := room.Files.Save(r.Context(), rules)
	if err != nil {
		return nil, err
	}
	err = room.Audit(r.Context(), access.Entry{
		ID: uid.New("aud"), At: c.now(), Actor: who.User, Workspace: who.Workspace, Action: "file.upload", Target: f.ID, Detail: f.Name,
	})
	return f, err
}

// arriving is a file's bytes, with errors that a person understands.
type arriving struct{ io.Reader }

func (a arriving) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fault.New(fault.InvalidRequestBody, "The file did not arrive whole: attach it again.").Because(err)
	}
	return n, err
}
