package assembly

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// heapFloor is how far the heap may grow before it is collected, however little
// of it is in use.
//
// Go collects when the heap is twice what was in use at the last time. Little is
// in use here, some 6 MB, so that a busy server would collect every few hundred
// requests and spend a tenth of its time on it, looking at the same 6 MB. A higher
// percentage for good would cure that and make a server with a thousand open
// streams hold several times the memory they need. So only the floor is raised:
// from half of it on everything is as Go does it, up to heapCalm.
const heapFloor = 32 << 20

// heapCalm is how much may be in use before the heap grows by less than as much again.
//
// What is in use beyond it is what is in flight: large bodies, pictures. There are
// few of them, so that looking at them costs little, and letting as much garbage lie
// beside them doubles what a caller can make the process take.
const heapCalm = 48 << 20

// raiseHeapFloor sets the percentage after each collection so that the next one
// comes at heapFloor, or at the usual time if that is later.
func raiseHeapFloor() {
	usual := debug.SetGCPercent(100)
	debug.SetGCPercent(usual)
	if usual != 100 {
		return // the operator has set GOGC
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	now := usual
	type collected struct{ _ [16]byte } // not so small that it shares its memory with others
	var again func(*collected)
	again = func(c *collected) {
		metrics.Read(live)
		if next := percent(live[0].Value.Uint64()); math.Abs(float64(next-now)) > 0.05*float64(now) {
			now = next
			debug.SetGCPercent(next)
		}
		runtime.SetFinalizer(c, again) // runs after the next collection
	}
	again(new(collected))
}

// percent is what makes the next collection come at heapFloor when so much is live.
func percent(live uint64) int {
	const usual, most = 100, 800
	if live > heapCalm {
		return int(100 * (heapCalm + (live-heapCalm)/6) / live)
	}
	if live >= heapFloor/2 {
		return usual
	}
	return min(most, int(100*(heapFloor-live)/max(live, 1)))
}
