package bridge

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stele/internal/jsonscan"
	"stele/internal/uid"
)

// keptTime is how long a folder holds a response. OpenAI's own service has the same.
const keptTime = 30 * 24 * time.Hour

const suffix = ".json"

// load reads what a folder has, the oldest first, and removes what is too old.
func (k *Kept) load() error {
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(k.folder) // by name
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || !isKept(id) {
			continue
		}
		if time.Since(lastUsed(id, e)) > keptTime {
			k.remove(id)
			continue
		}
		if r, err := k.read(id); err == nil {
			k.hold(r)
		}
	}
	return nil
}

// isKept reports whether an id is that of a response or of a conversation.
func isKept(id string) bool { return uid.Is("resp", id) || uid.Is("conv", id) }

// lastUsed is when a response was made, or a conversation went on.
func lastUsed(id string, e os.DirEntry) time.Time {
	if info, err := e.Info(); err == nil && uid.Is("conv", id) {
		return info.ModTime()
	}
	return uid.Time(id)
}

func (k *Kept) path(id string) string { return filepath.Join(k.folder, id+suffix) }

// write writes a response down: either all of it is there afterwards or nothing is.
func (k *Kept) write(r *Response) error {
	var w jsonscan.Writer
	w.Open(object).Key("previous").Text(r.Previous).Key("thread").Text(r.Thread).Key("before").Open(array)
	for _, id := range r.Before {
		w.Text(id)
	}
	w.Close(array)
	for name, items := range map[string][][]byte{"input": r.Input, "output": r.Output} {
		w.Key(name).Open(array)
		for _, item := range items {
			w.Raw(item)
		}
		w.Close(array)
	}
	w.Key("response").Raw(r.Body).Close(object)
	next := k.path(r.ID) + ".next"
	if err := os.WriteFile(next, w.Bytes(), 0o600); err != nil {
		return err
	}
	return os.Rename(next, k.path(r.ID))
}

var (
	errNoID    = errors.New("no id of a response")
	errDamaged = errors.New("no response is in it")
)

func (k *Kept) read(id string) (*Response, error) {
	if !isKept(id) {
		return nil, errNoID // it would be part of a path
	}
	raw, err := os.ReadFile(k.path(id))
	if err != nil {
		return nil, err
	}
	root, err := jsonscan.Parse(raw, jsonscan.Lenient)
	if err != nil {
		return nil, err
	}
	r := &Response{ID: id, Previous: text(root.Get("previous")), Thread: text(root.Get("thread")), Body: root.Get("response").Raw()}
	if jsonscan.Root(r.Body).Kind() != object {
		return nil, errDamaged
	}
	for _, id := range root.Get("before").Elements() {
		r.Before = append(r.Before, text(id))
	}
	for name, place := range map[string]*[][]byte{"input": &r.Input, "output": &r.Output} {
		for _, item := range root.Get(name).Elements() {
			*place = append(*place, item.Raw())
		}
	}
	return r, nil
}

func (k *Kept) remove(id string) { _ = os.Remove(k.path(id)) } // it may be gone already
