package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// translate turns an error of the driver into an error of the store: a failure that
// callers branch on, or else an internal error. It decides by SQLite's result code
// alone. Other errors pass unchanged.
func translate(op string, err error) error {
	driver, ok := errors.AsType[*sqlite.Error](err)
	if err == nil || !ok {
		return err
	}
	message, sentinel := meaning(driver.Code())
	if sentinel != nil {
		err = fmt.Errorf("%w: %w", sentinel, err)
	}
	return &memory.Error{Kind: memory.Internal, Op: op, Message: message, Err: err}
}

// meaning says what a result code means to a caller and what the caller can do.
func meaning(code int) (message string, sentinel error) {
	switch code {
	case lib.SQLITE_IOERR_WRITE, lib.SQLITE_IOERR_TRUNCATE, lib.SQLITE_IOERR_SHMSIZE:
		// A quota or a limit on file sizes shows up as a failed write.
		return "the disk took no more data; make room or raise the quota, then try again", store.ErrFull
	}
	switch code & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL:
		return "another process holds the store; let it finish, then try again", store.ErrBusy
	case lib.SQLITE_FULL:
		return "the disk is full; make room, then try again", store.ErrFull
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_AUTH:
		return "the store cannot be written; check the permissions of its folder and files", store.ErrReadOnly
	case lib.SQLITE_CANTOPEN:
		return "the store's files cannot be opened; check the permissions of its folder and files", store.ErrReadOnly
	case lib.SQLITE_NOTADB:
		return "the file is not a satchel store; name another, or move it away and start afresh", store.ErrNotStore
	case lib.SQLITE_CORRUPT:
		return "the store is damaged; run satchel doctor, or restore a backup", nil
	}
	return "the store failed; run satchel doctor", nil
}

// retriable reports whether another process was in the way and the same call may
// succeed a little later.
func retriable(err error) bool {
	driver, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	_, sentinel := meaning(driver.Code())
	return sentinel == store.ErrBusy
}

// refusal returns an error of the store itself.
func refusal(op string, sentinel error, message string) error {
	return &memory.Error{Kind: memory.Internal, Op: op, Message: message, Err: sentinel}
}

// closed returns the error of every call after the store was closed.
func closed(op string) error {
	return refusal(op, store.ErrClosed, "the store is closed; open it again")
}
