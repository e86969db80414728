//go:build faulty

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// SQLite is what the address of a SQLite database ends with: it names a file system
// that is SQLite's own but for what changes the disk. A process that notes nothing and
// has nothing fail has SQLite's own.
func SQLite() string {
	if l := under(); l.trace == nil && l.faults == "" {
		return ""
	}
	return vfs()
}

var vfs = sync.OnceValue(func() string {
	tls := libc.NewTLS() // kept for as long as the process lives, as is the rest
	name, err := libc.CString("faulty")
	if err != nil {
		panic(err)
	}
	own = (*sqlite.Tsqlite3_vfs)(at(sqlite.Xsqlite3_vfs_find(tls, 0)))
	ours := (*sqlite.Tsqlite3_vfs)(at(libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(*own)))))
	*ours = *own
	ours.FzName, ours.FpNext = name, 0
	ours.FxOpen = pointer(vfsOpen)
	ours.FxDelete = pointer(vfsDelete)
	if code := sqlite.Xsqlite3_vfs_register(tls, uintptr(unsafe.Pointer(ours)), 0); code != sqlite.SQLITE_OK {
		panic("the file system could not be registered")
	}
	return "&vfs=faulty"
})

var (
	own *sqlite.Tsqlite3_vfs // SQLite's own file system

	filesMu sync.Mutex // guards all below
	files   = make(map[uintptr]*vfsFile)
	adapted = make(map[uintptr]uintptr) // methods of its files, with ours in place of those that change the disk
)

// vfsFile is an open file of SQLite's.
type vfsFile struct {
	path   string
	number uint64
	own    *sqlite.Tsqlite3_io_methods
	fresh  bool // its folder is synced with its first sync, as SQLite's own does for a log or journal it has made
}

func vfsOpen(tls *libc.TLS, system, name, file uintptr, flags int32, out uintptr) int32 {
	f := &vfsFile{}
	missing := false
	if name != 0 {
		f.path = libc.GoString(name)
		_, err := os.Lstat(f.path)
		missing = err != nil && flags&sqlite.SQLITE_OPEN_CREATE != 0
		if missing && fail(making, f.path) != nil {
			(*sqlite.Tsqlite3_file)(at(file)).FpMethods = 0
			return sqlite.SQLITE_CANTOPEN
		}
	}
	code := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](own.FxOpen)(tls, system, name, file, flags, out)
	if code != sqlite.SQLITE_OK || name == 0 || flags&sqlite.SQLITE_OPEN_DELETEONCLOSE != 0 {
		return code
	}
	if info, err := os.Lstat(f.path); err == nil {
		f.number = info.Sys().(*syscall.Stat_t).Ino
	}
	if missing {
		f.fresh = flags&(sqlite.SQLITE_OPEN_WAL|sqlite.SQLITE_OPEN_MAIN_JOURNAL|sqlite.SQLITE_OPEN_SUPER_JOURNAL) != 0
		note(entry{Op: "create", Path: f.path, File: f.number}, nil)
	}
	filesMu.Lock()
	defer filesMu.Unlock()
	base := (*sqlite.Tsqlite3_file)(at(file))
	f.own = (*sqlite.Tsqlite3_io_methods)(at(base.FpMethods))
	if adapted[base.FpMethods] == 0 {
		m := (*sqlite.Tsqlite3_io_methods)(at(libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(*f.own)))))
		*m = *f.own
		m.FxClose, m.FxWrite, m.FxTruncate, m.FxSync = pointer(vfsClose), pointer(vfsWrite), pointer(vfsTruncate), pointer(vfsSync)
		adapted[base.FpMethods] = uintptr(unsafe.Pointer(m))
	}
	base.FpMethods = adapted[base.FpMethods]
	files[file] = f
	return code
}

func vfsDelete(tls *libc.TLS, system, name uintptr, sync int32) int32 {
	path := libc.GoString(name)
	if fail(keeping, path) != nil {
		return sqlite.SQLITE_IOERR_DELETE
	}
	code := function[func(*libc.TLS, uintptr, uintptr, int32) int32](own.FxDelete)(tls, system, name, sync)
	if code == sqlite.SQLITE_OK {
		note(entry{Op: "remove", Path: path}, nil)
		if sync != 0 {
			note(entry{Op: "syncdir", Path: filepath.Dir(path), Upto: position()}, nil)
		}
	}
	return code
}

func vfsClose(tls *libc.TLS, file uintptr) int32 {
	f := fileOf(file)
	filesMu.Lock()
	delete(files, file)
	filesMu.Unlock()
	return function[func(*libc.TLS, uintptr) int32](f.own.FxClose)(tls, file)
}

func vfsWrite(tls *libc.TLS, file, bytes uintptr, size int32, place int64) int32 {
	f := fileOf(file)
	failed := fail(making, f.path)
	if failed != nil {
		size /= 2
	}
	code := int32(sqlite.SQLITE_OK)
	if size > 0 {
		code = function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.own.FxWrite)(tls, file, bytes, size, place)
	}
	if code == sqlite.SQLITE_OK {
		note(entry{Op: "write", File: f.number, At: place, Size: int(size)}, unsafe.Slice((*byte)(at(bytes)), size))
	}
	if failed == nil {
		return code
	}
	if errors.Is(failed, syscall.ENOSPC) {
		return sqlite.SQLITE_FULL
	}
	return sqlite.SQLITE_IOERR_WRITE
}

func vfsTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	f := fileOf(file)
	if fail(keeping, f.path) != nil {
		return sqlite.SQLITE_IOERR_TRUNCATE
	}
	code := function[func(*libc.TLS, uintptr, int64) int32](f.own.FxTruncate)(tls, file, size)
	if code == sqlite.SQLITE_OK {
		note(entry{Op: "truncate", File: f.number, At: size}, nil)
	}
	return code
}

func vfsSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := fileOf(file)
	if fail(keeping, f.path) != nil {
		return sqlite.SQLITE_IOERR_FSYNC
	}
	upto := position()
	code := function[func(*libc.TLS, uintptr, int32) int32](f.own.FxSync)(tls, file, flags)
	if code != sqlite.SQLITE_OK {
		return code
	}
	note(entry{Op: "sync", File: f.number, Upto: upto}, nil)
	if f.fresh {
		f.fresh = false
		note(entry{Op: "syncdir", Path: filepath.Dir(f.path), Upto: upto}, nil)
	}
	return code
}

func fileOf(file uintptr) *vfsFile {
	filesMu.Lock()
	defer filesMu.Unlock()
	return files[file]
}

// at is memory that SQLite has, which the collector does not move.
func at(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// pointer is a function as SQLite, translated to Go, keeps it.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }
