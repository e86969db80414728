package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/fault"
	"stele/internal/share"
	"stele/internal/uid"
)

// Editor is where people write apps: drafts, and versions of them that are offered
// beside the apps of files. It is safe for concurrent use.
type Editor struct {
	Store   DraftStore
	Library *Library
	Catalog *catalog.Catalog
	Pool    *Pool         // where texts are read; nil: anywhere
	Share   *share.Keeper // how much a workspace may hold; nil: any amount
	Now     func() time.Time

	mu       sync.Mutex // guards revision, and keeps the library in step with it
	revision int64      // that the library is at
	left     []string   // of what was published, and why it is left out
}

const (
	mostVersions = 100 // of an app that are listed
	mostDrafts   = 500 // of a workspace

	// mostOffered is how many bytes the texts of all apps have that a workspace offers: every server
	// holds them ready, and that takes many times as much.
	mostOffered = 2 << 20
)

// places are the paths beside apps in the console, which no app made there may hide.
var places = []string{"new", "check", "files"}

// Drafts lists the apps that are written in who's workspace, without their texts.
func (e *Editor) Drafts(ctx context.Context, who access.Principal) ([]Draft, error) {
	return e.Store.Drafts(ctx, who.Workspace)
}

// Draft finds an app that is written in who's workspace.
func (e *Editor) Draft(ctx context.Context, who access.Principal, id string) (Draft, error) {
	d, err := e.Store.Draft(ctx, who.Workspace, id)
	return d, refuseNoApp(err)
}

// Versions lists what was published of an app, the newest first.
func (e *Editor) Versions(ctx context.Context, who access.Principal, id string) ([]Version, error) {
	return e.Store.Versions(ctx, who.Workspace, id, mostVersions)
}

// Version finds what was published of an app under a number.
func (e *Editor) Version(ctx context.Context, who access.Principal, id string, number int) (Version, error) {
	v, err := e.Store.Version(ctx, who.Workspace, id, number)
	if errors.Is(err, access.ErrNotFound) {
		return v, fault.New(fault.NotFound, "There is no such version of this app.")
	}
	return v, err
}

// Create begins an app with a text, whose line with the id is made to fit.
func (e *Editor) Create(ctx context.Context, who access.Principal, id, source string) (Draft, error) {
	if !recipeID.MatchString(id) {
		return Draft{}, fault.New(fault.InvalidParameter,
			"An app's id is up to 64 lower-case letters, digits, - and _, and begins with a letter or digit.").Field("id")
	}
	taken := fault.New(fault.InvalidParameter, "There is an app %q already: choose another id.", id).Field("id")
	if _, ok := e.Library.ByID(who.Workspace, id); ok || slices.Contains(places, id) {
		return Draft{}, taken
	}
	if err := e.checkStorable(ctx, who, source); err != nil {
		return Draft{}, err
	}
	if err := e.checkRoom(ctx, who); err != nil {
		return Draft{}, err
	}
	set, err := e.line(ctx, who, source, "app", id)
	if err != nil {
		return Draft{}, err
	}
	now := e.Now()
	d := Draft{Workspace: who.Workspace, ID: id, Source: set(id), Created: now, Updated: now, By: who.User}
	err = e.Store.InsertDraft(ctx, d, e.entry(who, "app.create", id, ""))
	if errors.Is(err, access.ErrExists) {
		return Draft{}, taken
	}
	return d, err
}

// checkRoom refuses one app too many.
func (e *Editor) checkRoom(ctx context.Context, who access.Principal) error {
	list, err := e.Store.Drafts(ctx, who.Workspace)
	if err == nil && len(list) >= mostDrafts {
		err = fault.New(fault.InvalidParameter, "A workspace has at most %d apps: delete one that is not needed any more.", mostDrafts).Field("id")
	}
	return err
}

// checkStorable refuses a text that cannot be kept, and one that is more than its workspace may hold.
func (e *Editor) checkStorable(ctx context.Context, who access.Principal, source string) error {
	if err := checkStorable(source); err != nil {
		return err
	}
	return e.Share.TakeRoom(ctx, who.Workspace, share.Held{Rows: int64(len(source))})
}

// Save keeps a text, right or wrong. seen is the revision it was written upon: what
// another author saved meanwhile is not lost. 0 is any.
func (e *Editor) Save(ctx context.Context, who access.Principal, id, source string, seen int64) (Draft, error) {
	if err := e.checkStorable(ctx, who, source); err != nil {
		return Draft{}, err
	}
	return e.change(ctx, who, id, func(d *Draft) (Change, error) {
		if err := d.refuseStale(seen); err != nil || d.Source == source {
			return Change{}, err
		}
		d.Source = source
		return Change{Entry: e.entry(who, "app.save", id, "")}, nil
	})
}

