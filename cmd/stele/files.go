package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/client"
	"stele/internal/config"
)

func (p *program) files() *cobra.Command {
	return group("files", "Put files on the running server", p.filesPut())
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

// put uploads the file at a path.
func (r *remote) put(ctx context.Context, path string) (*client.File, error) {
	return r.server().Upload(ctx, filepath.Base(path), func() (io.ReadCloser, error) { return os.Open(path) })
}
