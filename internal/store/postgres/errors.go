package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// translate turns an error of the driver or of the network into an error of the
// store: a failure that callers branch on, or else an internal error. It decides by
// SQLSTATE alone. Other errors, and the end of a context, pass unchanged.
func translate(op string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !timedOut(err) {
		return err
	}
	if already, ok := errors.AsType[*memory.Error](err); ok && already != nil {
		return err
	}
	message, sentinel, known := meaning(err)
	if !known {
		return err
	}
	cause := tidy(err)
	if sentinel != nil {
		cause = fmt.Errorf("%w: %w", sentinel, cause)
	}
	return &memory.Error{Kind: memory.Internal, Op: op, Message: message, Err: cause}
}

// tidy removes from an error every part that may repeat the URL of the store.
func tidy(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		// Its message may name a key, and its detail may hold the key's value.
		return fmt.Errorf("SQLSTATE %s", refused.Code)
	}
	if broken, ok := errors.AsType[*net.OpError](err); ok {
		return broken
	}
	return errBroken
}

var errBroken = errors.New("the connection broke")

// timedOut reports whether an attempt to connect took too long. The driver reports
// that as the end of its own context.
func timedOut(err error) bool {
	_, ok := errors.AsType[*pgconn.ConnectError](err)
	return ok
}

// meaning says what an error means to a caller and what the caller can do.
func meaning(err error) (message string, sentinel error, known bool) {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		message, sentinel = meaningOf(refused.Code)
		return message, sentinel, true
	}
	if broken(err) {
		return unavailable, store.ErrUnavailable, true
	}
	return "", nil, false
}

const unavailable = "the database cannot be reached; see that it runs and that its address is right, then try again"

// broken reports whether the connection failed, rather than a statement that the
// server answered.
func broken(err error) bool {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		_, sentinel := meaningOf(refused.Code)
		return sentinel == store.ErrUnavailable
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, errBroken) || pgconn.SafeToRetry(err)
}

// meaningOf says what a SQLSTATE means.
func meaningOf(code string) (message string, sentinel error) {
	switch code {
	case "53100", "53200": // disk_full, out_of_memory
		return "the database has no space left; make room, then try again", store.ErrFull
	case "55P03", "57014": // lock_not_available, query_canceled
		return "the database is too busy; try again a little later", store.ErrBusy
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return "others were in the way again and again; try again a little later", store.ErrBusy
	case "25006": // read_only_sql_transaction
		return "the database can only be read; name the primary server in the URL", store.ErrReadOnly
	case "23505": // unique_violation
		return "there are rows where satchel has left none; the store is damaged: run satchel doctor", store.ErrAltered
	case "42501": // insufficient_privilege
		return "the database refuses this to the program's role; have the operator run satchel store migrate", store.ErrOperator
	case "3D000", "3F000", "42P01", "42703": // no such database, schema, table, column
		return "there is no store in this database; run satchel init", store.ErrNotStore
	case "42P05", "26000": // a prepared statement is there already, or is not there
		return "what stands between satchel and the database shares connections between transactions; have it keep one for each session: " +
			"pool_mode = session of PgBouncer", store.ErrOperator
	case "28000", "28P01": // not let in
		return "the database does not let this user in; see the user and password of the URL, or of the password file", store.ErrOperator
	case "53300", "57P01", "57P02", "57P03", "57P05", "25P03":
		// too many connections, shut down, crashed, starting, idle too long
		return unavailable, store.ErrUnavailable
	}
	switch code[:min(2, len(code))] {
	case "08":
		return unavailable, store.ErrUnavailable
	case "53", "54":
		return "the database has reached a limit; try again a little later", store.ErrBusy
	case "58", "XX":
		return "the database failed; see its log, and run satchel doctor", nil
	}
	return "the store failed; run satchel doctor", nil
}

// again reports whether a transaction with this error may run once more: other
// transactions were in the way, or the connection broke and nothing of the
// transaction remains.
func again(err error) bool {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch refused.Code {
		case "40001", "40P01":
			return true
		case "53300", "25P03": // more connections than the server takes; the function itself took too long
			return false
		}
	}
	if errors.Is(err, errRaced) {
		return true
	}
	if _, refused := errors.AsType[*memory.Error](err); refused {
		return false
	}
	return broken(err)
}

// errRaced says that another server created the owner's row first.
var errRaced = errors.New("the owner's row was made by another server at the same time")

// refusal returns an error of the store itself.
func refusal(op string, sentinel error, message string) error {
	return &memory.Error{Kind: memory.Internal, Op: op, Message: message, Err: sentinel}
}

// closed returns the error of every call after the store was closed.
func closed(op string) error {
	return refusal(op, store.ErrClosed, "the store is closed; open it again")
}
