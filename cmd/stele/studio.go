package main

import (
	"stele/internal/console"
	"stele/internal/store"
)

// studioRoom is what the studio of the console stands on.
func studioRoom(db *store.Store, l *live, shop *workshop) *console.Studio {
	return &console.Studio{
		Generations: shop.generations, Files: shop.files, Catalog: l.catalog, Replay: shop.replay, Audit: db.InsertEntry,
	}
}
