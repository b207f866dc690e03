package vault

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

var _ ump.Rehydrator = (*Vault)(nil)

// frameBudget is how many tokens a frame has unless another number is asked for.
const frameBudget = 2000

// Rehydrate recalls records and frames them for a model (UMP 5.3).
func (v *Vault) Rehydrate(ctx context.Context, c memory.Caller, q memory.Query) (memory.Frame, error) {
	budget := q.Budget
	q.Budget = 0 // the frame counts what it adds
	found, err := v.recall(ctx, c, q)
	if err != nil {
		return memory.Frame{}, err
	}
	records := make([]memory.Record, len(found.hits))
	for i, h := range found.hits {
		records[i] = h.Record
	}
	if q.Scope.Owner == "" {
		q.Scope.Owner = c.Owner
	}
	framed, err := v.framed(q.Scope.Owner, records, budget, q.Filter.ValidAt)
	framed.Dropped = append(framed.Dropped, found.unsound...)
	framed.Warnings = found.warnings()
	return framed, v.refusal(c, "recall", "", err)
}

// framed puts records that passed the gate into a frame, as valid at an instant; zero:
// now.
func (v *verifier) framed(owner memory.DID, records []memory.Record, budget int, asOf time.Time) (memory.Frame, error) {
	if budget <= 0 {
		budget = frameBudget
	}
	if asOf.IsZero() {
		asOf = v.now()
	}
	return ump.Frame(records, ump.FrameOptions{
		Owner: owner, Nonce: nonce(), Budget: budget, Tokens: recall.Tokens, Now: asOf,
		RequireSigned: v.allSigned && v.holder(owner) != nil, Verified: v.attested, Public: true, Shared: true,
	})
}

// attested returns nil only for a record known to be signed by its owner.
func (v *verifier) attested(rec memory.Record) error {
	if v.verified.has(ump.Fingerprint(rec.Form())) {
		return nil
	}
	return ump.Verify(rec.Form())
}

// nonce returns 128 random bits in base32.
func nonce() string { return strings.ToLower(rand.Text()) }
