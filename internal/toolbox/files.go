package toolbox

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/client"
)

func (b *Toolbox) addFiles() {
	addTool(b, mcp.Tool{
		Name: "upload_file", Annotations: hints("Upload a file", false),
		Description: "Upload a local picture, clip or sound to the server and return its id, which every media input takes. " +
			"Tools that take files upload local paths by themselves: this is for files that are used several times.",
	}, b.uploadFile)
}

type uploadIn struct {
	Path string `json:"path" jsonschema:"path of a local file, below the working directory"`
}

// uploaded is a file as an agent is told of it.
type uploaded struct {
	ID        string `json:"id"`
	URL       string `json:"url"`
	Type      string `json:"content_type"`
	Size      int64  `json:"size"`
	ExpiresAt string `json:"expires_at"`
}

func (b *Toolbox) uploadFile(ctx context.Context, _ *call, in uploadIn) (any, error) {
	kept, err := b.upload(ctx, in.Path)
	if err != nil {
		return nil, err
	}
	return uploaded{kept.ID, kept.URL, kept.ContentType, kept.Size, kept.ExpiresAt}, nil
}

func (b *Toolbox) upload(ctx context.Context, path string) (*client.File, error) {
	f, err := b.folders.find(path)
	if err != nil {
		return nil, err
	}
	kept, err := b.server.Upload(ctx, filepath.Base(path), f.open)
	if err != nil {
		return nil, fmt.Errorf("upload %s: %w", path, err)
	}
	return kept, nil
}

// uploadField puts file ids in the place of local paths in a field, if it is there.
func (b *Toolbox) uploadField(ctx context.Context, fields map[string]any, name string) (err error) {
	if fields[name] != nil {
		fields[name], err = b.uploadAll(ctx, fields[name])
	}
	return err
}

// uploadAll puts file ids in the place of local paths. value is a text or a list of them;
// anything else is the server's to refuse.
func (b *Toolbox) uploadAll(ctx context.Context, value any) (any, error) {
	switch v := value.(type) {
	case string:
		if !local(v) {
			return v, nil
		}
		kept, err := b.upload(ctx, v)
		if err != nil {
			return nil, err
		}
		return kept.ID, nil
	case []any:
		out := make([]any, len(v))
		for i, one := range v {
			kept, err := b.uploadAll(ctx, one)
			if err != nil {
				return nil, err
			}
			out[i] = kept
		}
		return out, nil
	}
	return value, nil
}

// local reports whether a media input names a file of this machine.
func local(text string) bool {
	for _, other := range []string{"http://", "https://", "data:", "file_"} {
		if strings.HasPrefix(text, other) {
			return false
		}
	}
	return text != ""
}
