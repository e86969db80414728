package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"stele/internal/access"
	"stele/internal/revision"
)

// Subscriber keeps the library true to the store, whichever process changed it.
func (e *Editor) Subscriber(log *slog.Logger) revision.Subscriber {
	return revision.Subscriber{What: "apps of the console", Of: []string{"apps"}, CatchUp: func(ctx context.Context) error {
		err := e.Follow(ctx)
		for _, why := range e.takeLeftOut() {
			log.LogAttrs(ctx, slog.LevelWarn, "a published app is left out", slog.String("app", why))
		}
		return err
	}}
}

// takeLeftOut tells once of each app that was published and cannot be read.
func (e *Editor) takeLeftOut() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.left
	e.left = nil
	return list
}

// Follow takes over what was published since the last time. What this version of
// the program cannot read is left out.
func (e *Editor) Follow(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	latest, err := e.Store.DraftRevision(ctx)
	if err != nil || latest == e.revision {
		return err
	}
	offered, err := e.Store.ListOffered(ctx)
	if err != nil {
		return err
	}
	var made []Published
	e.left = nil
	for _, v := range offered {
		p := e.Library.findPublished(v.Workspace, v.App)
		if p == nil || p.Version != v.Number || !p.At.Equal(v.At) { // one that is published must not have all others read again
			whole, err := e.Store.Version(ctx, v.Workspace, v.App, v.Number)
			if errors.Is(err, access.ErrNotFound) { // it was deleted since, and that has a revision of its own
				continue
			}
			if err != nil {
				return err
			}
			r, err := Read("app", []byte(whole.Source))
			if err != nil {
				e.left = append(e.left, fmt.Sprintf("%s of %s: %.200s", v.App, v.Workspace, err))
				continue
			}
			r.Origin, r.Version = FromConsole, v.Number
			p = &Published{Recipe: r, Workspace: v.Workspace, At: v.At}
		}
		one := *p
		one.Shared = v.Shared
		made = append(made, one)
	}
	e.Library.publish(made)
	e.revision = latest
	return nil
}
