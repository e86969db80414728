package rig

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// Resident is how many bytes of memory a process holds.
func Resident(t testing.TB, pid int) int {
	t.Helper()
	return int(Memory(t, "VmRSS", pid))
}

// Memory reads a figure of a process's memory, in bytes: VmRSS now, VmHWM at its highest.
func Memory(t testing.TB, name string, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		Lacking(t, "the system does not tell how much memory a process has")
	}
	_, rest, _ := strings.Cut(string(status), "\n"+name+":")
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
