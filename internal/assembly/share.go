package assembly

import (
	"context"
	"net/url"
	"path/filepath"
	"time"

	"stele/internal/config"
	"stele/internal/share"
)

// openShare makes what knows how much workspaces hold.
func (n *node) openShare() {
	n.share = share.New(share.Options{
		Sums: n.Store.Held, Free: func() share.Held { return FreeRoom(n.Config, n.Store.Engine()) },
		Most: func() int64 { return int64(n.runtime.config().Limits.StoragePerWorkspace) },
		Log:  n.log, Now: time.Now,
	})
	n.Access.SetRoom(func(ctx context.Context, workspace string) error {
		return n.share.TakeRoom(ctx, workspace, share.Held{})
	})
}

// FreeRoom is what may still be written where an installation has its files and its rows.
func FreeRoom(cfg *config.Config, engine string) share.Held {
	free := share.Held{Files: share.Unknown, Rows: share.Unknown}
	if folder := blobFolder(cfg); folder != "" {
		free.Files = freeBelow(folder)
	}
	if engine == "sqlite" {
		free.Rows = freeBelow(cfg.Data)
	}
	return free
}

func freeBelow(folder string) int64 {
	free, size := DiskSpace(folder)
	if size == 0 {
		return share.Unknown
	}
	return free
}

// blobFolder is the folder that has the files; "": they are in object storage.
func blobFolder(cfg *config.Config) string {
	address := cfg.BlobURL.Reveal()
	if address == "" {
		return filepath.Join(cfg.Data, "blobs")
	}
	if u, err := url.Parse(address); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return ""
}
