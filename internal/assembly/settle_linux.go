package assembly

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// leaveCode lets go of the pages of the program's own file that are mapped: code and
// constants. Those that are needed are mapped again when they are, from the system's
// cache. The kernel maps sixteen for each that is touched, so that a start, which
// touches a little everywhere, leaves nearly all of them mapped.
func leaveCode() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer file.Close()
	var m mapping
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		switch field, value, _ := strings.Cut(line, ":"); {
		case strings.Contains(field, "-"):
			m.leave()
			m = readMapping(line, program)
		case field == "Anonymous":
			m.own = strings.TrimSpace(value) != "0 kB"
		}
	}
	m.leave()
}

// mapping is a part of the program's file in memory. The zero mapping is none.
type mapping struct {
	from, to uintptr
	own      bool // pages of it were changed: only there they are as they should be
}

// readMapping reads where a mapping is, if it is of the program and cannot be written to.
func readMapping(line, program string) mapping {
	fields := strings.Fields(line)
	if len(fields) < 6 || strings.Join(fields[5:], " ") != program || !strings.HasPrefix(fields[1], "r") || fields[1][1] == 'w' {
		return mapping{}
	}
	from, to, _ := strings.Cut(fields[0], "-")
	return mapping{from: address(from), to: address(to)}
}

func address(hex string) uintptr {
	n, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		return 0
	}
	return uintptr(n)
}

func (m mapping) leave() {
	if m.from != 0 && m.to > m.from && !m.own {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED) // then it stays mapped
	}
}
