//go:build !torture

package load

import "time"

// A tenth of what make torture does.
const (
	openTasks = 1000
	opening   = 15 * time.Second // until the first of them may end
	ending    = 10 * time.Second // from the first to the last end
	linkTasks = 50
	linkLife  = 8 * time.Second
)
