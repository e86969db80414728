package main

import (
	"time"

	"stele/docs/pictures"
	"stele/internal/app"
	"stele/internal/console"
	"stele/internal/store"
)

// openEditor makes the place where people write apps.
func openEditor(db *store.Store, l *live, pool *app.Pool) *app.Editor {
	return &app.Editor{Store: db, Library: l.apps, Catalog: l.catalog, Pool: pool, Now: time.Now}
}

// appsRoom is the console's room of apps.
func appsRoom(db *store.Store, l *live, w *workshop, runner *app.Runner, editor *app.Editor) *console.Apps {
	return &console.Apps{
		Runner: runner, Editor: editor, Tasks: w.generations, Books: db, Files: w.files, Models: l.catalog, Audit: db.InsertEntry, Pictures: pictures.Files(),
	}
}
