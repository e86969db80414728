package main

import "testing"

func TestTheHeapFloorIsOnlyAFloor(t *testing.T) {
	t.Parallel()
	for live := uint64(0); live < 4*heapFloor; live += 1 << 20 {
		p := percent(live)
		next := live + live*uint64(p)/100 // how far the heap grows then
		switch {
		case live >= heapFloor/2 && p != 100:
			t.Errorf("%d MB in use: %d%%, want what Go does", live>>20, p)
		case p < 100 || p > 800 || live < heapFloor/2 && next > heapFloor:
			t.Errorf("%d MB in use: %d%%, which is %d MB", live>>20, p, next>>20)
		case live >= 4<<20 && live < heapFloor/2 && next < heapFloor-1<<20:
			t.Errorf("%d MB in use: %d%%, only %d MB", live>>20, p, next>>20)
		}
	}
}
