package assembly

import (
	"os"
	"testing"
)

func TestTheHeapFloorIsOnlyAFloor(t *testing.T) {
	t.Parallel()
	for live := uint64(0); live <= heapCalm; live += 1 << 20 {
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

// What callers make the process hold is not doubled by garbage.
func TestTheHeapGrowsByLessWhenMuchIsInUse(t *testing.T) {
	t.Parallel()
	for live := uint64(heapCalm); live < 4<<30; live += 16 << 20 {
		beside := live * uint64(percent(live)) / 100
		if most := heapCalm + (live-heapCalm)/6; beside > most || beside < most-live/100 {
			t.Errorf("%d MB in use: %d MB beside them, want %d", live>>20, beside>>20, most>>20)
		}
	}
}

func TestWhatMayBeInFlightFollowsTheMachine(t *testing.T) {
	t.Parallel()
	const meminfo = "MemTotal:       16777216 kB\nMemFree: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"a machine":             {map[string]string{"/proc/meminfo": meminfo}, 16 << 30},
		"a container":           {map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "536870912\n"}, 512 << 20},
		"one within a slice":    {map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/memory.max": "1073741824\n", "/sys/fs/cgroup/a/b/memory.max": "max\n"}, 1 << 30},
		"the older cgroups":     {map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n"}, 256 << 20},
		"older, without limit":  {map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 16 << 30},
		"nothing that tells it": {nil, 0},
	} {
		got := machineMemory(func(file string) ([]byte, error) {
			if text, ok := c.files[file]; ok {
				return []byte(text), nil
			}
			return nil, os.ErrNotExist
		})
		if got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	for machine, want := range map[int64]int64{0: leastInFlight, 512 << 20: leastInFlight, 4 << 30: 1 << 30, 256 << 30: mostInFlight} {
		if got := inFlight(machine); got != want {
			t.Errorf("%d MB: %d may be in flight, want %d", machine>>20, got, want)
		}
	}
}
