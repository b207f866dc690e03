package postgres

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
)

// TestTurnAwayWithoutPower abandons an arrival as somebody who may not delete from
// the audit log, and then as the operator.
func TestTurnAwayWithoutPower(t *testing.T) {
	from, db := openSealed(t, made(t), secretOf), made(t)
	update(t, from, func(w store.Writer) error {
		return w.AuditKeeper().AppendAudit([][]byte{[]byte("entry")}, [][]byte{[]byte("hash")})
	})
	name := "user_" + strings.ToLower(t.Name())
	execute(t, db, `CREATE ROLE `+name+` LOGIN`)
	defer execute(t, db, `DROP ROLE `+name)
	execute(t, db, `GRANT satchel TO `+name)
	u, err := url.Parse(db)
	must(t, err)
	u.User = url.User(name)
	to := openSealed(t, u.String(), secretOf)
	must(t, from.Leave(t.Context(), ada, "", func(l store.OwnerRows) error {
		row, err := l.Owner()
		if err != nil {
			return err
		}
		a, err := to.Arrive(t.Context(), ada, row)
		if err != nil {
			return err
		}
		rows, err := l.Rows("audit", nil, 10)
		return errors.Join(err, a.Put(t.Context(), "audit", rows))
	}))
	if err := to.TurnAway(t.Context(), ada); !errors.Is(err, store.ErrOperator) {
		t.Errorf("without power: %v", err)
	}
	arriving, err := to.Arriving(t.Context())
	if err != nil || len(arriving) != 1 {
		t.Errorf("arriving: %v, %v", arriving, err)
	}
	operator := openSealed(t, db, secretOf)
	must(t, operator.TurnAway(t.Context(), ada))
	must(t, to.View(t.Context(), ada, func(r store.Reader) error {
		entries, err := r.Audit().AuditEntries(0, 10)
		if len(entries) > 0 {
			t.Errorf("%d entries are left", len(entries))
		}
		return err
	}))
	if err := to.TurnAway(t.Context(), ada); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("once more: %v", err)
	}
}
