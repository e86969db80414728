package studio

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
)

// tile is a generation in the gallery.
type tile struct {
	ID, Kind, Model, App string
	Prompt               string
	Status               string
	Running              bool
	Percent              int
	Doing                string // what is going on, while it runs
	Problem              string
	Shape                string // class of its aspect ratio
	Source               string // address of the first output
	Type                 string
	Small                string // address of a small picture of it, "" for none
	Width, Height        int
	Length               string // of clips and sounds
	Text                 string // of apps that make words
	Outputs              int    // pictures, clips and sounds
	Created              *page.Moment
	Canceling            bool
}

// Name is what a screen reader calls the tile.
func (t tile) Name() string { return page.Shorten(cmp.Or(t.Prompt, t.App, t.Model), 120) }

func (c *Room) tile(t *generation.Task) tile {
	v := tile{
		ID: t.ID, Kind: t.MediaType, Model: t.Model, App: t.App, Prompt: t.Order.Prompt, Status: string(t.State),
		Running: !t.State.Final(), Percent: int(t.Progress * 100), Doing: taskDoing(t), Created: c.At(t.Created), Canceling: t.Stopping,
	}
	if t.State == media.Failed || t.State == media.Canceled {
		v.Problem = t.Message
	}
	ratio := expectedRatio(t)
	for place, o := range t.Outputs {
		if o.Role != "" {
			continue
		}
		if o.Kind == "text" && v.Text == "" {
			v.Text = o.Text
		}
		if o.File == "" {
			continue
		}
		if v.Outputs++; v.Outputs > 1 {
			continue
		}
		v.Kind, v.Source, v.Type, v.Width, v.Height, v.Length = o.Kind, c.fileAddress(o.File, o.Type), o.Type, o.Width, o.Height, clockTime(o.Duration)
		v.Small = c.picture(t.Outputs, place)
		if o.Width > 0 && o.Height > 0 {
			ratio = float64(o.Width) / float64(o.Height)
		}
	}
	v.Shape = shapeClass(ratio)
	return v
}

// taskDoing says in a word what an unfinished task waits for.
func taskDoing(t *generation.Task) string {
	switch {
	case t.State.Final():
		return ""
	case t.Stopping:
		return "Stopping"
	case t.Stage == generation.Collecting:
		return "Almost there"
	case t.State == media.Processing && t.Progress > 0:
		return fmt.Sprintf("%d %%", int(t.Progress*100))
	case t.State == media.Processing:
		return "At work"
	}
	return "Waiting"
}

// fileAddress is where a file is read, on the origin that the page is on, whatever
// the public URL says.
func (c *Room) fileAddress(id, contentType string) string {
	return page.LocalAddress(c.Files.URL(id, contentType))
}

// smallEnough is the size below which a picture is shown as it is.
const smallEnough = 48 << 10

// picture is the address of a small picture of an output: of itself, or of what
// was made beside it.
func (c *Room) picture(outputs []generation.Made, place int) string {
	shown := outputs[place]
	if shown.Kind != file.Image {
		i := slices.IndexFunc(outputs, func(o generation.Made) bool {
			return (o.Role == media.Thumbnail || o.Role == media.Cover) && o.Of == place
		})
		if i < 0 {
			return ""
		}
		shown = outputs[i]
	}
	if shown.Size > 0 && shown.Size <= smallEnough {
		return c.fileAddress(shown.File, shown.Type)
	}
	return c.smallAddress(shown.File)
}

func (c *Room) smallAddress(id string) string {
	return c.Base() + "/console/studio/files/" + id + "/small"
}

// expectedRatio is the shape that an order will have when it is made.
func expectedRatio(t *generation.Task) float64 {
	number := func(name string) float64 {
		n, _ := strconv.ParseFloat(page.FormText(t.Order.Parameters[name]), 64)
		return n
	}
	if w, h := number("width"), number("height"); w > 0 && h > 0 {
		return w / h
	}
	for _, name := range []string{"aspect_ratio", "size", "image_size", "resolution"} {
		if w, h, ok := readShape(page.FormText(t.Order.Parameters[name])); ok {
			return w / h
		}
	}
	if t.MediaType == file.Video {
		return 16.0 / 9
	}
	return 1
}

// shapeClass is the class of an aspect ratio: the style sheet has one for each
// tenth, because a page may not carry styles of its own.
func shapeClass(ratio float64) string {
	return "r" + strconv.Itoa(int(math.Round(max(0.5, min(ratio, 2.8))*10)))
}

const (
	mostPicked = 60  // files one can pick from
	mostLooked = 400 // of the newest, of whatever kind
	smallLasts = "private, max-age=604800, immutable"
)

// uploadInput keeps a file that goes into an order.
func (c *Room) uploadInput(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	kind := r.URL.Query().Get("kind")
	f, err := c.KeepUpload(r, v, page.Uploads{Files: c.Files, Audit: c.Audit}, file.Upload{Judge: func(f *file.File) error {
		if kind != "" && f.Kind != "" && f.Kind != kind {
			return fault.New(fault.UnsupportedFileType, "This is %s (%s). %s goes here.", kindNoun(f.Kind), f.Type, page.InWords(kindNoun(kind))).
				With("content_type", f.Type)
		}
		return nil
	}})
	if err != nil {
		return err
	}
	return c.Fragment(w, r, http.StatusCreated, "studio", "given", page.View{Visitor: &v, Data: c.givenInput(f)})
}

func kindNoun(kind string) string {
	return map[string]string{file.Image: "a picture", file.Video: "a clip", file.Audio: "a sound", file.Document: "a document"}[kind]
}

// pickInput shows what can be picked for an order: uploads and what was made.
func (c *Room) pickInput(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	kind := r.URL.Query().Get("kind")
	files, err := c.Files.Store.Files(r.Context(), v.Session.Workspace, mostLooked)
	if err != nil {
		return err
	}
	var list []givenFile
	for i := range files {
		if files[i].Kind == kind && len(list) < mostPicked {
			list = append(list, c.givenInput(&files[i]))
		}
	}
	return c.Fragment(w, r, http.StatusOK, "studio", "picks", page.View{Visitor: &v, Data: list})
}

// smallPicture gives a small picture of a file, or leads to the file itself.
func (c *Room) smallPicture(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	f, err := c.Files.File(r.Context(), v.Session.Workspace, r.PathValue("file"))
	if err != nil {
		return err
	}
	body, kind, err := c.Files.Small(r.Context(), f)
	if errors.Is(err, file.ErrNoSmall) {
		http.Redirect(w, r, c.fileAddress(f.ID, f.Type), http.StatusFound)
		return nil
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", smallLasts)
	_, _ = w.Write(body) // the client has gone: nothing is left to tell
	return nil
}
