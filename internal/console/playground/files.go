package playground

import (
	"net/http"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/file"
)

// attachment is a file as the page knows it.
type attachment struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
	Type string `json:"type"`
	Size int64  `json:"size"`
	URL  string `json:"url"` // a path of this host: what people reach it by need not be the public name
}

// attachFile keeps a file that a person wants to show to a model.
func (c *Room) attachFile(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if c.Files == nil {
		return page.NoPage()
	}
	f, err := c.KeepUpload(r, v, page.Uploads{Files: c.Files, Audit: c.Audit}, file.Upload{Documents: true})
	if err != nil {
		return err
	}
	address := page.LocalAddress(c.Files.Address(f))
	return page.WriteJSON(w, http.StatusCreated, attachment{f.ID, f.Name, f.Kind, f.Type, f.Size, address})
}
