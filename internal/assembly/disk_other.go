//go:build !linux && !darwin

package assembly

// DiskSpace is not known here.
func DiskSpace(string) (free, size int64) { return 0, 0 }
