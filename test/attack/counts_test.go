//go:build !torture

package attack

import (
	"testing"
	"time"
)

// A tenth of what make attack does.
const (
	slowClients   = 1000
	silentStreams = 100
	giants        = 200
	spinning      = 50
	orders        = 60
	sameRanges    = 3
	heavyTime     = time.Second // for as long bodies are sent that take long to understand
	keysOfEach    = 150         // Idempotency-Keys
	exported      = 150         // chats of each of eight
	longDocuments = 6           // sent at once
	kindsOfForms  = 1           // that each route is sent, in turn; the console's own tests send all to each
	inTurn        = 4           // each route gets every fourth of what each route is to be sent, by turns
	oddForms      = 367         // one in so many of all forms with one odd word
	slowBodies    = 250         // with a long head each, of each kind
	longAddresses = 100         // of each of eight
	endUsers      = 100         // of each of sixteen
	oneIn         = 4           // connections on which the client does not read, or that wait
	uploads       = 24          // at once, of 25 MB
	oddMethods    = 4           // at each route
	longApps      = 20          // of 48 KB
	shortKeys     = 15          // of each of eight
	longKeys      = 20          // with all the patterns they may have, of each of four
	longElements  = 20          // sent at once
	unreadStreams = 60          // of an upstream without end
	endlessCalls  = 12          // that are answered without end, and each with so much at most, for as long:
	endlessBytes  = 32 << 20
	endlessTime   = 2 * time.Second
	endlessTurn   = 3         // one in so many of the ways
	endlessMost   = 150 << 20 // how far such answers may let the process grow, where a key may have 32 MB
	diskShare     = 30        // MB that each workspace may hold, where one fills it

	// How often the good tenant does its work, before and beside an attack. How long that
	// takes says nothing on a machine that tests other things at the same time: it is told
	// here, and judged by make attack.
	usually = 1
	warming = 0
	judged  = false

	// How far the process may grow over its idle size under any attack. A collector of memory
	// that has to wait for the processor lets it grow further than make attack allows.
	mostOver = 450 << 20

	// It makes small pictures, and rests a while before the next: its own work would else be most of what is done here.
	picture = 256
	pause   = 5 * time.Second

	// How long any piece of its work may take.
	patience = 3 * time.Minute

	// The test does not wait here for what is the same after a minute.
	bounds = "limits: {body_stall: 2s, write_stall: 3s, header_time: 3s}\n"
)

// besideOthers lets a siege go on beside another: each looks at its own process, and no
// time is judged.
func besideOthers(t *testing.T) { t.Parallel() }
