package main

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/config"
)

func (p *program) files() *cobra.Command {
	return group("files", "Put files on the running server", p.filesPut())
}

// keptFile is what the server says of a file.
type keptFile struct {
	ID          string `json:"id"`
	URL         string `json:"url"`
	Key         string `json:"key"`
	FileType    string `json:"file_type"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	Filename    string `json:"filename"`
	SHA256      string `json:"sha256"`
	CreatedAt   string `json:"created_at"`
	ExpiresAt   string `json:"expires_at"`
}

func (p *program) filesPut() *cobra.Command {
	var r remote
	c := p.onServer(&cobra.Command{
		Use: "put PATH", Short: "Upload a picture, a clip or a sound", Args: cobra.ExactArgs(1),
		Long: "Upload a file to the running server and print its id and an address under which anybody can read it.\n" +
			"Both can be given to generations and chats.",
		Example: "  stele files put photo.jpg\n  stele generate --image $(stele files put photo.jpg --json | jq -r .id) --set operation=blur",
		PreRunE: func(_ *cobra.Command, args []string) error {
			_, err := os.Stat(args[0])
			return err
		},
	}, &r, func(c *cobra.Command, _ *config.Config, args []string) error {
		kept, err := r.put(c.Context(), args[0])
		if err != nil {
			return err
		}
		return say(c, kept, "%s  %s, %d bytes, kept until %s\n%s\n", kept.ID, kept.ContentType, kept.Size, kept.ExpiresAt, kept.URL)
	}, access.GroupFiles)
	c.Flags().Bool("json", false, "print the file as JSON for scripts")
	return c
}

// put uploads the file at a path. It is read while it is sent.
func (r *remote) put(ctx context.Context, path string) (*keptFile, error) {
	kept := new(keptFile)
	header := make(http.Header)
	err := r.do(ctx, http.MethodPost, "/api/v1/files", header, func() io.Reader {
		body, w := io.Pipe()
		form := multipart.NewWriter(w)
		header.Set("Content-Type", form.FormDataContentType())
		go func() {
			_ = w.CloseWithError(fill(form, path))
		}()
		return body
	}, kept)
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// fill writes a form with a file in it.
func fill(form *multipart.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	part, err := form.CreateFormFile("file", filepath.Base(path))
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, f); err != nil {
		return err
	}
	return form.Close()
}
