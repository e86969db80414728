package assembly

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestCodeThatIsNotNeededIsLetGoOf(t *testing.T) { // not parallel: other tests would need it
	before := mapped(t)
	leaveCode()
	if after := mapped(t); after >= before {
		t.Errorf("%d KB of the program are mapped, %d before", after, before)
	}
}

func TestAMappingOfTheProgramIsKnown(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]mapping{
		"00400000-01952000 r-xp 00000000 fe:00 12224884                           /opt/a stele": {from: 0x400000, to: 0x1952000},
		"01952000-02fa1000 r--p 01552000 fe:00 12224884 /opt/a stele":                           {from: 0x1952000, to: 0x2fa1000},
		"02fa1000-03246000 rw-p 02ba1000 fe:00 12224884 /opt/a stele":                           {},
		"7f0000000000-7f0000001000 r-xp 00000000 fe:00 1 /usr/lib/libc.so.6":                    {},
		"7f0000000000-7f0000001000 r-xp 00000000 00:00 0":                                       {},
	} {
		if got := readMapping(line, "/opt/a stele"); got != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// mapped is how many kilobytes of files are mapped.
func mapped(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
