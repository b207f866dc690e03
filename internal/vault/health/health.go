package health

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Health reports what is wrong with the store, one finding a line. It finds damage to
// the files, records that differ from what their owners signed, columns that differ
// from their records, and altered audit logs.
func (s *Service) Health(ctx context.Context) ([]string, error) {
	return s.HealthTelling(ctx, func(int) {})
}

// HealthTelling is Health, and calls tell with the number of records it has read. The store
// checks itself meanwhile.
func (s *Service) HealthTelling(ctx context.Context, tell func(done int)) ([]string, error) {
	var unopened []string
	err := s.kernel.OpenAll(ctx, func(owner memory.DID, err error) {
		unopened = append(unopened, fmt.Sprintf("owner %s: %v", owner, err))
	})
	if err != nil {
		return nil, s.kernel.Refusal(memory.Caller{}, "doctor", "", err)
	}
	var findings []string
	checked := make(chan error, 1)
	go func() {
		var err error
		findings, err = s.kernel.Store().Check(ctx)
		checked <- err
	}()
	ofOwners, failed := s.examineOwners(ctx, tell)
	err = <-checked // also where reading records failed: it says more of a damaged file
	findings = append(findings, unopened...)
	if err == nil {
		findings, err = append(findings, ofOwners...), failed
	}
	if err != nil {
		return findings, s.kernel.Refusal(memory.Caller{}, "doctor", "", err)
	}
	return findings, nil
}

// examineOwners examines everything that the store keeps for its owners.
func (s *Service) examineOwners(ctx context.Context, tell func(done int)) (findings []string, err error) {
	owners, err := s.kernel.Store().Owners(ctx)
	if err != nil {
		return nil, err
	}
	done := 0
	for _, owner := range owners {
		bad := 0
		err := s.kernel.Store().View(ctx, owner, func(r store.Reader) error {
			twins := s.kernel.Beliefs().TwinsOf(r, owner)
			if err := s.examineAll(ctx, r, owner, func(p page) {
				twins.Add(p.rows, p.altered, p.records, p.damage)
				for i, why := range p.faults {
					done++
					tell(done)
					if why == "" {
						continue
					}
					if bad++; bad <= findingsShown {
						findings = append(findings, fmt.Sprintf("record %s: %s", p.rows[i].ID, why))
					}
				}
			}); err != nil {
				return err
			}
			more, err := twins.Find()
			findings = append(findings, more...)
			if err != nil {
				return err
			}
			more, err = s.beside(r, owner)
			findings = append(findings, more...)
			return err
		})
		if err != nil {
			return findings, err
		}
		if bad > findingsShown {
			findings = append(findings, fmt.Sprintf("and %d more damaged records", bad-findingsShown))
		}
	}
	return findings, nil
}

// beside reports findings about other things than records: tokens, checkpoints and the
// audit log.
func (s *Service) beside(r store.Reader, owner memory.DID) (findings []string, err error) {
	findings, err = tokensBack(r)
	if err != nil {
		return findings, err
	}
	closed, err := s.stateFindings(r, owner)
	findings = append(findings, closed...)
	if err != nil {
		return findings, err
	}
	runs, err := s.runFindings(r, owner)
	findings = append(findings, runs...)
	if err != nil {
		return findings, err
	}
	report, err := s.kernel.VerifyLedger(r, owner, nil)
	for _, f := range report.Findings {
		findings = append(findings, "audit log: "+f.Message)
	}
	return findings, err
}

// findingsShown is how many damaged records of an owner Health lists one by one.
const findingsShown = 20

// Examine says what is wrong with a stored record of the owner, or "" if nothing is. It
// checks that both forms of the record are what the owner signed, and that its row is
// what was stored.
func (s *Service) Examine(ctx context.Context, c memory.Caller, id memory.ID) (why string, err error) {
	const op = "verify"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return "", err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		row, err := r.Row(id)
		if err != nil {
			return err
		}
		altered, err := s.kernel.AlteredOf(r, []store.Row{row})
		why = s.examine([]store.Row{row}, c.Owner, altered).faults[0]
		return err
	})
	return why, s.kernel.Refusal(c, op, id, err)
}

// ExamineAll is Examine for every record of the owner, in the order of creation. Then
// it reports, under no ID, revoked tokens that were put back, and whether all rows
// together differ from what satchel left.
func (s *Service) ExamineAll(ctx context.Context, c memory.Caller, each func(id memory.ID, why string)) error {
	const op = "verify"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return err
	}
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		if err := s.examineAll(ctx, r, c.Owner, func(p page) {
			for i, why := range p.faults {
				each(p.rows[i].ID, why)
			}
		}); err != nil {
			return err
		}
		tokens, err := tokensBack(r)
		for _, why := range tokens {
			each("", why)
		}
		return err
	})
	if err == nil {
		err = s.examineSum(ctx, c.Owner, each)
	}
	return s.kernel.Refusal(c, op, "", err)
}

// tokensBack describes the revoked tokens whose grants were changed or put back.
func tokensBack(r store.Reader) (findings []string, err error) {
	list, err := r.Grants()
	for _, g := range list {
		if g.Revoked.IsZero() {
			continue
		}
		if _, err := r.Grant(g.ID); errors.Is(err, store.ErrAltered) {
			findings = append(findings, fmt.Sprintf("token %s was put back to what it said before it was revoked, or changed, outside of satchel; "+
				"it opens nothing: satchel token revoke %s revokes it once more", g.ID, g.ID))
		}
	}
	return findings, err
}

