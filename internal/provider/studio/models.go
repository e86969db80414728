package studio

import (
	"embed"
	"io/fs"

	"stele/internal/media"
)

//go:embed models/*.yaml
var files embed.FS

// Models holds the model files of what the studio makes, at the root. Some are
// offered only where the machine has what they need: see Voice.
func Models() fs.FS { return media.ModelFiles(files) }
