package vault

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// OwnerInfo is an owner that the store knows.
type OwnerInfo struct {
	Owner   memory.DID
	Label   string      // the operator's name for the owner
	Added   time.Time   // when the operator let the owner in; zero: nobody did
	Held    bool        // the owner's key is kept here; false: the owner has it, or nobody
	Quota   store.Quota // how much the owner may keep
	Records int         // in any state, including those of running imports
	Bytes   int64       // of the records' content
	MovedTo memory.DID  // the owner that everything was copied to; see package rekey
	Moving  bool        // the move is not finished
	Store   string      // the store that the owner moved to; empty: this one
}

// Owners lists the owners with a label, or without one all that records were ever written
// for, in the order of arrival. Only the home owner in person may ask.
func (v *Vault) Owners(ctx context.Context, c memory.Caller, label string) ([]OwnerInfo, error) {
	const op = "owners"
	if err := v.mayOperate(op, c); err != nil {
		return nil, err
	}
	list := v.bare.Owners
	if label != "" {
		list = func(ctx context.Context) ([]memory.DID, error) { return v.bare.Labelled(ctx, label) }
	}
	owners, err := list(ctx)
	if err != nil {
		return nil, v.refusal(c, op, "", err)
	}
	out := make([]OwnerInfo, len(owners))
	for i, owner := range owners {
		if out[i], err = v.ownerInfo(ctx, owner); err != nil {
			return nil, v.refusal(c, op, "", err)
		}
	}
	return out, nil
}

// Owner describes one owner. Only the home owner in person may ask about others.
func (v *Vault) Owner(ctx context.Context, c memory.Caller, owner memory.DID) (OwnerInfo, error) {
	const op = "owners"
	may := v.mayOperate
	if owner == c.Owner {
		may = v.mayOwn
	}
	if err := may(op, c); err != nil {
		return OwnerInfo{}, err
	}
	info, err := v.ownerInfo(ctx, owner)
	return info, v.refusal(c, op, "", err)
}

func (k *keyring) ownerInfo(ctx context.Context, owner memory.DID) (info OwnerInfo, err error) {
	err = k.bare.View(ctx, owner, func(r store.Reader) error {
		records, bytes, err := r.Usage()
		if err != nil {
			return err
		}
		a, err := r.Account()
		if err != nil {
			return err
		}
		m, err := MoveOf(r)
		info = OwnerInfo{
			Owner: owner, Label: a.Label, Added: a.Added, Quota: a.Quota, Records: int(records), Bytes: bytes,
			Held: len(a.Key) > 0 || k.holder(owner) != nil, MovedTo: m.To, Moving: m.State == MoveBegun || m.State == MoveCopied,
		}
		if m.State == MoveElsewhere {
			info.MovedTo, info.Store = "", string(m.To)
		}
		return err
	})
	return info, err
}

// OperatorLabel identifies the owner of a database: the home owner's account has this
// label, and no other may.
const OperatorLabel = "operator"

// maxLabel is how many bytes a label may have.
const maxLabel = 100

// checkLabel refuses a label that does not name an owner clearly, on a screen and on
// a command line. None at all is fine.
func checkLabel(label string) error {
	const op = "owner"
	switch {
	case len(label) > maxLabel || !utf8.ValidString(label) || strings.ContainsFunc(label, unseen):
		return Invalid(op, "", "", fmt.Sprintf("a label is one line of at most %d bytes in UTF-8, without control or formatting characters", maxLabel))
	case strings.TrimSpace(label) != label:
		return Invalid(op, "", "", "a label does not begin or end with a space")
	case strings.HasPrefix(label, "-"):
		return Invalid(op, "", "", "a label does not begin with a hyphen: on a command line it would be taken for a flag")
	case strings.HasPrefix(strings.ToLower(label), "did:"):
		return Invalid(op, "", "", "a label is not a DID: it would be taken for that owner's")
	case strings.EqualFold(label, OperatorLabel):
		return Invalid(op, "", "", fmt.Sprintf("the label %q is the operator's own; choose another", OperatorLabel))
	}
	return nil
}

// unseen reports whether a character is invisible, or changes how others show.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// labelFree refuses a label that another owner has. An owner who changed keys no longer
// has it.
func (k *keyring) labelFree(ctx context.Context, owner memory.DID, label string) error {
	if label == "" {
		return nil
	}
	owners, err := k.bare.Labelled(ctx, label)
	if err != nil {
		return err
	}
	for _, other := range owners {
		if other == owner {
			continue
		}
		taken := false
		err := k.bare.View(ctx, other, func(r store.Reader) error {
			a, err := r.Account()
			if err != nil || a.Label != label {
				return err
			}
			m, err := MoveOf(r)
			taken = m.State != MoveDone
			return err
		})
		if err != nil {
			return err
		}
		if taken {
			return &memory.Error{Kind: memory.InvalidRecord, Op: "owner", Err: store.ErrExists,
				Message: "another owner has the label; choose another, satchel owner list shows them"}
		}
	}
	return nil
}

// keepLabel checks once more that an owner who was just added has the label alone, now
// that concurrent additions see it. If not, it removes the owner again, before anything
// is kept; a retry finds the label taken, or free.
func (j *journal) keepLabel(ctx context.Context, c memory.Caller, owner memory.DID, a store.Account) error {
	taken := j.labelFree(ctx, owner, a.Label)
	if taken == nil {
		return nil
	}
	err := j.operate(ctx, c, owner, audit.DropOwner, j.present(owner), func(w store.Writer) error {
		return w.SetAccount(store.Account{})
	})
	if err != nil {
		return err
	}
	return taken
}
