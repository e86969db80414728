package console

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
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
func (c *Console) attachFile(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if c.playground.Files == nil {
		return errNoPage()
	}
	f, err := c.keepUpload(r, v, uploads{c.playground.Files, c.playground.Audit}, file.Upload{Documents: true})
	if err != nil {
		return err
	}
	body, err := json.Marshal(attachment{f.ID, f.Name, f.Kind, f.Type, f.Size, localAddress(c.playground.Files.Address(f))})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(body) // the client has gone: nobody is left to tell
	return nil
}

// localAddress is an address without its host.
func localAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.RequestURI()
}
