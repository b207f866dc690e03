package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// refusal turns a failure below the vault into what the caller is told.
func (v *Vault) refusal(op string, id memory.ID, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		if e.Kind == memory.Internal {
			v.log.Error("vault", "op", op, "id", id, "err", err)
		}
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
	v.log.Error("vault", "op", op, "id", id, "err", err)
	return &memory.Error{Kind: memory.Internal, Op: op, ID: id, Err: err,
		Message: "the store failed: satchel doctor says more"}
}

func notFound(op string, id memory.ID) error {
	return &memory.Error{Kind: memory.NotFound, Op: op, ID: id, Message: "no such record; recall or list finds ids"}
}

func invalid(op, path, rule, message string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: op, Path: path, Rule: rule, Message: message}
}

func forbidden(op, message string) error {
	return &memory.Error{Kind: memory.ForbiddenScope, Op: op, Message: message}
}

// mayRead refuses a caller who names no owner.
func mayRead(op string, c memory.Caller) error {
	if c.Owner == "" {
		return &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "say whose memory is meant"}
	}
	return nil
}

// mayWrite refuses callers who do not act for the owner, and every caller of a
// vault that only reads.
func (v *Vault) mayWrite(op string, c memory.Caller) error {
	if err := mayRead(op, c); err != nil {
		return err
	}
	if v.readOnly {
		return &memory.Error{Kind: memory.Unsupported, Op: op, Rule: "UMP-3.1-7", Message: "this server is read-only"}
	}
	if !c.Speaks() {
		return forbidden(op, "only the owner and the owner's agents may write")
	}
	return nil
}

// mayOwn refuses everybody but the owner in person.
func mayOwn(op string, c memory.Caller) error {
	if c.Role != memory.Owner {
		return forbidden(op, "only the owner may do this: use the command line")
	}
	return nil
}
