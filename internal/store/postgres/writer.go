package postgres

import (
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// writer is a session that writes: a [store.Writer]. What it writes is queued, and
// goes to the server before the next read, or together with the end of the
// transaction.
type writer struct {
	session
	seals *stored.Sealer
	dirty bool // the owner's counters have changed
	left  bool // content has left, and that is counted

	unfiled unfiled // what was indexed and is not in the queue yet
	gone    []int64 // attachments that were removed and may have been staged, as table staged numbers them
}

// failed returns what went wrong in the transaction, after which nothing of it can
// be kept, whatever the function makes of the error.
func (w *writer) failed() error { return w.tx.failed }

// later queues a statement; the owner is $1. Its failure shows at the next flush.
func (w *writer) later(query string, args ...any) {
	w.queue(statement{query: query, args: args})
}

func (w *writer) queue(st statement) {
	if w.ready() != nil {
		return // whatever comes next says so
	}
	w.tx.later(w.ctx, w.named([]statement{st})[0])
}

// exec sends what is queued, runs a statement, and returns how many rows it changed.
func (w *writer) exec(query string, args ...any) (int64, error) {
	var n int64
	w.tx.wrote = true
	err := w.all(statement{query: query, args: args, count: &n})
	return n, err
}

// identify finds out whose seal the owner's row gets.
func (w *writer) identify() {
	if o := &w.owner; o.known {
		o.heir = w.seals.Heir(o.secret, ownersTable.Name, o.values(), o.seal)
	}
}

// enrol makes sure that the owner has a row, before anything is written.
func (w *writer) enrol() error {
	if err := w.ready(); err != nil || w.owner.known {
		return err
	}
	o := &w.owner
	o.did, o.heir, o.secret, o.revoked, w.dirty = string(w.did), w.seals, w.seals.ID, stored.Revoked(nil), true
	o.added = stored.Micros(time.Time{}) // nobody let the owner in
	values := append([]any{time.Now().UnixMicro()}, o.values()...)
	n, err := w.exec(insertOwner, append(values, []byte{})...)
	if err == nil && n == 0 {
		w.tx.failed, w.tx.cause = errRaced, errRaced
		err = errRaced
	}
	if err == nil {
		err = w.alone()
	}
	o.known = err == nil
	return err
}

// alone fails when there are rows of an owner who has only just come: they are of
// somebody's whose own row was taken away.
func (w *writer) alone() error {
	left := false
	err := w.first(selectLeft, nil, &left)
	if err == nil && left {
		err = refusal("write", store.ErrAltered,
			"the owner's row was removed outside of satchel, and other rows of the owner are left; run satchel doctor, and restore a backup")
		w.tx.failed, w.tx.cause = err, err
	}
	return err
}

// finish queues the owner's row once the function has returned well.
func (w *writer) finish() error {
	if err := w.tx.settle(w.ctx); err != nil { // what was staged and is gone shows only then
		return err
	}
	w.fileIndex()
	w.fileRuns()
	if err := w.tx.settle(w.ctx); err != nil || !w.dirty {
		return err
	}
	o := &w.owner
	if w.seals.Keyed {
		o.secret = w.seals.ID
	}
	values := o.values()
	if o.heir != nil {
		o.seal = o.heir.Seal(ownersTable.Name, values)
	}
	w.later(updateOwner, append(values[1:], o.seal)...)
	return w.failed()
}

// leave counts this Update among those that let content leave.
func (w *writer) leave() {
	if !w.left {
		w.owner.erased++
		w.left, w.dirty = true, true
	}
}

// marks returns parameters from first on.
func marks(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(first+i)
	}
	return strings.Join(list, ", ")
}

// sets returns assignments of columns and the seal to parameters, from $2 on.
func sets(columns []stored.Column) string {
	var b strings.Builder
	for i, c := range columns {
		b.WriteString(quoted(c.Name) + " = $" + strconv.Itoa(i+2) + ", ")
	}
	return b.String() + "seal = $" + strconv.Itoa(len(columns)+2)
}
