//go:build linux || darwin

package assembly

import "syscall"

// DiskSpace is how much may still be written below a folder, and how large its disk is; 0
// where that is not known.
func DiskSpace(folder string) (free, size int64) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0
	}
	return int64(s.Bavail) * int64(s.Bsize), int64(s.Blocks) * int64(s.Bsize) //nolint:unconvert // the types differ between systems
}
