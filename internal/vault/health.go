package vault

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Health reports what is wrong with the store, one finding a line: damage to its
// files, records that are not what their owners signed, columns that say other
// than the records, and audit logs that were tampered with.
func (v *Vault) Health(ctx context.Context) ([]string, error) {
	findings, err := v.store.Check(ctx)
	if err != nil {
		return findings, v.refusal(memory.Caller{}, "doctor", "", err)
	}
	owners, err := v.store.Owners(ctx)
	if err != nil {
		return findings, v.refusal(memory.Caller{}, "doctor", "", err)
	}
	for _, owner := range owners {
		x := examination{vault: v, findings: findings}
		err := v.store.View(ctx, owner, func(r store.Reader) error { return x.examine(ctx, r, owner) })
		if err != nil {
			return x.findings, v.refusal(memory.Caller{}, "doctor", "", err)
		}
		findings = x.findings
	}
	return findings, nil
}

// examination is one look at all that an owner has.
type examination struct {
	vault    *Vault
	findings []string
	bad      int
}

// findingsShown is how many damaged records of an owner are named one by one.
const findingsShown = 20

func (x *examination) examine(ctx context.Context, r store.Reader, owner memory.DID) error {
	var after store.Cursor
	for {
		rows, err := r.Rows(store.Filter{}, after, exportPage)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			x.row(row, owner)
		}
		if len(rows) < exportPage {
			break
		}
		last := rows[len(rows)-1]
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
	}
	if x.bad > findingsShown {
		x.findings = append(x.findings, fmt.Sprintf("and %d more damaged records", x.bad-findingsShown))
	}
	report, err := audit.Verify(r, owner, nil)
	for _, f := range report.Findings {
		x.findings = append(x.findings, "audit log: "+f.Message)
	}
	return err
}

func (x *examination) row(row store.Row, owner memory.DID) {
	why := x.vault.fault(row, owner)
	if why == "" {
		return
	}
	x.bad++
	if x.bad <= findingsShown {
		x.findings = append(x.findings, fmt.Sprintf("record %s: %s", row.ID, why))
	}
}

// fault says what is wrong with a row, "" when nothing is.
func (v *Vault) fault(row store.Row, owner memory.DID) string {
	rec, err := v.checked(row)
	switch {
	case memory.KindOf(err) == memory.SignatureInvalid:
		return "it was changed after its owner signed it; restore it from a backup, or erase it with satchel forget --hard"
	case err != nil:
		return "it cannot be read; restore it from a backup, or erase it with satchel forget --hard"
	case rec.Scope.Owner != owner:
		return "it belongs to another owner than its row"
	}
	if row.Current != nil && row.Origin != nil {
		born := row
		born.Current = nil
		if _, err := v.checked(born); err != nil {
			return "its first form was changed after its owner signed it"
		}
	}
	want := reworked(row, rec).Columns
	if row.Origin == nil { // emptied: nothing recognises it, and nothing more is to be done
		want.Duplicate, want.Expires = "", time.Time{}
	}
	if wrong := differing(want, row.Columns); len(wrong) > 0 {
		return "its " + strings.Join(wrong, ", ") + " is filed other than it says"
	}
	return ""
}

// differing names the columns that say other than the record.
func differing(want, have store.Columns) []string {
	var wrong []string
	say := func(differs bool, name string) {
		if differs {
			wrong = append(wrong, name)
		}
	}
	say(want.Kind != have.Kind, "kind")
	say(want.Status != have.Status, "status")
	say(want.Visibility != have.Visibility, "visibility")
	say(want.Project != have.Project, "project")
	say(want.User != have.User, "user")
	say(want.Agent != have.Agent, "agent")
	say(want.Session != have.Session, "session")
	say(!sameMicro(want.Created, have.Created), "time of creation")
	say(!sameMicro(want.From, have.From), "beginning of validity")
	say(!sameMicro(want.To, have.To), "end of validity")
	say(!sameMicro(want.Expires, have.Expires), "end of retention")
	say(want.Duplicate != have.Duplicate, "digest")
	return wrong
}

// sameMicro compares instants at the resolution that columns have.
func sameMicro(a, b time.Time) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() == b.IsZero()
	}
	far := a.Year() < -100_000 || a.Year() > 100_000 // columns keep the farthest they can
	return far || a.UnixMicro() == b.UnixMicro()
}
