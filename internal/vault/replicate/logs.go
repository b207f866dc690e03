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

// logHead is the head of a machine's audit log. A machine may receive an old head late. At
// tells it from the head of a log that was cut.
type logHead struct {
	Head []byte    // see [audit.Head]
	At   time.Time // when the machine read the head, by its own clock
}

// keptLog is the last head of a machine's audit log, and when this machine noticed that the log
// was cut.
type keptLog struct {
	logHead
	Cut     time.Time // by this machine's clock; zero: never
	CutSaid time.Time // At of the head of the cut log
}

// LogHead returns the head of this machine's audit log, see [replica.LogChecker].
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

// CheckLogHead compares the head of another machine's audit log with the last one, see
// [replica.LogChecker].
func (m *Memory) CheckLogHead(ctx context.Context, from memory.DID, log []byte) error {
	said, err := replica.Decode[logHead](log)
	if err != nil {
		return nil //nolint:nilerr // a malformed head proves nothing
	}
	head, err := audit.ParseHead(said.Head)
	if err != nil || head.Check(m.owner) != nil {
		return nil //nolint:nilerr // neither does one that the owner did not sign
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
				return nil // the head is older than the last one
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

// LogsCut returns the machines of an owner whose audit logs lacked entries that they had, with the
// last time at which this machine noticed it.
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
