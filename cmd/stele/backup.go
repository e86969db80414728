package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"stele/internal/archive"
	"stele/internal/assembly"
	"stele/internal/wire"
)

func (p *program) backup() *cobra.Command {
	var b assembly.Backup
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "backup [FOLDER]", Short: "Save database, files and the wrapped master key into a folder", Args: cobra.MaximumNArgs(1),
		Long: "Saves everything as of one moment, while servers go on: all tables, all jobs that are not done, all files, each with its checksum.\n" +
			"The master key is saved only for a --recipient (age1…); without one, keep a copy of it yourself, apart from the backup.\n" +
			"stele restore puts a backup into an empty installation, on either database, whichever it came from.",
	}), func(c *cobra.Command, h *assembly.Installation, args []string) error {
		b.Installation, b.Version, b.Getenv = h, versionText(), p.getenv
		b.Folder = "stele-backup-" + time.Now().UTC().Format("20060102T150405Z")
		if len(args) > 0 {
			b.Folder = args[0]
		}
		m, err := b.Run(c.Context())
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%s: %d rows of %d tables, %d files (%d bytes), %d jobs\n", b.Folder, m.All(), len(m.Tables), m.Blobs, m.Bytes, m.Jobs.Rows)
		if !m.Wrapped {
			text += "The master key " + m.Masters[0] + " is not in it: it is needed to restore. Save it apart, or name a --recipient.\n"
		}
		return say(c, wireBackup(b.Folder, m), "%s", text)
	})
	c.Flags().StringArrayVar(&b.Recipients, "recipient", nil, "who can open the master key in the backup: age1…; may be given several times")
	c.AddCommand(p.backupIdentity())
	return c
}

// backupIdentity is for those who have no age-keygen.
func (p *program) backupIdentity() *cobra.Command {
	return &cobra.Command{
		Use: "identity FILE", Short: "Make who can open the master key of backups", Args: cobra.ExactArgs(1),
		Long: "Writes an age identity to a file, to be kept far from this machine, and prints its recipient.",
		RunE: func(c *cobra.Command, args []string) error {
			secret, recipient, err := archive.NewIdentity()
			if err != nil {
				return err
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(f, "# public key: %s\n%s\n", recipient, secret)
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
			return say(c, nil, "%s\n", recipient)
		},
	}
}

func wireBackup(folder string, m *archive.Manifest) map[string]any {
	return map[string]any{
		"folder": folder, "rows": m.All(), "tables": len(m.Tables), "files": m.Blobs, "bytes": m.Bytes, "jobs": m.Jobs.Rows,
		"schema": m.Schema, "engine": m.Engine, "at": wire.Time(m.At), "master_key": m.Masters[0], "master_key_inside": m.Wrapped,
	}
}

func (p *program) restore() *cobra.Command {
	var verify bool
	var identity string
	c := jsonFlag(&cobra.Command{
		Use: "restore FOLDER", Short: "Put a backup into an empty installation, or verify it", Args: cobra.ExactArgs(1),
		Long: "Compares every checksum, fills the configured database and file storage, which must be empty, reads all rows back and compares\n" +
			"their sums, and opens everything that is sealed. Either all rows are there afterwards or none.\n" +
			"With --verify it does all this in a folder that is thrown away, and changes nothing else.",
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := p.load()
			if err != nil {
				return err
			}
			r := assembly.Restore{Config: cfg, Folder: args[0], Getenv: p.getenv}
			if identity != "" {
				f, err := os.Open(identity)
				if err != nil {
					return err
				}
				defer f.Close()
				r.Identity = io.Reader(f)
			}
			do, done := r.Run, "restored"
			if verify {
				do, done = r.Verify, "verified"
			}
			out, err := do(c.Context())
			if err != nil {
				return err
			}
			w := wireBackup(args[0], &out.Manifest)
			w["sealed"] = out.Sealed
			return say(c, w, "%s: %d rows of %d tables, %d files, %d jobs; %d sealed values open\n",
				done, out.All(), len(out.Tables), out.Manifest.Blobs, out.Unfinished, out.Sealed)
		},
	})
	c.Flags().BoolVar(&verify, "verify", false, "change nothing: only find out whether it could be restored")
	c.Flags().StringVar(&identity, "identity", "", "file with the age identity that opens the master key in the backup")
	return c
}

func (p *program) move() *cobra.Command {
	var database, files string
	c := p.onInstallation(jsonFlag(&cobra.Command{
		Use: "move", Short: "Copy everything to another database or file storage", Args: cobra.NoArgs,
		Long: "Copies the configured installation to PostgreSQL or SQLite, to object storage or a folder, and compares the sums of every table and the\n" +
			"checksum of every file. Stop the servers first. What it comes from stays as it is; nothing uses the copy until the configuration names it.",
		Example: "  stele move --to-database postgres://stele@db/stele --to-files 's3://bucket?endpoint=…'\n  stele move --to-database sqlite --to-files folder",
	}), func(c *cobra.Command, h *assembly.Installation, _ []string) error {
		m := assembly.Move{Installation: h, To: *h.Config, Database: database != "", Files: files != "", Getenv: p.getenv}
		if !m.Database && !m.Files {
			return errors.New("say where to: --to-database, --to-files or both")
		}
		if err := m.Direct(database, files); err != nil {
			return err
		}
		out, err := m.Run(c.Context())
		if err != nil {
			return err
		}
		return say(c, out, "%d rows of %d tables, %d jobs, %d files; %d sealed values open\nNow let the configuration name the new place, and start.\n",
			out.Rows, out.Tables, out.Jobs, out.Files, out.Sealed)
	})
	c.Flags().StringVar(&database, "to-database", "", "postgres://… or sqlite, which is stele.db in the data folder")
	c.Flags().StringVar(&files, "to-files", "", "s3://… or folder, which is blobs/ in the data folder")
	return c
}
