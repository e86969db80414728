//go:build unix

package assembly

import "syscall"

// openFiles is how many files this process may have open.
func openFiles() (most uint64, ok bool) {
	var files syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	return files.Cur, err == nil
}
