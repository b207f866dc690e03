package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/filelock"
)

// serveAddress is the path of the file in which a running server says where its pages are.
// The server holds a lock on the file, which the system frees however it ends.
func serveAddress(h Home) string { return filepath.Join(h.Dir, "serve.addr") }

// PublishPages writes where the pages are, until withdraw. It does nothing if another
// server of this store has done so, or where nobody can write.
func PublishPages(h Home, address string) (withdraw func()) { return publish(serveAddress(h), address) }

// PublishPairing writes where a pairing is answered, until withdraw.
func PublishPairing(h Home, address string) (withdraw func()) {
	return publish(pairAddress(h), address)
}

// pairAddress is the path of the file in which a pairing says where satchel serve finds it.
func pairAddress(h Home) string { return filepath.Join(h.Dir, "pair.addr") }

func publish(path, address string) (withdraw func()) {
	none := func() {}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return none
	}
	if free, err := filelock.Try(f); err != nil || !free {
		_ = f.Close() // it was only read
		return none
	}
	withdraw = func() {
		_ = f.Truncate(0) // without the lock nobody believes the content
		_ = f.Close()
	}
	if f.Truncate(0) != nil {
		withdraw()
		return none
	}
	if _, err := f.WriteAt([]byte(address+"\n"), 0); err != nil {
		withdraw()
		return none
	}
	return withdraw
}

// publishing is how long a server takes at most between the lock and the address.
const publishing = time.Second

// RunningPages returns where the pages of the running server of a store are, "" if none
// runs.
func RunningPages(h Home) string { return published(serveAddress(h)) }

// RunningPairing returns where the running pairing of a store is answered, "" if none runs.
func RunningPairing(h Home) string { return published(pairAddress(h)) }

func published(path string) string {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return ""
	}
	defer f.Close()
	for began := time.Now(); time.Since(began) < publishing; time.Sleep(publishing / 20) {
		if free, err := filelock.Try(f); err != nil || free {
			return "" // closing the file frees the lock
		}
		text, err := io.ReadAll(io.NewSectionReader(f, 0, MaxSmall))
		if address, whole := strings.CutSuffix(string(text), "\n"); err == nil && whole {
			return address
		}
	}
	return ""
}
