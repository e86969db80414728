package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"time"

	"stele/internal/access"
)

// mediaTypes are given here because package mime asks the machine's own files.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".txt": "text/plain; charset=utf-8",
}

// assets are the static files of all rooms. They share one version, the hash of them
// all, which is part of their path: modules can import each other by relative names
// and a new binary is never shown with an old stylesheet.
type assets struct {
	version string
	files   map[string][]byte
}

func loadAssets(rooms []Files) (*assets, error) {
	a := &assets{files: make(map[string][]byte)}
	for _, room := range rooms {
		files, err := fs.Glob(room, "static/*")
		if err != nil {
			return nil, fmt.Errorf("static files: %w", err)
		}
		for _, file := range files {
			name := path.Base(file)
			if a.files[name] != nil {
				return nil, fmt.Errorf("two static files are called %s", name)
			}
			if a.files[name], err = fs.ReadFile(room, file); err != nil {
				return nil, fmt.Errorf("static files: %w", err)
			}
		}
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		fmt.Fprintf(sum, "%s %d\n", name, len(a.files[name]))
		sum.Write(a.files[name])
	}
	a.version = hex.EncodeToString(sum.Sum(nil))[:12]
	return a, nil
}

// Static serves the static files.
func (f *Frame) Static(w http.ResponseWriter, r *http.Request, _ access.Visitor) error {
	name := r.PathValue("file")
	body, ok := f.assets.files[name]
	if !ok {
		return NoPage()
	}
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	if r.PathValue("version") == f.assets.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("ETag", `"`+f.assets.version+`"`)
	h.Set("Content-Type", mediaTypes[path.Ext(name)])
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	return nil
}
