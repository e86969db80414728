package assembly

import (
	"context"
	"runtime/debug"
	"time"

	"stele/internal/pause"
)

// trimAfter is how long after its start a server is taken to have begun: lists of
// models are asked for and clients have connected again.
const trimAfter = 2 * time.Second

// trim gives back what only the start needed: what was read and checked, and the
// code that did it. It is half of what an idle server would hold.
func trim(ctx context.Context) {
	if pause.For(ctx, trimAfter) == nil {
		debug.FreeOSMemory()
		leaveCode()
	}
}
