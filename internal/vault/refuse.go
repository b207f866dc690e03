package vault

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// refusal turns a failure below the vault into the caller's error, and writes it to the
// audit log if it is a refusal that belongs there.
func (x *access) refusal(c memory.Caller, op string, id memory.ID, err error) error {
	if err == nil || IsFault(err) {
		return err
	}
	if e := failed(op, id, err); e != nil {
		x.log.Error("vault", "op", op, "id", id, "err", err)
		return e
	}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		if e.Kind == memory.Internal {
			x.log.Error("vault", "op", op, "id", id, "err", err)
		}
		x.refused(c, op, e.Kind)
		if e.Op != "" && (e.ID != "" || id == "") {
			return e
		}
		told := *e
		told.Op = op
		if told.ID == "" {
			told.ID = id
		}
		return &told
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return notFound(op, id)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	x.log.Error("vault", "op", op, "id", id, "err", err)
	return &memory.Error{Kind: memory.Internal, Op: op, ID: id, Err: err,
		Message: "the store failed: satchel doctor says more"}
}

// failed returns the caller's error for a store failure with a known remedy, nil
// otherwise. A temporary failure has memory.ErrUnavailable among its causes.
func failed(op string, id memory.ID, err error) error {
	message, passes := failure(err)
	e, named := errors.AsType[*memory.Error](err)
	if message == "" || named && e.Kind != memory.Internal {
		return nil
	}
	if named && e.Message != "" && !errors.Is(err, store.ErrUncertain) && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrClosed) {
		message = e.Message // the store knows better what is in its way
	}
	if passes && !errors.Is(err, memory.ErrUnavailable) {
		err = fmt.Errorf("%w: %w", memory.ErrUnavailable, err)
	}
	return &memory.Error{Kind: memory.Internal, Op: op, ID: id, Message: message, Err: err}
}

// failure describes a store failure and its remedy, "" if unknown, and reports whether
// it is temporary.
func failure(err error) (message string, passes bool) {
	switch {
	case errors.Is(err, store.ErrUncertain):
		return "the database was lost while this was being stored, and it is not known whether it was: send it again, with the same idempotency key if it has one", true
	case errors.Is(err, store.ErrUnavailable):
		return "the database cannot be reached and nothing was done: try again a little later", true
	case errors.Is(err, store.ErrBusy):
		return "the store is busy and nothing was done: try again a little later", true
	case errors.Is(err, store.ErrArriving):
		return "the owner's memory is on its way here from another store: try again when satchel store move is done", true
	case errors.Is(err, store.ErrClosed):
		return "the server is shutting down: try again a little later", true
	case errors.Is(err, store.ErrFull):
		return "there is no space left for the store: its operator has to make room", false
	case errors.Is(err, store.ErrReadOnly):
		return "the store cannot be written: its operator has to look after that", false
	case errors.Is(err, store.ErrNewer):
		return "the store was brought to a newer release, which this server is not yet: try again a little later, and have its operator start that release here", true
	}
	return "", false
}

func notFound(op string, id memory.ID) error {
	return &memory.Error{Kind: memory.NotFound, Op: op, ID: id, Message: "no such record; recall or list finds ids"}
}

// Invalid is the error for a record that breaks a rule.
func Invalid(op, path, rule, message string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: op, Path: path, Rule: rule, Message: message}
}

// Forbidden is the error for a caller who may not do this.
func Forbidden(op, message string) error {
	return &memory.Error{Kind: memory.ForbiddenScope, Op: op, Message: message}
}

// IsFault reports whether an error is a refusal in the words of Engram.
func IsFault(err error) bool {
	_, ok := errors.AsType[*engram.Fault](err)
	return ok
}
