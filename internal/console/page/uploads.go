package page

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/uid"
	"stele/internal/wire"
)

// uploadField is the part of a form that a file comes in.
const uploadField = "file"

// Uploads is what a room of the console keeps files with.
type Uploads struct {
	Files interface {
		Save(ctx context.Context, u file.Upload) (*file.File, error)
	}
	Audit func(ctx context.Context, e access.Entry) error // writes down what no transaction of a room does
}

// KeepUpload keeps a file that a person sends, and writes down that they did. It is
// the only way for a file to come in here. rules are those of the room: what kinds it
// takes.
func (f *Frame) KeepUpload(r *http.Request, v access.Visitor, room Uploads, rules file.Upload) (*file.File, error) {
	part, err := uploadedFile(r)
	if err != nil {
		return nil, err
	}
	who := v.Principal()
	rules.Workspace, rules.Name, rules.Body, rules.Announced = who.Workspace, part.FileName(), arriving{part}, max(0, r.ContentLength)
	kept, err := room.Files.Save(r.Context(), rules)
	if err != nil {
		return nil, err
	}
	err = room.Audit(r.Context(), access.Entry{
		ID: uid.New("aud"), At: f.Now(), Actor: who.User, Workspace: who.Workspace, Action: "file.upload", Target: kept.ID, Detail: kept.Name,
	})
	return kept, err
}

// uploadedFile is the file of a form that has nothing else, to be read as it arrives.
func uploadedFile(r *http.Request) (*multipart.Part, error) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return nil, fault.New(fault.UnsupportedContentType, "Send the file as a form, in a part called file.").Because(err)
	}
	part, err := wire.NewParts(r.Body, parameters["boundary"]).Next()
	if err != nil || part.FormName() != uploadField {
		return nil, fault.New(fault.MissingFile, "The form has no file.").Field(uploadField).Because(err)
	}
	return part, nil
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
