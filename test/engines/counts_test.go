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
)
