package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// TakesAtOnce reports whether a write of n bytes to w cannot hang: w is an empty pipe with room
// for n bytes. That holds only as long as no other process writes to the pipe.
func TakesAtOnce(w io.Writer, n int) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	c, err := f.SyscallConn()
	if err != nil {
		return false
	}
	takes := false
	err = c.Control(func(fd uintptr) {
		size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
		if err != nil || n > size { // it is no pipe, or too small
			return
		}
		unread, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
		takes = err == nil && unread == 0
	})
	return takes && err == nil
}
