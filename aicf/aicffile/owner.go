package aicffile

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/filelock"
)

// owner is what a lock says of its holder, as far as it says anything.
type owner struct {
	pid  int
	host string
	size int64 // of the file before an append; negative: there was none yet
}

// String says who holds the lock, for messages.
func (w owner) String() string {
	switch {
	case w.pid == 0:
		return "another program is changing the file"
	case w.host == "":
		return fmt.Sprintf("process %d is changing the file", w.pid)
	}
	return fmt.Sprintf("process %d of %s is changing the file", w.pid, w.host)
}

// gone reports whether the holder is known not to be there any more.
func (w owner) gone() bool {
	host, err := os.Hostname()
	return err == nil && w.pid > 0 && w.host == host && !filelock.Alive(w.pid)
}

// holder reads the lock. That of another program may say anything.
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

// content returns what the lock says, as far as it is of the length of ours; empty: it
// says nothing, or is no file, and then is not opened: a pipe would keep whoever reads it.
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
