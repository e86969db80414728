// Package doctor looks at an installation and says what of it is missing, slow, old or
// open, and what to do about each. It changes nothing. It must not know how findings are
// shown.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"stele/internal/assembly"
	"stele/internal/config"
	"stele/internal/store"
)

// Class is how much a finding matters.
type Class string

// The classes. What is Bad loses data, money or secrets, or keeps Stele from working.
const (
	OK      Class = "ok"
	Note    Class = "note"
	Warning Class = "warning"
	Bad     Class = "bad"
	Skipped Class = "skipped" // it could not be looked at
)

// Finding is what a check found.
type Finding struct {
	Check string `json:"check"`
	Class Class  `json:"class"`
	Said  string `json:"said"`
	Do    string `json:"do,omitempty"` // what to do about it
}

// Options is what is looked at.
type Options struct {
	Config  *config.Config
	Process assembly.Process
	Online  bool // providers are asked whether they take their keys
	Now     time.Time
}

// lately is how far back is looked.
const lately = 7 * 24 * time.Hour

// Examine runs every check, in the order of the table. Each has at least one finding.
func Examine(ctx context.Context, o Options) []Finding {
	p := &patient{Options: o}
	if p.openErr = p.open(ctx); p.house != nil {
		defer p.house.Close()
	}
	var all []Finding
	for _, c := range checks {
		found := p.run(ctx, c)
		for i := range found {
			found[i].Check = c.name
		}
		all = append(all, found...)
	}
	return all
}

// check is one row of the table.
type check struct {
	name  string
	needs need
	look  func(context.Context, *patient) []Finding // none: all is well
	well  string                                    // what is said then
}

// need is what a check cannot do without.
type need int

const (
	settings need = iota // the configuration, which there always is
	folder               // the data folder
	database
)

// patient is an installation as far as it could be opened.
type patient struct {
	Options

	folderErr  error
	state      store.State
	versionErr error
	house      *assembly.Installation // nil: it could not be opened
	openErr    error
	figures    store.Figures
	figuresErr error
}

// open opens what can be opened without changing it: a database that is older than the
// binary is left alone, or it would be brought up to date.
func (p *patient) open(ctx context.Context) (err error) {
	if _, p.folderErr = os.Stat(p.Config.Data); p.folderErr != nil {
		return p.folderErr
	}
	if p.state, p.versionErr = store.Inspect(ctx, p.Config.DatabaseURL.Reveal(), p.Config.Data, p.Now.Add(-heardOf)); p.versionErr != nil {
		return p.versionErr
	}
	if p.state.Schema < p.state.Known || !p.state.Usable() {
		return errors.New("the database has another version")
	}
	if p.house, err = assembly.Open(ctx, p.Config); err != nil {
		return err
	}
	p.figures, p.figuresErr = p.house.Store.Figures(ctx, p.Now.Add(-lately), p.Now)
	return nil
}

// run makes a check, if what it needs is there.
func (p *patient) run(ctx context.Context, c check) []Finding {
	switch {
	case c.needs == folder && p.folderErr != nil:
		return skip("there is no data folder")
	case c.needs == database && p.house == nil:
		return skip("the database is not open")
	case c.needs == database && p.figuresErr != nil:
		return skip(p.figuresErr.Error())
	}
	if found := c.look(ctx, p); len(found) > 0 {
		return found
	}
	return []Finding{{Class: OK, Said: c.well}}
}

func skip(why string) []Finding { return []Finding{{Class: Skipped, Said: why}} }

// one is the finding of a check that found a single thing.
func one(class Class, do, said string, args ...any) []Finding {
	return []Finding{{Class: class, Said: fmt.Sprintf(said, args...), Do: do}}
}

// isMissing reports whether an error says that there is no such file.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
