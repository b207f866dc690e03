package vault

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Metrics counts the memories of the home owner for the operator of the server: amounts,
// never content. It leaves out what it cannot count.
func (v *Vault) Metrics(ctx context.Context) map[string]float64 {
	out := map[string]float64{}
	if v.home == "" {
		return out
	}
	err := v.store.View(ctx, v.home, func(r store.Reader) error { return v.count(r, out) })
	if err != nil {
		_ = v.refusal(memory.Caller{}, "metrics", "", err) // which logs the cause; the metrics go without
	}
	return out
}

func (v *verifier) count(r store.Reader, out map[string]float64) error {
	for name, status := range map[string]memory.Status{
		"records_active": memory.Active, "records_candidate": memory.Candidate, "records_tombstoned": memory.Tombstoned,
	} {
		n, err := r.Count(store.Filter{Statuses: []memory.Status{status}})
		if err != nil {
			return err
		}
		out[name] = float64(n)
	}
	head, err := r.Head()
	if err != nil {
		return err
	}
	out["changes_head"] = float64(head)
	entries, _, err := r.Audit().AuditSize()
	if err != nil {
		return err
	}
	out["audit_entries"] = float64(entries)
	return v.countTokens(r, out)
}

func (v *verifier) countTokens(r store.Reader, out map[string]float64) error {
	out["tokens_in_force"] = 0
	grants, err := r.Grants()
	if err != nil {
		return err
	}
	now := v.now()
	for _, g := range grants {
		if g.Revoked.IsZero() && now.Before(g.Expires) {
			out["tokens_in_force"]++
		}
	}
	return nil
}

// Reached asks a store on several machines which of them do not answer: calls for owners whose
// rows lie there fail. It fails if the store answers for most owners no longer. several: it is
// such a store.
func (k *keyring) Reached(ctx context.Context) (away []string, several bool, err error) {
	s, several := k.bare.(interface {
		Reached(ctx context.Context) ([]string, error)
	})
	if several {
		away, err = s.Reached(ctx)
	}
	return away, several, err
}
