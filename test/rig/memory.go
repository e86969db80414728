package rig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Resident is how many bytes of memory a process holds.
func Resident(t testing.TB, pid int) int {
	t.Helper()
	return int(Memory(t, "VmRSS", pid))
}

// Memory reads a figure of a process's memory, in bytes: VmRSS now, VmHWM at its highest.
func Memory(t testing.TB, name string, pid int) int64 {
	t.Helper()
	bytes := memory(name, pid)
	if bytes == 0 {
		Lacking(t, "the system does not tell how much memory a process has")
	}
	return bytes
}

// memory is Memory, or 0 where that is not told: the process may be over.
func memory(name string, pid int) int64 {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(status), "\n"+name+":")
	text, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kilobytes, _ := strconv.ParseInt(text, 10, 64)
	return kilobytes << 10
}

// AtRest is how many bytes of memory a process holds now. The highest it held is
// counted from here on, where the system lets it: else its start counts as well.
func AtRest(t testing.TB, pid int) int64 {
	t.Helper()
	now := Memory(t, "VmRSS", pid)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
	return now
}

// CPUTime is how long a process has run so far: all its threads, in the system too.
func CPUTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		t.Fatalf("no threads of %d: %v", pid, err)
	}
	var sum time.Duration
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has ended
		}
		if err != nil {
			t.Fatal(err)
		}
		ran, _, _ := strings.Cut(string(stat), " ")
		n, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}