// Publish offers a text as the next version. shared offers it in every workspace,
// which only administrators may do.
func (e *Editor) Publish(ctx context.Context, who access.Principal, id, source string, seen int64, shared bool) (Draft, error) {
	if err := e.checkStorable(ctx, who, source); err != nil {
		return Draft{}, err
	}
	if _, ok := e.Library.FindDeclared(id); ok {
		return Draft{}, fault.New(fault.InvalidParameter,
			"A file declares an app of this id, and files win: duplicate yours under another id.").Field("id")
	}
	_, problems, err := e.Check(ctx, who, id, source)
	if err != nil {
		return Draft{}, err
	}
	if len(problems) > 0 {
		first := problems[0]
		return Draft{}, fault.New(fault.InvalidParameter, "The app has mistakes, so it was not published: line %d: %s.",
			first.Line, strings.TrimSuffix(first.Message, ".")).Field("source")
	}
	if e.Library.offers(who.Workspace, id)+len(source) > mostOffered {
		return Draft{}, fault.New(fault.InvalidParameter,
			"The apps that a workspace offers have at most %d MB of text: take one off the shelf that is not needed any more.", mostOffered>>20).Field("source")
	}
	set, err := e.line(ctx, who, source, "version", "1")
	if err != nil {
		return Draft{}, err
	}
	d, err := e.change(ctx, who, id, func(d *Draft) (Change, error) {
		if err := d.refuseStale(seen); err != nil {
			return Change{}, err
		}
		if (shared || d.Shared && d.Offered > 0) && !who.Admin {
			return Change{}, errShared()
		}
		d.Latest++
		d.Source, d.Offered, d.Shared = set(fmt.Sprint(d.Latest)), d.Latest, shared
		return Change{
			Entry:   e.entry(who, "app.publish", id, fmt.Sprintf("version %d", d.Latest)),
			Version: &Version{Workspace: d.Workspace, App: id, Number: d.Latest, Source: d.Source, At: e.Now(), By: who.User},
		}, nil
	})
	if errors.Is(err, access.ErrExists) {
		return d, fault.New(fault.InvalidParameter,
			"Another workspace offers an app %q to all: publish yours for this workspace, or duplicate it under another id.", id).Field("shared")
	}
	return d, err
}

// Unpublish takes an app off the shelf. Its runs go on, its versions stay.
func (e *Editor) Unpublish(ctx context.Context, who access.Principal, id string) (Draft, error) {
	return e.change(ctx, who, id, func(d *Draft) (Change, error) {
		if d.Offered == 0 {
			return Change{}, nil
		}
		if d.Shared && !who.Admin {
			return Change{}, errShared()
		}
		d.Offered, d.Shared = 0, false
		return Change{Entry: e.entry(who, "app.unpublish", id, "")}, nil
	})
}

// Restore makes an old version the draft. What is offered stays as it is.
func (e *Editor) Restore(ctx context.Context, who access.Principal, id string, number int) (Draft, error) {
	v, err := e.Version(ctx, who, id, number)
	if err != nil {
		return Draft{}, err
	}
	return e.change(ctx, who, id, func(d *Draft) (Change, error) {
		d.Source = v.Source
		return Change{Entry: e.entry(who, "app.restore", id, fmt.Sprintf("version %d", number))}, nil
	})
}

// Delete forgets an app that is not offered, with its versions.
func (e *Editor) Delete(ctx context.Context, who access.Principal, id string) error {
	_, err := e.change(ctx, who, id, func(d *Draft) (Change, error) {
		if d.Offered > 0 {
			return Change{}, fault.New(fault.InvalidParameter, "The app is offered: unpublish it before you delete it.").Field("id")
		}
		return Change{Entry: e.entry(who, "app.delete", id, ""), Delete: true}, nil
	})
	return err
}

func (e *Editor) change(ctx context.Context, who access.Principal, id string, change func(*Draft) (Change, error)) (Draft, error) {
	d, err := e.Store.UpdateDraft(ctx, who.Workspace, id, func(d *Draft) (Change, error) {
		c, err := change(d)
		d.Updated, d.By = e.Now(), who.User
		return c, err
	})
	if err != nil {
		return d, refuseNoApp(err)
	}
	_ = e.Follow(ctx) // it is saved: should this fail, Run catches up
	return d, nil
}

// refuseStale refuses a change of something that another author has changed meanwhile.
func (d *Draft) refuseStale(seen int64) error {
	if seen == 0 || seen == d.Revision {
		return nil
	}
	return fault.New(fault.IdempotencyConflict, "Somebody saved this app while you wrote. Copy what you have, open the page again and put it in there.")
}

func (e *Editor) entry(who access.Principal, action, id, detail string) access.Entry {
	return access.Entry{ID: uid.New("aud"), At: e.Now(), Actor: who.User, Workspace: who.Workspace, Action: action, Target: id, Detail: detail}
}

func errShared() error {
	return fault.New(fault.PermissionDenied, "This app is offered in every workspace, which only an administrator may do or change.")
}

func refuseNoApp(err error) error {
	if errors.Is(err, access.ErrNotFound) {
		return NoApp()
	}
	return err
}
