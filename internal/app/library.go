package app

import (
	"embed"
	"fmt"
	"io/fs"
	"sync/atomic"
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
		list = append(list, r)
	}
	return list
}

// Library holds the apps that can be called now. It is safe for concurrent use.
type Library struct{ shelf atomic.Pointer[shelf] }

type shelf struct {
	list []Recipe
	byID map[string]int
}

// NewLibrary makes an empty library.
func NewLibrary() *Library {
	l := new(Library)
	l.shelf.Store(&shelf{})
	return l
}

// Replace puts these apps in the place of all before, or changes nothing when
// two of them have the same id.
func (l *Library) Replace(recipes []Recipe) error {
	next := &shelf{list: recipes, byID: make(map[string]int, len(recipes))}
	for i, r := range recipes {
		if _, twice := next.byID[r.ID]; twice {
			return fmt.Errorf("two apps have the id %q", r.ID)
		}
		next.byID[r.ID] = i
	}
	l.shelf.Store(next)
	return nil
}

// Page lists limit apps of those that are open from the page-th page on, counted
// from 1, and whether more follow.
func (l *Library) Page(page, limit int, open func(*Recipe) bool) (list []Recipe, more bool) {
	var all []Recipe
	shelf := l.shelf.Load()
	for i := range shelf.list {
		if open(&shelf.list[i]) {
			all = append(all, shelf.list[i])
		}
	}
	if page-1 >= (len(all)+limit-1)/limit { // compared before multiplying: page is the caller's number
		return nil, false
	}
	from := (page - 1) * limit
	to := min(from+limit, len(all))
	return all[from:to], to < len(all)
}

// ByID finds an app.
func (l *Library) ByID(id string) (Recipe, bool) {
	s := l.shelf.Load()
	i, ok := s.byID[id]
	if !ok {
		return Recipe{}, false
	}
	return s.list[i], true
}
