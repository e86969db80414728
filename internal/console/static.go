package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"time"

	"stele/internal/access"
)

//go:embed static/*
var staticFiles embed.FS

// mediaTypes are given here because package mime asks the machine's own files.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// assets are the static files. They share one version, the hash of them all,
// which is part of their path: modules can import each other by relative names
// and a new binary is never shown with an old stylesheet.
type assets struct {
	version string
	files   map[string][]byte
}

func loadAssets() (*assets, error) {
	a := &assets{files: make(map[string][]byte)}
	sum := sha256.New()
	entries, err := fs.ReadDir(staticFiles, "static") // in the order of their names
	if err != nil {
		return nil, fmt.Errorf("static files: %w", err)
	}
	for _, entry := range entries {
		body, err := staticFiles.ReadFile("static/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("static files: %w", err)
		}
		a.files[entry.Name()] = body
		fmt.Fprintf(sum, "%s %d\n", entry.Name(), len(body))
		sum.Write(body)
	}
	a.version = hex.EncodeToString(sum.Sum(nil))[:12]
	return a, nil
}

func (c *Console) static(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	name := r.PathValue("file")
	body, ok := c.assets.files[name]
	if !ok {
		return errNoPage()
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	if r.PathValue("version") == c.assets.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("ETag", `"`+c.assets.version+`"`)
	h.Set("Content-Type", mediaTypes[path.Ext(name)])
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	return nil
}
