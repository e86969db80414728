// Package pictures holds a picture of what each built-in app makes, for the
// documents and for the console alike.
package pictures

import (
	"embed"
	"io/fs"
)

//go:embed *.webp
var files embed.FS

// Files are the pictures, each called after its app: social-card.webp.
func Files() fs.FS { return files }
