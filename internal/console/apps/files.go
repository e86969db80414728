package apps

import (
	"context"
	"errors"
	"mime"
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/media"
)

const (
	filesRead  = 200 // of the newest, to find those of a kind
	filesShown = 24
)

// partsLimit is how many bytes a form with long texts may have.
const partsLimit = 512 << 10

// readParts reads a form that comes in parts into r.PostForm: the usual way to send
// one makes long texts several times longer.
func readParts(w http.ResponseWriter, r *http.Request) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "multipart/form-data" {
		return nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, partsLimit)
	err := r.ParseMultipartForm(partsLimit) //nolint:gosec // bounded in the line before
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.BodyTooLarge, "This form has at most %d KB.", partsLimit>>10).With("limit", partsLimit)
	}
	if err != nil {
		return fault.New(fault.InvalidRequestBody, "The form cannot be read.").Because(err)
	}
	return nil
}

// appFile is a file that is given to an app, or could be.
type appFile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"` // "" for an address
	URL  string `json:"url"`
}

// appFilesOf shows what a form names: files of the workspace, or addresses.
func (c *Room) appFilesOf(ctx context.Context, v access.Visitor, given []string) []appFile {
	var list []appFile
	for _, id := range given {
		if id == "" {
			continue
		}
		f, err := c.Files.File(ctx, v.Session.Workspace, id)
		if err != nil {
			list = append(list, appFile{ID: id, Name: id})
			continue
		}
		list = append(list, c.appFile(f))
	}
	return list
}

func (c *Room) appFile(f *file.File) appFile {
	return appFile{f.ID, f.Name, f.Kind, page.LocalAddress(c.Files.Address(f))}
}

// pickFiles lists files of a kind that the workspace has already.
func (c *Room) pickFiles(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	files, err := c.Books.Files(r.Context(), v.Session.Workspace, filesRead)
	if err != nil {
		return err
	}
	kind := r.URL.Query().Get("kind")
	var list []appFile
	for i := range files {
		if files[i].Kind == kind && len(list) < filesShown {
			list = append(list, c.appFile(&files[i]))
		}
	}
	return c.Fragment(w, r, http.StatusOK, "app", "picks", page.View{Visitor: &v, Data: list})
}

// takeFile keeps a file that a person gives to an app.
func (c *Room) takeFile(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	kind := r.URL.Query().Get("kind")
	f, err := c.KeepUpload(r, v, page.Uploads{Files: c.Files, Audit: c.Audit}, file.Upload{Judge: func(f *file.File) error {
		if kind != "" && f.Kind != "" && f.Kind != kind {
			return fault.New(fault.UnsupportedFileType, "%s is no %s.", f.Name, appMedia(kind))
		}
		return nil
	}})
	if err != nil {
		return err
	}
	return page.WriteJSON(w, http.StatusCreated, c.appFile(f))
}

// appMedia is a kind of media in the words of the console.
func appMedia(kind string) string {
	switch kind {
	case "image":
		return "picture"
	case "video":
		return "clip"
	case "audio":
		return "sound"
	}
	return kind
}

// appMoney is a price as pages show it.
func appMoney(nano int64) string { return "$" + media.Amount(nano).String() }
