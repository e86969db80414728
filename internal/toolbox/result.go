package toolbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/client"
	"stele/internal/generation"
)

const (
	largestOutput = 2 << 30
	// What an agent is shown of pictures: it pays for each.
	largestShown = 1 << 20
	mostShown    = 4
	longestSide  = 8000 // pixels that Anthropic's models take
	longestText  = 100_000
)

// made is a task as an agent is told of it.
type made struct {
	ID       string   `json:"id"`
	Status   string   `json:"status"`
	Model    string   `json:"model,omitempty"`
	App      string   `json:"app,omitempty"`
	Mode     string   `json:"mode,omitempty"`
	Progress float64  `json:"progress,omitzero"`
	Credits  int64    `json:"cost_credits"`
	USD      string   `json:"cost_usd"`
	Files    []saved  `json:"files,omitempty"`
	Texts    []string `json:"texts,omitempty"` // of an app
	Data     any      `json:"data,omitempty"`  // of an app
	Error    string   `json:"error,omitempty"`
	Note     string   `json:"note,omitempty"`

	content []mcp.Content // what the agent sees; nil: the facts
}

// saved is an output on this machine.
type saved struct {
	Path string `json:"path"`
	generation.Output
	shown []byte // the bytes of a picture that is small enough to be shown
}

// summary is a task without its outputs.
func summary(v generation.View) made {
	m := made{ID: v.ID, Status: v.Status, Model: v.Model, App: v.App, Mode: v.Mode, Progress: v.Progress, Credits: v.Credits, USD: v.USD}
	switch {
	case v.DryRun:
		m.Note = "Nothing was made: this is what it would cost."
	case v.Error != nil:
		m.Error = v.Error.Message + " (" + v.Error.Code + ")"
	case !client.HasEnded(v):
		m.Note = "It is not done yet: call get_generation with this id to go on waiting, or cancel_generation to stop it."
	}
	return m
}

// result saves what a task has made and tells the agent of it. A task that failed is an error.
func (b *Toolbox) result(ctx context.Context, v generation.View, saveAs, called string) (any, error) {
	if v.Error != nil {
		return nil, fmt.Errorf("%s %s: %s (%s)", v.ID, v.Status, v.Error.Message, v.Error.Code)
	}
	m := summary(v)
	if v.Result == nil {
		return m, nil
	}
	saveAs = b.folders.placeOf(saveAs, slug(called, v.ID))
	for n, o := range v.Outputs() {
		f := saved{Output: o}
		if err := b.save(ctx, &f, nameOf(saveAs, n, o.URL)); err != nil {
			return nil, fmt.Errorf("%s is done, but an output could not be saved: %w; download saves it", v.ID, err)
		}
		m.Files = append(m.Files, f)
	}
	m.Texts = v.Result.Texts
	if len(v.Result.Data) > 0 {
		if err := json.Unmarshal(v.Result.Data, &m.Data); err != nil {
			return nil, err
		}
	}
	return show(m)
}

// show gives the agent the facts as text and small pictures as pictures.
func show(m made) (made, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	if len(text) > longestText {
		m.Texts, m.Data, m.Note = nil, nil, "Texts and data are left out: they are too long."
		if text, err = json.Marshal(m); err != nil {
			return m, err
		}
	}
	m.content = []mcp.Content{&mcp.TextContent{Text: string(text)}}
	for _, f := range m.Files {
		if f.shown != nil && len(m.content) <= mostShown {
			m.content = append(m.content, &mcp.ImageContent{Data: f.shown, MIMEType: f.Type})
		}
	}
	return m, nil
}

// save downloads an output into a new file.
func (b *Toolbox) save(ctx context.Context, s *saved, name string) error {
	f, path, err := b.folders.create(name)
	if err != nil {
		return err
	}
	var to io.Writer = f
	var picture bytes.Buffer
	if s.canBeShown() {
		to = io.MultiWriter(f, &picture)
	}
	err = errors.Join(b.server.Download(ctx, s.URL, to, largestOutput), f.Close())
	if err != nil {
		b.folders.remove(path)
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	s.Path, s.Size = path, info.Size()
	if picture.Len() > 0 && picture.Len() <= largestShown {
		s.shown = picture.Bytes()
	}
	return nil
}

// canBeShown reports whether an agent may be shown a picture. One of another type, such as SVG, or
// larger than models take is refused by their providers in each turn from then on, and the agent's session
// is lost (anthropics/claude-code#58330).
func (s *saved) canBeShown() bool {
	return s.Kind == "image" && s.Size <= largestShown && max(s.Width, s.Height) <= longestSide &&
		slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, s.Type)
}

// checkName refuses a place to save before anything is made for it.
func (b *Toolbox) checkName(name string) error {
	if name == "" {
		return nil
	}
	if _, ok := b.folders.out.inner(name); !ok {
		return fmt.Errorf("save_as %q is outside of the output folder %s", name, b.folders.out.path)
	}
	return nil
}

// nameOf is where to save an output: the first as it was said, the others with a
// number; with the end that its own kind has where none was said, or it is another.
func nameOf(name string, n int, address string) string {
	end := filepath.Ext(name)
	base := strings.TrimSuffix(name, end)
	if u, err := url.Parse(address); err == nil && path.Ext(u.Path) != "" && (n > 0 || end == "") {
		end = path.Ext(u.Path)
	}
	if n == 0 {
		return base + end
	}
	return fmt.Sprintf("%s-%d%s", base, n+1, end)
}

// slug makes a file's name of the first words of a text, or of an id.
func slug(text, id string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case out.Len() >= 48:
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			out.WriteRune(r)
		case out.Len() > 0 && !strings.HasSuffix(out.String(), "-"):
			out.WriteByte('-')
		}
	}
	if name := strings.Trim(out.String(), "-"); name != "" {
		return name
	}
	return id
}
