package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"stele/internal/access"
	"stele/internal/assembly"
	"stele/internal/client"
	"stele/internal/config"
	"stele/internal/manifest"
)

func (p *program) files() *cobra.Command {
	return group("files", "Put files on the running server, and see whether those that are kept are whole", p.filesPut(), p.filesVerify())
}

func (p *program) filesVerify() *cobra.Command {
	var most string
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "verify", Short: "Read files that are kept, and compare them with their checksums", Args: cobra.NoArgs,
		Long: "Read files from the data folder or object storage, also those that no client asks for, and compare them with what was kept, beside a running\n" +
			"server or without one. Each call goes on where the last one stopped, and after the last file begins anew. Damaged files are named, the\n" +
			"exit code is 1, and stele doctor names them from then on.",
		Example: "  stele files verify\n  nice ionice -c3 stele files verify --most 50GB",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		var size manifest.Size
		if err := size.UnmarshalText([]byte(most)); err != nil {
			return fmt.Errorf("--most: %w", err)
		}
		out, err := h.VerifyFiles(c.Context(), p.getenv, int64(size))
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%d files read (%d bytes), %d damaged\n", out.Files, out.Bytes, len(out.Damaged))
		for _, key := range out.Damaged {
			text += "  " + key + "\n"
		}
		if !out.Whole {
			text += "There are more: the next call goes on from here.\n"
		}
		if err := say(c, out, "%s", text); err != nil || len(out.Damaged) == 0 {
			return err
		}
		return errTold
	})
	c.Flags().StringVar(&most, "most", "10GB", "how many bytes to read")
	return c
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