// examineSum reports under no ID that rows of the owner were removed, added or put
// back, in any table: for example a missing memory, or a revoked token.
func (s *Service) examineSum(ctx context.Context, owner memory.DID, each func(memory.ID, string)) error {
	summer, ok := s.kernel.Bare().(store.Summer)
	if !ok {
		return nil
	}
	same, err := summer.Summed(ctx, owner)
	if err == nil && !same {
		each("", "rows were removed, added or put back to an earlier state outside of satchel: see which memories and tokens are not as you left them")
	}
	return err
}

// page holds rows, whether each was altered, its record, why that is damaged, and what is
// wrong in all, "" for nothing.
type page struct {
	rows    []store.Row
	altered map[int64]bool
	records []memory.Record
	damage  []error
	faults  []string
}

// examineAll examines all rows of an owner, in the order of creation. It reads the next page
// of rows while it examines one.
func (s *Service) examineAll(ctx context.Context, r store.Reader, owner memory.DID, each func(page)) error {
	var last chan page
	err := vault.EachPage(ctx, r, store.Filter{}, func(rows []store.Row) error {
		altered, err := s.kernel.AlteredOf(r, rows)
		if err != nil {
			return err
		}
		examined := make(chan page, 1)
		go func() { examined <- s.examine(rows, owner, altered) }()
		if last != nil {
			each(<-last)
		}
		last = examined
		return nil
	})
	if last != nil {
		each(<-last)
	}
	return err
}

// examine examines some rows.
func (s *Service) examine(rows []store.Row, owner memory.DID, altered map[int64]bool) page {
	p := page{rows: rows, altered: altered, faults: make([]string, len(rows))}
	p.records, p.damage = s.kernel.CheckedAll(rows, owner)
	var born []store.Row // the changed rows as they were before
	for _, row := range rows {
		if row.Current != nil && row.Origin != nil {
			row.Current = nil
			born = append(born, row)
		}
	}
	_, damageBefore := s.kernel.CheckedAll(born, owner)
	for i, row := range rows {
		var before error
		if row.Current != nil && row.Origin != nil {
			before, damageBefore = damageBefore[0], damageBefore[1:]
		}
		p.faults[i] = fault(row, owner, altered[row.Number], p.records[i], p.damage[i], before)
	}
	return p
}

// fault says what is wrong with a row, or "" if nothing is. damage is why its record is not
// sound, and before is why the first form of its record is not.
func fault(row store.Row, owner memory.DID, altered bool, rec memory.Record, damage, before error) string {
	switch {
	case row.Erased:
		return "it was erased, and its row was put back outside of satchel; satchel forget --hard erases it again"
	case memory.KindOf(damage) == memory.SignatureInvalid:
		return "it was changed after its owner signed it; restore it from a backup, or erase it with satchel forget --hard"
	case damage != nil:
		return "it cannot be read; restore it from a backup, or erase it with satchel forget --hard"
	case vault.Foreign(rec, owner) && !vault.MayBeHeld(rec):
		return "it belongs to another owner than its row"
	case before != nil:
		return "its first form was changed after its owner signed it"
	}
	want := vault.ReworkedRow(row, rec).Columns
	if row.Origin == nil { // emptied: it has no digest, and its retention is over
		want.Duplicate, want.Expires = "", time.Time{}
	}
	if wrong := differing(want, row.Columns); len(wrong) > 0 {
		return "its " + strings.Join(wrong, ", ") + " is filed other than it says"
	}
	if altered {
		if row.Followed {
			return "a newer version replaced it, and it was put back to be current outside of satchel"
		}
		return "it was put back to what it said earlier, or the row around it was changed, outside of satchel"
	}
	return ""
}

// differing names the columns that differ from the record.
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

// sameMicro compares instants at the resolution of columns.
func sameMicro(a, b time.Time) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() == b.IsZero()
	}
	far := a.Year() < -100_000 || a.Year() > 100_000 // columns keep the most distant year they can
	return far || a.UnixMicro() == b.UnixMicro()
}

// stateFindings describes the checkpoints of an owner that were changed outside of
// satchel or whose seals do not open. It returns none if the owner's key is not held
// here.
func (s *Service) stateFindings(r store.Reader, owner memory.DID) (findings []string, err error) {
	key := s.kernel.Holder(owner)
	if key == nil {
		return nil, nil
	}
	err = vault.EachState(r.Agents(), "", func(id string) error {
		state, err := r.Agents().State(id)
		why := "it was changed outside of satchel"
		if err == nil {
			_, err = vault.OpenState(key, state)
			why = "its seal does not open"
		} else if !errors.Is(err, store.ErrAltered) {
			return err
		}
		if err != nil && len(findings) < findingsShown {
			findings = append(findings, fmt.Sprintf("checkpoint %s of an agent: %s; restore a backup, or remove it with satchel agent state remove", id, why))
		}
		return nil
	})
	if errors.Is(err, store.ErrAltered) { // the store itself reports impossible ids
		return findings, nil
	}
	return findings, err
}

// TryAudit checks a copy of the audit log whose entries alter has changed. It changes nothing.
func (s *Service) TryAudit(ctx context.Context, c memory.Caller, alter func(entries [][]byte) [][]byte) (audit.Report, error) {
	const op = "audit"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return audit.Report{}, err
	}
	var out audit.Report
	err := s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		altered, err := audit.Alter(r.Audit(), alter)
		if err == nil {
			out, err = audit.Verify(altered, c.Owner, nil)
		}
		return err
	})
	return out, s.kernel.Refusal(c, op, "", err)
}
