//go:build torture

package engines

import "time"

const databaseAway = 10 * time.Minute
