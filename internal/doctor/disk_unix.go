//go:build linux || darwin

package doctor

import "syscall"

// diskFree is how many bytes may still be written below a folder.
func diskFree(folder string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // the types differ between systems
}
