package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// backgroundJob is work that the engine does without a request. It writes only by
// [keyring.unasked], so that nothing protected changes silently (AIMEM 5.1, decision
// AD-27).
type backgroundJob struct {
	Name string
	May  string // what it does, in words
	Work store.Work
	// Expires allows the job to empty a record whose own retention has ended, which the
	// owner set on that very record.
	Expires bool
	// Staged allows the job to remove unpublished leftovers of an import.
	Staged bool
	// Indexes allows the job to index any record anew. That changes nothing that the record
	// says, and it stays found.
	Indexes bool
}

// The background jobs.
var (
	sweeping   = backgroundJob{Name: "sweep", Work: store.Sweep, May: "empties records whose own retention has ended", Expires: true}
	tidying    = backgroundJob{Name: "tidy", Work: store.Tidy, May: "removes what imports left that were cut off before anything of them was published", Staged: true}
	reindexing = backgroundJob{Name: "reindex", Work: store.Index, May: "indexes anew the words of records that an older release indexed", Indexes: true}
	pruning    = backgroundJob{Name: "prune", Work: store.Prune, May: "drops what the journal says of readings long ago"}
)

// backgroundJobs lists the jobs of the engine. Beside these the engine writes the audit
// log, and cleans pages of the store's files that hold no record any more.
func backgroundJobs() []backgroundJob { return []backgroundJob{sweeping, tidying, reindexing, pruning} }

// errProtected is the cause of a refusal because a job tried to change a protected
// record.
var errProtected = errors.New("no background job may change this record")

// unasked is Update for a job.
func (k *keyring) unasked(ctx context.Context, j backgroundJob, owner memory.DID, fn func(store.Writer) error) error {
	return k.lessen(ctx, owner, func(w store.Writer) error {
		return fn(&jobWriter{Writer: w, job: j, now: Instant(k.now())})
	})
}

// protected is [aimem.Protected], with a shortcut for most unprotected records.
func protected(rec memory.Record) bool {
	plain := rec.Kind != memory.Identity && rec.Kind != memory.Procedural && !codec.Mentions(rec, "memory_type") && !codec.Mentions(rec, aimem.Name)
	return !plain && aimem.Protected(rec)
}

// jobWriter is a writer that keeps protected records unchanged: their content, validity,
// status and ranking, and that they exist. An unreadable record may be protected.
type jobWriter struct {
	store.Writer
	job backgroundJob
	now time.Time
}

func (c *jobWriter) refuse(id memory.ID) error {
	return &memory.Error{Kind: memory.Internal, Op: c.job.Name, ID: id, Err: errProtected}
}

// spare fails when a row is protected from the job.
func (c *jobWriter) spare(r store.Row) error {
	if r.Columns.Staged && c.job.Staged {
		return nil
	}
	rec, err := Decoded(r)
	if err != nil || protected(rec) {
		return c.refuse(r.ID)
	}
	return nil
}

// expired reports whether a row may be emptied because the owner set a retention on that
// very record.
func (c *jobWriter) expired(r store.Row) bool {
	rec, err := Decoded(r)
	if err != nil || !c.job.Expires {
		return false
	}
	at, limited := ump.Expiry(rec)
	return limited && !c.now.Before(at)
}

// Insert adds a row that is only proposed.
func (c *jobWriter) Insert(r store.Row, d store.Document, l store.Links) (int64, error) {
	if r.Columns.Status != memory.Candidate {
		return 0, c.refuse(r.ID)
	}
	return c.Writer.Insert(r, d, l)
}

// Replace changes an unprotected row, or empties one whose retention is over.
func (c *jobWriter) Replace(r store.Row, l store.Links) error {
	was, err := c.Holder(r.ID)
	if err != nil {
		return err
	}
	if emptied := len(r.Origin) == 0 && r.Columns.Status == memory.Tombstoned; !emptied || !c.expired(was) {
		if err := c.spare(was); err != nil {
			return err
		}
	}
	return c.Writer.Replace(r, l)
}

// Reindex changes the index of a row that is unprotected or was emptied.
func (c *jobWriter) Reindex(number int64, d store.Document) error {
	if c.job.Indexes && len(d.Terms) > 0 {
		return c.Writer.Reindex(number, d)
	}
	if err := c.spareNumbered(number, len(d.Terms) == 0); err != nil {
		return err
	}
	return c.Writer.Reindex(number, d)
}

// spareNumbered is spare for a document number. An emptied row needs no protection.
func (c *jobWriter) spareNumbered(number int64, forgets bool) error {
	rows, err := c.Numbered([]int64{number})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if forgets && len(r.Origin) == 0 && r.Columns.Status == memory.Tombstoned {
			continue
		}
		if err := c.spare(r); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes an unprotected row.
func (c *jobWriter) Delete(id memory.ID) error {
	r, err := c.Holder(id)
	if err != nil {
		return err
	}
	if err := c.spare(r); err != nil {
		return err
	}
	return c.Writer.Delete(id)
}

// SetLesson changes the ranking of an unprotected row.
func (c *jobWriter) SetLesson(number int64, l store.Lesson) error {
	if err := c.spareNumbered(number, false); err != nil {
		return err
	}
	return c.Writer.SetLesson(number, l)
}

// SetAlias fails: a job must not change the outside names of records.
func (c *jobWriter) SetAlias(_, _ string, id memory.ID) error { return c.refuse(id) }

// Publish fails: only a request makes records visible.
func (c *jobWriter) Publish(int64) (int, error) { return 0, c.refuse("") }

// EraseOwner fails: only the owner erases everything.
func (c *jobWriter) EraseOwner() error { return c.refuse("") }

// AttachAll fails, except for the tombstones of emptied records and for how far records are
// indexed: somebody stated every other attachment.
func (c *jobWriter) AttachAll(list []store.Attachment) ([]int64, error) {
	for _, a := range list {
		switch {
		case a.Space == GoneSpace && c.job.Expires, a.Space == IndexedSpace && c.job.Indexes:
		default:
			return nil, c.refuse("")
		}
	}
	return c.Writer.AttachAll(list)
}

// Detach removes the attachments of a row that is unprotected or was emptied, and
// entities without a row.
func (c *jobWriter) Detach(space, key string) error {
	a, err := c.Attached(space, key, 0)
	if err != nil {
		return err
	}
	if a.From == "" && !c.job.Expires {
		return c.refuse("")
	}
	if a.From != "" {
		r, err := c.Holder(a.From)
		if err != nil {
			return err
		}
		if err := c.spareNumbered(r.Number, true); err != nil {
			return err
		}
	}
	return c.Writer.Detach(space, key)
}

// DetachImport removes the attachments of an import that was never published.
func (c *jobWriter) DetachImport(imp int64, max int) (int, error) {
	i, err := c.Import(imp)
	if err != nil {
		return 0, err
	}
	if !c.job.Staged || i.State != store.Staging {
		return 0, c.refuse("")
	}
	return c.Writer.DetachImport(imp, max)
}
