package replicate

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

const logSpace = vault.LogHeadSpace // a machine's id -> keptLog

var _ replica.LogChecker = (*Memory)(nil)

// logHead is the head of a machine's audit log. A machine may receive an old head late. At
// tells it from the head of a log that was cut.
type logHead struct {
	Head []byte    // see [audit.Head]
	At   time.Time // when the machine read the head, by its own clock
	// Ask holds sizes that the logs of other machines had. Each machine then sends the roots of
	// its log at those sizes. They reveal a log that was cut and grew again.
	Ask map[memory.DID][]int64
	// Roots holds the roots that other machines asked for, by size. A root is empty if the log
	// no longer has that size.
	Roots map[int64][]byte
}

// keptLog is the last head of a machine's audit log, and when this machine noticed that the log
// was cut.
type keptLog struct {
	Head    []byte
	At      time.Time
	Cut     time.Time // by this machine's clock; zero: never
	CutSaid time.Time // At of the head of the cut log
	Heads   []logRoot // earlier heads that the machine has not yet proved to continue; the last is that of Head
	Asked   []int64   // sizes that the machine asks for
}

// logRoot is the root that a log had at a size.
type logRoot struct {
	Size int64
	Root []byte
}

// mostHeads is the most Heads of a keptLog.
const mostHeads = 8

// follows returns the state of a machine's log after the machine has sent a head. The owner's
// signature of the head must be verified.
func (k keptLog) follows(said logHead, head audit.Head, self memory.DID, now time.Time) keptLog {
	if k.Asked = said.Ask[self]; len(k.Asked) > mostHeads {
		k.Asked = nil
	}
	next := keptLog{Head: said.Head, At: said.At, Cut: k.Cut, CutSaid: k.CutSaid, Asked: k.Asked}
	begun := next
	begun.Heads, begun.Cut, begun.CutSaid = []logRoot{{head.Size, head.Root[:]}}, now, said.At
	proven := false
	for i, h := range k.Heads {
		root, told := said.Roots[h.Size]
		if told && !bytes.Equal(root, h.Root) {
			return begun
		}
		if proven = proven || told; !told || i == len(k.Heads)-1 {
			next.Heads = append(next.Heads, h)
		}
	}
	k.Heads = next.Heads
	before, err := audit.ParseHead(k.Head)
	switch {
	case bytes.Equal(k.Head, said.Head) || !said.At.After(k.CutSaid) && !proven:
		return k
	case err == nil && head.Size <= before.Size && !said.At.After(k.At): // the head is older than the last one
		return k
	case err == nil && head.Size <= before.Size:
		return begun
	}
	if len(next.Heads) >= mostHeads { // the first and the last heads are the most useful
		next.Heads = slices.Delete(next.Heads, mostHeads/2, mostHeads/2+1)
	}
	next.Heads = append(next.Heads, logRoot{head.Size, head.Root[:]})
	return next
}

// LogHead returns the head of this machine's audit log, with the roots that machines ask each other
// for.
func (m *Memory) LogHead(ctx context.Context) (log []byte, err error) {
	err = m.kernel.Store().View(ctx, m.owner, func(r store.Reader) error {
		head, err := r.Audit().AuditHead()
		if err != nil || len(head) == 0 {
			return err
		}
		says := logHead{Head: head, At: m.kernel.Now().UTC(), Ask: map[memory.DID][]int64{}}
		var asked []int64
		err = eachLog(r, func(of memory.DID, k keptLog) error {
			for _, h := range k.Heads {
				says.Ask[of] = append(says.Ask[of], h.Size)
			}
			asked = append(asked, k.Asked...)
			return nil
		})
		if err == nil {
			if says.Roots, err = audit.RootsAt(r.Audit(), asked); errors.Is(err, audit.ErrDamaged) {
				err = nil // satchel audit verify reports it
			}
		}
		log = replica.Encode(says)
		return err
	})
	return log, m.refusal(err)
}

// eachLog calls do with the state of each other machine's log.
func eachLog(r store.Reader, do func(memory.DID, keptLog) error) error {
	return vault.EachBeside(r, store.AttachmentFilter{Space: logSpace}, func(a store.Attachment) error {
		k, err := replica.Decode[keptLog](a.Data)
		if err != nil {
			return err
		}
		return do(memory.DID(a.Key), k)
	})
}

// CheckLogHead compares the head of another machine's audit log with earlier ones, see
// [replica.LogChecker].
func (m *Memory) CheckLogHead(ctx context.Context, from memory.DID, log []byte) (cut bool, err error) {
	said, err := replica.Decode[logHead](log)
	if err != nil {
		return false, nil //nolint:nilerr // a malformed head proves nothing
	}
	head, err := audit.ParseHead(said.Head)
	if err != nil || head.Check(m.owner) != nil {
		return false, nil //nolint:nilerr // neither does one that the owner did not sign
	}
	next := func(r store.Reader) (now keptLog, changed bool, err error) {
		was, err := logIn(r, from)
		if err != nil {
			return was, false, err
		}
		now = was.follows(said, head, m.self, vault.Instant(m.kernel.Now()))
		return now, !bytes.Equal(replica.Encode(now), replica.Encode(was)), nil
	}
	changed := false
	err = m.kernel.Store().View(ctx, m.owner, func(r store.Reader) (err error) {
		_, changed, err = next(r)
		return err
	})
	if err != nil || !changed {
		return false, m.refusal(err)
	}
	err = m.kernel.Store().Update(ctx, m.owner, func(w store.Writer) error {
		was, err := logIn(w, from)
		if err != nil {
			return err
		}
		now, changed, err := next(w)
		if err != nil || !changed {
			return err
		}
		cut = !now.Cut.Equal(was.Cut)
		return store.PutAttachment(w, store.Attachment{Space: logSpace, Key: string(from), Data: replica.Encode(now)})
	})
	return cut, m.refusal(err)
}

// SendAgain lets Since leave out nothing that came from a remote until now.
func (m *Memory) SendAgain(ctx context.Context, remote string) error {
	return m.refusal(m.kernel.Store().Update(ctx, m.owner, func(w store.Writer) error {
		keys := []string{}
		err := vault.EachBeside(w, store.AttachmentFilter{Space: skipSpace}, func(a store.Attachment) error {
			if before(a.Key) == remote {
				keys = append(keys, a.Key)
			}
			return nil
		})
		for _, key := range keys {
			err = errors.Join(err, w.Detach(skipSpace, key))
		}
		return errors.Join(err, vault.NotFoundIsNone(w.Detach(stateSpace, lastSkip)))
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
		return eachLog(r, func(of memory.DID, k keptLog) error {
			if !k.Cut.IsZero() {
				cut[of] = k.Cut
			}
			return nil
		})
	})
	return cut, err
}
