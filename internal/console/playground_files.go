package console

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/uid"
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
	part, err := uploadedFile(r)
	if err != nil {
		return err
	}
	f, err := c.playground.Files.Save(r.Context(), file.Upload{
		Workspace: v.Principal().Workspace, Name: part.FileName(), Body: arriving{part}, Documents: true,
	})
	if err != nil {
		return err
	}
	who := v.Principal()
	err = c.playground.Audit(r.Context(), access.Entry{
		ID: uid.New("aud"), At: c.now(), Actor: who.User, Workspace: who.Workspace, Action: "file.upload", Target: f.ID, Detail: f.Name,
	})
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

// arriving is a file's bytes, with errors that a person understands.
type arriving struct{ io.Reader }

func (a arriving) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fault.New(fault.InvalidRequestBody, "The file did not arrive whole: attach it again.").Because(err)
	}
	return n, err
}
