package vault

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ledger returns the audit log of an owner. Without the owner's key its head stays
// behind, and its entries have no marks, unless the home owner's key marks for an owner
// with an account.
func (j *journal) ledger(owner memory.DID) audit.Log {
	key := j.holder(owner)
	if r := j.accountOf(owner); r != nil {
		return audit.Log{Owner: owner, Secret: r.marks, Key: key}
	}
	if key == nil {
		return audit.Log{Owner: owner}
	}
	secret, ok := j.secrets.Load(owner)
	if !ok {
		secret = audit.Secret(*key)
		j.secrets.Store(owner, secret)
	}
	return audit.Log{Owner: owner, Secret: secret.([]byte), Key: key}
}

// note appends to the audit log of the caller's owner, within the transaction of the
// act. A damaged log does not stop the owner: doctor and audit verify report it.
func (j *journal) note(w store.Writer, c memory.Caller, e audit.Entry, ids ...memory.ID) error {
	err := j.noteSurely(w, c, e, ids...)
	if errors.Is(err, audit.ErrDamaged) && c.Speaks() {
		j.log.Error("vault", "op", "audit", "err", err)
		return nil
	}
	return err
}

// NoteSurely is [Kernel.Note] for what must not happen unless the log says so: it fails with
// [audit.ErrDamaged] if the log is damaged.
func NoteSurely(k Kernel, w store.Writer, c memory.Caller, e audit.Entry, ids ...memory.ID) error {
	return k.noteSurely(w, c, e, ids...)
}

// noteSurely is note, and fails if the log is damaged.
func (j *journal) noteSurely(w store.Writer, c memory.Caller, e audit.Entry, ids ...memory.ID) error {
	l := j.ledger(c.Owner)
	e.At, e.Who, e.Via, e.Count = Instant(j.now()), cmp.Or(e.Who, who(c)), j.via, max(e.Count, len(ids))
	for _, id := range ids {
		if mark := l.Mark(string(id)); mark != "" {
			e.Records = append(e.Records, mark)
		}
	}
	return l.Append(w.AuditKeeper(), e)
}

func who(c memory.Caller) string {
	switch {
	case c.Grant != nil:
		return audit.Token(c.Grant.ID)
	case strings.HasPrefix(c.Session, TokenSession):
		return audit.Token(strings.TrimPrefix(c.Session, TokenSession))
	case c.Role == memory.Owner:
		return audit.Owner
	case c.Role == memory.Agent:
		return audit.Agent(c.Agent)
	}
	return audit.Anonymous
}

// TokenSession is the prefix of the session of a token's bearer.
const TokenSession = "token:"

// noteRead counts records given to a caller outside the owner's side. All reads by a
// token's bearer within a few seconds share one entry. For strangers, who get public
// records, only the number is noted.
func (j *journal) noteRead(c memory.Caller, op string, ids ...memory.ID) {
	if c.Speaks() || len(ids) == 0 {
		return
	}
	e := audit.Entry{Act: audit.Read, Reason: op, Count: len(ids)}
	if c.Role == memory.Stranger {
		ids = nil
	}
	j.tally.add(c, e, ids...)
}

// Refused logs that a caller was turned away before reaching the vault. Refusals are
// counted, and written once a second at most.
func (v *Vault) Refused(_ context.Context, kind memory.ErrorKind, op string) {
	if v.home != "" {
		v.tally.add(memory.Caller{Owner: v.home}, audit.Entry{Act: audit.Refuse, Reason: string(kind), Result: op})
	}
}

// refused counts a refusal for the audit log.
func (j *journal) refused(c memory.Caller, op string, kind memory.ErrorKind) {
	switch kind {
	case memory.Unauthorized, memory.ForbiddenScope, memory.SignatureInvalid, memory.ConsentViolation:
		j.tally.add(c, audit.Entry{Act: audit.Refuse, Reason: string(kind), Result: op})
	}
}

// noteLater counts an entry that a later write adds to the audit log.
func (j *journal) noteLater(c memory.Caller, e audit.Entry) { j.tally.add(c, e) }

// damaged reports a record that differs from the stored one.
func (j *journal) damaged(owner memory.DID, id memory.ID, err error) {
	j.log.Error("vault", "op", "read", "id", id, "err", err)
	j.tally.add(memory.Caller{Owner: owner, Role: memory.Owner}, audit.Entry{Act: audit.Damage, Reason: string(memory.KindOf(err))})
}

// tallied is the key under which events are counted together.
type tallied struct {
	owner   memory.DID
	who     string
	act     audit.Act
	why, op string
}

// counted is how often an event happened, and to which records.
type counted struct {
	n     int
	marks map[string]bool
}

// tally counts frequent events, because a line for each would let anybody fill the disk.
// It writes the counts some seconds after the first.
type tally struct {
	journal *journal

	mu    sync.Mutex
	seen  map[tallied]*counted
	timer *time.Timer

	writing sync.Mutex // held while counts are written, so that Flush waits for them
}

const (
	tallyFor = 5 * time.Second
	maxTally = 256 // kinds told apart until they are written
	maxMarks = 100 // records named in one count
)

