package aicffile

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/filelock"
)

// owner is the holder that a lock states, as far as it states one.
type owner struct {
	pid  int
	host string
	size int64 // of the file before an append; negative: none noted
}

// String names the holder of the lock, for messages.
func (w owner) String() string {
	switch {
	case w.pid == 0:
		return "another program is changing the file"
	case w.host == "":
		return fmt.Sprintf("process %d is changing the file", w.pid)
	}
	return fmt.Sprintf("process %d of %s is changing the file", w.pid, w.host)
}

// gone reports whether the holder is known to have ended.
func (w owner) gone() bool {
	host, err := os.Hostname()
	return err == nil && w.pid > 0 && w.host == host && !filelock.Alive(w.pid)
}

// holder reads the lock. The lock of another program may have any content.
func (l *lock) holder() owner {
	w := owner{size: -1}
	words := strings.Fields(l.content())
	if len(words) > 0 {
		w.pid, _ = strconv.Atoi(words[0])
	}
	if len(words) > 1 {
		w.host = words[1]
	}
	if len(words) > 3 && w.host != "" {
		if size, err := strconv.ParseInt(words[3], 10, 64); err == nil {
			w.size = size
		}
	}
	return w
}

// content returns the beginning of the lock, up to the length of ours. It returns ""
// for a lock that is no regular file and does not open it: reading a pipe would hang.
func (l *lock) content() string {
	if info, err := os.Lstat(l.name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(l.name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 512))
	if err != nil {
		return ""
	}
	return string(head)
}
