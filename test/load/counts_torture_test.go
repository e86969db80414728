//go:build torture

package load

import "time"

const (
	openTasks = 10_000
	opening   = 2 * time.Minute   // until the first of them may end
	ending    = 100 * time.Second // from the first to the last end
	linkTasks = 500
	linkLife  = 30 * time.Second

	mostUnseen = time.Second / 2 // ten times what it takes on a machine at rest
)
