package assembly

import (
	"cmp"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"

	"stele/internal/config"
	"stele/internal/memory"
)

// What may be in flight unless the configuration says otherwise. A workspace's share is
// the same on a laptop and on a large server: what one workspace can make the process hold
// must not depend on how much there is to take. It has room for the largest request there
// may be: 32 MB of text that is translated.
const (
	leastInFlight    = 160 << 20
	mostInFlight     = 8 << 30
	inFlightPart     = 4 // of what the machine has
	workspacesShare  = 144 << 20
	keysPart         = 128 << 20
	unlimitedCgroups = math.MaxInt64 &^ 4095 // what the first version of cgroups says for none
)

// resizeBudget makes the accountant of memory in flight what a configuration wants.
func resizeBudget(b *memory.Budget, cfg *config.Config) {
	size := int64(cfg.Limits.Memory)
	if size == 0 {
		size = inFlight(machineMemory(os.ReadFile))
	}
	share, part := int64(cfg.Limits.MemoryPerWorkspace), int64(cfg.Limits.MemoryPerKey)
	share = cmp.Or(share, max(workspacesShare, part))
	part = cmp.Or(part, keysPart)
	b.Resize(size, share, part)
}

// inFlight is the part of a machine's memory that may be in flight.
func inFlight(machine int64) int64 {
	return min(max(machine/inFlightPart, leastInFlight), mostInFlight)
}

// machineMemory is how much memory the process may have: what GOMEMLIMIT says, else its
// cgroup, else the machine; 0 where nothing tells.
func machineMemory(read func(string) ([]byte, error)) int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	all := totalMemory(read)
	if limit := cgroupMemory(read); limit > 0 && (all == 0 || limit < all) {
		return limit
	}
	return all
}

// cgroupMemory is the least limit of the process's own cgroup and those around it.
func cgroupMemory(read func(string) ([]byte, error)) int64 {
	own, _ := read("/proc/self/cgroup")
	least := int64(0)
	look := func(file string) {
		text, err := read(file)
		if err != nil {
			return
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && n > 0 && n < unlimitedCgroups && (least == 0 || n < least) {
			least = n
		}
	}
	for line := range strings.Lines(string(own)) {
		if place, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			for at := path.Clean("/" + place); ; at = path.Dir(at) {
				look(path.Join("/sys/fs/cgroup", at, "memory.max"))
				if at == "/" {
					break
				}
			}
		}
	}
	look("/sys/fs/cgroup/memory/memory.limit_in_bytes")
	return least
}

// totalMemory is how much the machine has.
func totalMemory(read func(string) ([]byte, error)) int64 {
	text, err := read("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kB, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return kB << 10
		}
	}
	return 0
}
