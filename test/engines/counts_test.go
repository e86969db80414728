//go:build !torture

package engines

import "time"

// Little of what make torture does.
const (
	databaseAway = 3 * time.Second
	bounced      = 100 // orders through PgBouncer
	cutOrders    = 12
	cutWork      = 8 * time.Second
	flaps        = 4
	longestFlap  = 3 * time.Second
	breaks       = 4 // places at which a command is cut off its database

	// After so many orders, and so many chats, clients rest ten times as long between two of them. Traffic goes on for as long
	// as a test takes: it would else take all of a machine that has other things to do, and the longer, the busier that is.
	usualOrders = 250
	usualChats  = 1000
)
