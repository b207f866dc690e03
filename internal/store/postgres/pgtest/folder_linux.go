package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// inMemory is where Linux keeps files in memory, and mostFiles how many bytes have to be
// free there.
const (
	inMemory  = "/dev/shm"
	mostFiles = 4 << 30
)

// newFolder makes the folder of a server. Making a database copies 300 files, which takes
// half the time in memory. A durable server keeps its files on a disk.
func newFolder(o Options) (string, error) {
	pattern := fmt.Sprintf("satchel-postgres-%d-*", os.Getpid())
	var room syscall.Statfs_t
	if !o.Durable && syscall.Statfs(inMemory, &room) == nil && uint64(room.Bavail)*uint64(room.Bsize) >= mostFiles {
		removeLeft()
		if folder, err := os.MkdirTemp(inMemory, pattern); err == nil {
			return folder, nil
		}
	}
	return os.MkdirTemp("", pattern)
}

// removeLeft removes the folders of processes that were killed.
func removeLeft() {
	left, _ := filepath.Glob(filepath.Join(inMemory, "satchel-postgres-*-*")) // the pattern is right
	for _, folder := range left {
		var process int
		if _, err := fmt.Sscanf(filepath.Base(folder), "satchel-postgres-%d-", &process); err == nil && syscall.Kill(process, 0) == syscall.ESRCH {
			_ = os.RemoveAll(folder) // another process may remove it too
		}
	}
}
