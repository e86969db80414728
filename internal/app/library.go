package app

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

//go:embed library/*.yaml
var library embed.FS

// BuiltIn reads the apps that are part of the program.
func BuiltIn() []Recipe {
	names, _ := fs.Glob(library, "library/*.yaml")
	var list []Recipe
	for _, name := range names {
		src, err := library.ReadFile(name)
		if err != nil {
			panic(err) // it is part of the program
		}
		r, err := Read(name, src)
		if err != nil {
			panic(err) // and was tested with it
		}
		r.Origin = FromProgram
		list = append(list, r)
	}
	return list
}

// Published is an app that was published in the console.
type Published struct {
	Recipe

	Workspace string
	Shared    bool      // offered in every workspace
	At        time.Time // when it was published
}

// Library holds the apps that can be called now. What files declare is offered in
// every workspace and wins over what people published under the same id; of that, a
// workspace's own wins over what others share. It is safe for concurrent use.
type Library struct {
	mu    sync.Mutex // held while the shelf changes
	shelf atomic.Pointer[shelf]
}

type shelf struct {
	list []Recipe // of files
	byID map[string]int
	made []Published // in the order of their ids
}

// NewLibrary makes an empty library.
func NewLibrary() *Library {
	l := new(Library)
	l.shelf.Store(&shelf{})
	return l
}

// Replace puts these apps in the place of all that files declared before, or
// changes nothing when two of them have the same id.
func (l *Library) Replace(recipes []Recipe) error {
	next := &shelf{list: recipes, byID: make(map[string]int, len(recipes))}
	for i, r := range recipes {
		if _, twice := next.byID[r.ID]; twice {
			return fmt.Errorf("two apps have the id %q", r.ID)
		}
		next.byID[r.ID] = i
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next.made = l.shelf.Load().made
	l.shelf.Store(next)
	return nil
}

// publish puts these apps in the place of all that people published before.
func (l *Library) publish(made []Published) {
	slices.SortFunc(made, func(a, b Published) int { return cmp.Compare(a.ID, b.ID) })
	l.mu.Lock()
	defer l.mu.Unlock()
	next := *l.shelf.Load()
	next.made = made
	l.shelf.Store(&next)
}

// findPublished finds an app that a workspace published itself, nil for none.
func (l *Library) findPublished(workspace, id string) *Published {
	made := l.shelf.Load().made
	from, _ := slices.BinarySearchFunc(made, id, func(p Published, id string) int { return cmp.Compare(p.ID, id) })
	for i := from; i < len(made) && made[i].ID == id; i++ {
		if made[i].Workspace == workspace {
			return &made[i]
		}
	}
	return nil
}

// offers is how long the texts of the apps are that a workspace has published, but for one.
func (l *Library) offers(workspace, but string) (bytes int) {
	made := l.shelf.Load().made
	for i := range made {
		if made[i].Workspace == workspace && made[i].ID != but {
			bytes += len(made[i].source)
		}
	}
	return bytes
}

// FindDeclared finds an app that a file declares, or the program has.
func (l *Library) FindDeclared(id string) (Recipe, bool) {
	s := l.shelf.Load()
	i, ok := s.byID[id]
	if !ok {
		return Recipe{}, false
	}
	return s.list[i], true
}

// ByID finds an app as a workspace sees it.
func (l *Library) ByID(workspace, id string) (Recipe, bool) {
	if r, ok := l.FindDeclared(id); ok {
		return r, true
	}
	var shared *Published
	made := l.shelf.Load().made
	from, _ := slices.BinarySearchFunc(made, id, func(p Published, id string) int { return cmp.Compare(p.ID, id) })
	for i := from; i < len(made) && made[i].ID == id; i++ {
		if made[i].Workspace == workspace {
			return made[i].Recipe, true
		}
		if made[i].Shared {
			shared = &made[i]
		}
	}
	if shared == nil {
		return Recipe{}, false
	}
	return shared.Recipe, true
}

// visibleApps are the apps that a workspace sees: those of files first.
func (l *Library) visibleApps(workspace string) iter.Seq[*Recipe] {
	return func(yield func(*Recipe) bool) {
		s, last := l.shelf.Load(), ""
		for i := range s.list {
			if !yield(&s.list[i]) {
				return
			}
		}
		for i := range s.made {
			id := s.made[i].ID
			if id == last {
				continue
			}
			last = id
			if r, ok := l.ByID(workspace, id); ok && r.Origin == FromConsole && !yield(&r) {
				return
			}
		}
	}
}

// Page lists limit apps of those that are open to a workspace from the page-th page
// on, counted from 1, and whether more follow.
func (l *Library) Page(workspace string, page, limit int, open func(*Recipe) bool) (list []Recipe, more bool) {
	n := 0
	for r := range l.visibleApps(workspace) {
		switch {
		case !open(r):
			continue
		case n/limit == page-1:
			list = append(list, *r)
		case n/limit >= page:
			return list, true
		}
		n++
	}
	return list, false
}
