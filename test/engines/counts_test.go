//go:build !torture

package engines

import "time"

// Little of what make torture does.
const databaseAway = 3 * time.Second
