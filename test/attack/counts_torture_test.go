//go:build torture

package attack

import (
	"testing"
	"time"

	"stele/test/rig"
)

const (
	slowClients   = 10_000
	silentStreams = 1000
	giants        = 200
	spinning      = 500
	orders        = 200
	sameRanges    = 20
	heavyTime     = 10 * time.Second
	keysOfEach    = 2000
	exported      = 500
	longDocuments = 12
	kindsOfForms  = 6
	inTurn        = 1
	oddForms      = 37
	slowBodies    = 5000
	longAddresses = 600
	endUsers      = 2000
	oneIn         = 1
	uploads       = 60
	oddMethods    = 20
	longApps      = 450
	shortKeys     = 1200
	longKeys      = 100
	longElements  = 60
	unreadStreams = 400
	endlessCalls  = 24
	endlessBytes  = 200 << 20
	endlessTime   = 6 * time.Second
	endlessTurn   = 1
	endlessMost   = 150 << 20
	diskShare     = 360 // the good tenant's own pictures are 80

	usually  = 9
	warming  = 2
	judged   = true
	picture  = 1024 // as large as it is where none is asked for
	pause    = 0
	patience = rig.Patience
	mostOver = 300 << 20 // over its idle size

	bounds = "" // as they are
)

// besideOthers leaves the machine to one siege: another would take the processor.
func besideOthers(*testing.T) {}
