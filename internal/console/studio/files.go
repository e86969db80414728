package studio

import (
	"errors"
	"io"
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/file"
)

const (
	mostPicked = 60  // files one can pick from
	mostLooked = 400 // of the newest, of whatever kind
	smallLasts = "private, max-age=604800, immutable"
)

// uploadInput keeps a file that goes into an order.
func (c *Room) uploadInput(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	kind := r.URL.Query().Get("kind")
	f, err := c.KeepUpload(r, v, page.Uploads{Files: c.Files, Audit: c.Audit}, file.Upload{Judge: func(f *file.File) error {
		if kind != "" && f.Kind != "" && f.Kind != kind {
			return fault.New(fault.UnsupportedFileType, "This is %s (%s). %s goes here.", kindNoun(f.Kind), f.Type, inWords(kindNoun(kind))).
				With("content_type", f.Type)
		}
		return nil
	}})
	if err != nil {
		return err
	}
	return c.Fragment(w, r, http.StatusCreated, "studio", "given", page.View{Visitor: &v, Data: c.givenInput(f)})
}

func kindNoun(kind string) string {
	return map[string]string{file.Image: "a picture", file.Video: "a clip", file.Audio: "a sound", file.Document: "a document"}[kind]
}

// pickInput shows what can be picked for an order: uploads and what was made.
func (c *Room) pickInput(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	kind := r.URL.Query().Get("kind")
	files, err := c.Files.Store.Files(r.Context(), v.Session.Workspace, mostLooked)
	if err != nil {
		return err
	}
	var list []givenFile
	for i := range files {
		if files[i].Kind == kind && len(list) < mostPicked {
			list = append(list, c.givenInput(&files[i]))
		}
	}
	return c.Fragment(w, r, http.StatusOK, "studio", "picks", page.View{Visitor: &v, Data: list})
}

// smallPicture gives a small picture of a file, or leads to the file itself.
func (c *Room) smallPicture(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	f, err := c.Files.File(r.Context(), v.Session.Workspace, r.PathValue("file"))
	if err != nil {
		return err
	}
	body, kind, err := c.Files.Small(r.Context(), f)
	if errors.Is(err, file.ErrNoSmall) {
		http.Redirect(w, r, c.fileAddress(f.ID, f.Type), http.StatusFound)
		return nil
	}
	if err != nil {
		return err
	}
	defer body.Close()
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", smallLasts)
	_, _ = io.Copy(w, body) // the client has gone: nobody is left to tell
	return nil
}
