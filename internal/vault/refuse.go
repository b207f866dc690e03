package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// refusal turns a failure below the vault into what the caller is told, and
// puts it into the audit log where it is a refusal that belongs there.
func (v *Vault) refusal(c memory.Caller, op string, id memory.ID, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*memory.Error](err); ok {
		if e.Kind == memory.Internal {
			v.log.Error("vault", "op", op, "id", id, "err", err)
		}
		v.refused(c, op, e.Kind)
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
