//go:build torture

package engines

import "time"

const (
	databaseAway = 10 * time.Minute
	bounced      = 5000 // orders through PgBouncer
	cutOrders    = 300
	cutWork      = 30 * time.Second
	flaps        = 40
	longestFlap  = 10 * time.Second
	breaks       = 50
	usualOrders  = 1 << 30
	usualChats   = 1 << 30
)