func (t *tally) add(c memory.Caller, e audit.Entry, ids ...memory.ID) {
	if c.Owner == "" || t.journal.holder(c.Owner) == nil && t.journal.accountOf(c.Owner) == nil {
		return // an unsigned log proves nothing
	}
	l := t.journal.ledger(c.Owner)
	key := tallied{c.Owner, who(c), e.Act, e.Reason, e.Result}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen == nil {
		t.seen = map[tallied]*counted{}
	}
	if _, ok := t.seen[key]; !ok && len(t.seen) >= maxTally {
		key = tallied{c.Owner, audit.Anonymous, e.Act, "", ""}
	}
	found := t.seen[key]
	if found == nil {
		found = &counted{marks: map[string]bool{}}
		t.seen[key] = found
	}
	found.n += max(e.Count, 1)
	for _, id := range ids {
		if mark := l.Mark(string(id)); mark != "" && len(found.marks) < maxMarks {
			found.marks[mark] = true
		}
	}
	if t.timer == nil {
		t.timer = time.AfterFunc(tallyFor, func() { t.write(context.Background()) })
	}
}

// write appends the counts to the logs of the owners concerned.
func (t *tally) write(ctx context.Context) {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	seen := t.seen
	t.seen, t.timer = nil, nil
	t.mu.Unlock()
	byOwner := map[memory.DID][]tallied{}
	for key := range seen {
		byOwner[key.owner] = append(byOwner[key.owner], key)
	}
	for owner, keys := range byOwner {
		slices.SortFunc(keys, func(a, b tallied) int {
			return cmp.Or(strings.Compare(a.who, b.who), strings.Compare(string(a.act), string(b.act)), strings.Compare(a.why, b.why), strings.Compare(a.op, b.op))
		})
		entries := make([]audit.Entry, len(keys))
		for i, key := range keys {
			entries[i] = audit.Entry{At: Instant(t.journal.now()), Via: t.journal.via, Act: key.act, Who: key.who, Reason: key.why, Result: key.op,
				Count: seen[key].n, Records: slices.Sorted(maps.Keys(seen[key].marks))}
		}
		err := t.journal.store.Update(ctx, owner, func(w store.Writer) error {
			return t.journal.ledger(owner).Append(w.AuditKeeper(), entries...)
		})
		if err != nil {
			t.journal.log.Error("vault", "op", "audit", "err", err)
		}
	}
}

// Flush writes the pending entries of the audit log, and the pending readings. Call it
// before closing the store.
func (j *journal) Flush(ctx context.Context) {
	j.readings.flush(ctx)
	j.tally.mu.Lock()
	if j.tally.timer != nil {
		j.tally.timer.Stop()
	}
	j.tally.mu.Unlock()
	j.tally.write(ctx)
}

// Audit returns at most max entries of the audit log, from number from on.
func (v *Vault) Audit(ctx context.Context, c memory.Caller, from int64, max int) ([]audit.Entry, error) {
	const op = "audit"
	if err := v.mayOwn(op, c); err != nil {
		return nil, err
	}
	var out []audit.Entry
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		out, err = audit.Entries(r.Audit(), from, max)
		return err
	})
	return out, v.refusal(c, op, "", err)
}

// VerifyAudit checks the whole audit log against its signed head, and against a
// head that was kept elsewhere, if there is one.
func (v *Vault) VerifyAudit(ctx context.Context, c memory.Caller, anchor *audit.Head) (audit.Report, error) {
	const op = "audit"
	if err := v.mayOwn(op, c); err != nil {
		return audit.Report{}, err
	}
	var out audit.Report
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		out, err = v.verifyAudit(r, c.Owner, anchor)
		return err
	})
	return out, v.refusal(c, op, "", err)
}

// verifyAudit checks the audit log of an owner. That of another than the home owner
// need have no head where the key is not here: nobody could sign one.
func (j *journal) verifyAudit(r store.Reader, owner memory.DID, anchor *audit.Head) (audit.Report, error) {
	out, err := audit.Verify(r.Audit(), owner, anchor)
	if owner != j.home && !j.holds(owner) {
		out.Findings = slices.DeleteFunc(out.Findings, func(f audit.Finding) bool { return f.Kind == audit.Headless })
	}
	return out, err
}

// AuditHead returns the signed head of the audit log; its Size is 0 when there
// is none yet.
func (v *Vault) AuditHead(ctx context.Context, c memory.Caller) (audit.Head, error) {
	const op = "audit"
	if err := v.mayOwn(op, c); err != nil {
		return audit.Head{}, err
	}
	var out audit.Head
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		text, err := r.Audit().AuditHead()
		if err != nil || len(text) == 0 {
			return err
		}
		out, err = audit.ParseHead(text)
		return err
	})
	return out, v.refusal(c, op, "", err)
}

// AuditMark returns what stands for a record in the audit log; "" when the key
// that makes it is not held.
func (v *Vault) AuditMark(c memory.Caller, id string) string { return v.ledger(c.Owner).Mark(id) }
