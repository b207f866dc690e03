package replicate

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

const logSpace = "replica.log" // a machine's id -> keptLog

var _ replica.LogChecker = (*Memory)(nil)

// logHead is the head of a machine's audit log. At tells a head that was on its way for long
// from one that an older copy of the log has: it is the machine's clock when it said so.
type logHead struct {
	Head []byte // see [audit.Head]
	At   time.Time
}

// keptLog is the last head that was heard of a machine, and the last time that a head did not
// follow the one before.
type keptLog struct {
	logHead
	Cut     time.Time // by this machine's clock; zero: never
	CutSaid time.Time // by the other machine's
}

// Log returns the head of this machine's audit log.
func (m *Memory) LogHead(ctx context.Context) (log []byte, err error) {
	err = m.kernel.Store().View(ctx, m.owner, func(r store.Reader) error {
		head, err := r.Audit().AuditHead()
		if err == nil && len(head) > 0 {
			log = replica.Encode(logHead{head, m.kernel.Now().UTC()})
		}
		return err
	})
	return log, m.refusal(err)
}

// Heard compares the head of another machine's log with the one that was heard before.
func (m *Memory) CheckLogHead(ctx context.Context, from memory.DID, log []byte) error {
	said, err := replica.Decode[logHead](log)
	if err != nil {
		return nil //nolint:nilerr // a log proves nothing by a head that is malformed
	}
	head, err := audit.ParseHead(said.Head)
	if err != nil || head.Check(m.owner) != nil {
		return nil //nolint:nilerr // nor by one that the owner did not sign
	}
	same := func(r store.Reader) (was keptLog, same bool, err error) {
		if was, err = logIn(r, from); err != nil {
			return was, false, err
		}
		return was, string(was.Head) == string(said.Head) || !said.At.After(was.CutSaid), nil
	}
	known := false
	err = m.kernel.Store().View(ctx, m.owner, func(r store.Reader) (err error) {
		_, known, err = same(r)
		return err
	})
	if err != nil || known {
		return m.refusal(err)
	}
	return m.refusal(m.kernel.Store().Update(ctx, m.owner, func(w store.Writer) error {
		was, known, err := same(w)
		if err != nil || known {
			return err
		}
		now := keptLog{logHead: said, Cut: was.Cut, CutSaid: was.CutSaid}
		if before, err := audit.ParseHead(was.Head); err == nil && head.Size <= before.Size {
			if !said.At.After(was.At) {
				return nil // it was on its way for long
			}
			now.Cut, now.CutSaid = vault.Instant(m.kernel.Now()), said.At
		}
		return store.PutAttachment(w, store.Attachment{Space: logSpace, Key: string(from), Data: replica.Encode(now)})
	}))
}

func logIn(r store.Reader, machine memory.DID) (keptLog, error) {
	a, err := r.Attached(logSpace, string(machine), 0)
	if errors.Is(err, store.ErrNotFound) {
		return keptLog{}, nil
	}
	if err != nil {
		return keptLog{}, err
	}
	return replica.Decode[keptLog](a.Data)
}

// LogsCut returns, of an owner's machines, when this one last noticed that the audit log of
// another did not hold any more what it had held.
func LogsCut(ctx context.Context, v *vault.Vault, owner memory.DID) (map[memory.DID]time.Time, error) {
	cut := map[memory.DID]time.Time{}
	err := vault.KernelOf(v).Store().View(ctx, owner, func(r store.Reader) error {
		return vault.EachBeside(r, store.AttachmentFilter{Space: logSpace}, func(a store.Attachment) error {
			k, err := replica.Decode[keptLog](a.Data)
			if err == nil && !k.Cut.IsZero() {
				cut[memory.DID(a.Key)] = k.Cut
			}
			return err
		})
	})
	return cut, err
}
