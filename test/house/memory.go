package house

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

var residentLine = regexp.MustCompile(`(?m)^VmRSS:\s*(\d+) kB$`)

// Resident is how many bytes of memory a process holds.
func Resident(t testing.TB, pid int) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		Lacking(t, "no /proc here: "+err.Error())
	}
	found := residentLine.FindSubmatch(status)
	if found == nil {
		t.Fatalf("no VmRSS in %s", status)
	}
	kilobytes, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
