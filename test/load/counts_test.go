//go:build !torture

package load

import "time"

// Little of what make torture does: a twentieth of the open tasks, a tenth of the links.
const (
	openTasks = 500
	opening   = 8 * time.Second // until the first of them may end
	ending    = 5 * time.Second // from the first to the last end
	linkTasks = 50
	linkLife  = 8 * time.Second

	// How long half of the waiting clients may be without the end of a generation. A machine
	// that tests other things meanwhile may take long; a call that nothing wakes waits a minute.
	mostUnseen = 15 * time.Second
)
