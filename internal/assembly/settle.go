package assembly

import (
	"context"
	"runtime/debug"
	"time"

	"stele/internal/pause"
)

// settleAfter is how long after its start a server is taken to have begun: lists of
// models are asked for and clients have connected again.
const settleAfter = 2 * time.Second

// settle gives back what only the start needed: what was read and checked, and the
// code that did it. It is half of what an idle server would hold.
func settle(ctx context.Context) {
	if pause.For(ctx, settleAfter) == nil {
		debug.FreeOSMemory()
		leaveCode()
	}
}
