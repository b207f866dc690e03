package notestore

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Failures of a write.
var (
	// ErrDeclined: the owner rejected a note that says the same.
	ErrDeclined = errors.New("the owner rejected this before")
	// ErrFull: the agent has as many notes as it may have.
	ErrFull = errors.New("the agent has as many notes as it may have")
)

// mostNotes is how many notes of an agent last, and how many a run may have beside them.
const mostNotes = 1000

// Draft is a note to write.
type Draft struct {
	Note
	// Record is the record that proposes the note to the owner; nil: the note is no record. The
	// service makes it a candidate, with the caller's owner. A sealed note has no record: the
	// service leaves Record out.
	Record *memory.Record
	// Seed: the text is part of a definition. It is written once under its name, and never
	// where there is a note (AAIF-4.5-15).
	Seed bool
	// Once makes a repeated write harmless: the second one of the same Once changes nothing.
	// Empty: no such guarantee.
	Once string
}

// may refuses all callers except the owner in person, as package runstore does.
func (s *Service) may(op string, c memory.Caller, writes bool) error {
	if c.Owner == "" {
		return &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "say whose agents are meant"}
	}
	if writes && s.kernel.ReadOnly() {
		return vault.ReadOnly(op)
	}
	return s.kernel.MayOwn(op, c)
}

// List returns the notes of an agent that last, and those of one of its runs if run is not
// empty, oldest first. It leaves out what has expired, and what the owner rejected or erased.
func (s *Service) List(ctx context.Context, c memory.Caller, agent, run string) (all []Note, err error) {
	const op = "notes list"
	if err := s.may(op, c, false); err != nil {
		return nil, err
	}
	now := vault.Instant(s.kernel.Now())
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		all, err = s.matching(r, spacesOf(agent, run), now, func(n Note) bool { return n.alive && n.Agent == agent })
		return err
	})
	slices.SortStableFunc(all, func(a, b Note) int { return a.At.Compare(b.At) })
	return all, s.kernel.Refusal(c, op, "", err)
}

// spacesOf returns the space of an agent, and the space of a run unless run is empty.
func spacesOf(agent, run string) []string {
	spaces := []string{vault.AgentNoteSpace + agent}
	if run != "" {
		spaces = append(spaces, vault.RunNoteSpace+run)
	}
	return spaces
}

// matching returns the notes of some spaces that match, dead ones included.
func (s *Service) matching(r store.Reader, spaces []string, now time.Time, match func(Note) bool) (found []Note, err error) {
	for _, space := range spaces {
		err := vault.EachBeside(r, store.AttachmentFilter{Space: space}, func(a store.Attachment) error {
			n, err := s.note(r, a, now)
			if err == nil && n.id != "" && match(n) {
				found = append(found, n)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Write writes a note instead of the one of the same name, and returns what stands under the
// name. It fails with cause [ErrDeclined] or [ErrFull]. A seed that was written before returns the
// note of its name, or the zero Note.
func (s *Service) Write(ctx context.Context, c memory.Caller, d Draft) (written Note, err error) {
	const op = "notes write"
	if err := s.may(op, c, true); err != nil {
		return Note{}, err
	}
	now := vault.Instant(s.kernel.Now())
	var p vault.Prepared
	if d.Record != nil && !d.Sealed {
		if p, err = s.prepared(c, *d.Record, now); err != nil {
			return Note{}, s.kernel.Refusal(c, op, "", err)
		}
	}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) (err error) {
		written, err = s.write(w, c, d, p, now)
		return err
	})
	if errors.Is(err, ErrDeclined) || errors.Is(err, ErrFull) {
		return written, &memory.Error{Kind: memory.InvalidRecord, Op: op, Err: err, Message: err.Error()}
	}
	return written, s.kernel.Refusal(c, op, "", err)
}

// prepared completes and signs a record.
func (s *Service) prepared(c memory.Caller, rec memory.Record, now time.Time) (vault.Prepared, error) {
	rec.Version, rec.ID, rec.Lifecycle.Status = ump.Edition, "", memory.Candidate
	rec.Scope.Owner, rec.Scope.Visibility = c.Owner, memory.Private
	rec.Time.Created = now
	for _, at := range []*time.Time{&rec.Time.Observed, &rec.Time.ValidFrom} {
		if at.IsZero() || at.After(now) {
			*at = now
		}
	}
	if err := vault.Admissible("notes write", c, rec); err != nil {
		return vault.Prepared{}, err
	}
	return s.kernel.Signed(rec, memory.Draft{Record: rec}, vault.Document)
}

// receiptsKept is how long Draft.Once is remembered.
const receiptsKept = 24 * time.Hour

// write is Write in its transaction.
func (s *Service) write(w store.Writer, c memory.Caller, d Draft, p vault.Prepared, now time.Time) (Note, error) {
	held, all, err := s.held(w, d.Name, now)
	if err != nil {
		return Note{}, err
	}
	if d.Seed {
		if done, err := s.seeded(w, d, held.id != ""); done || err != nil {
			return held, err
		}
	}
	if d.Once != "" {
		receipt, err := w.Receipt(receiptSpace + d.Once)
		switch {
		case err == nil && now.Sub(receipt.At) < receiptsKept:
			if !held.alive {
				return Note{Name: d.Name}, nil // somebody removed it since
			}
			return held, nil
		case err != nil && !errors.Is(err, store.ErrNotFound):
			return Note{}, err
		}
		// The receipt names no record, so that it outlives the note.
		if err := w.SetReceipt(store.Receipt{Key: receiptSpace + d.Once, Answer: []byte("null"), At: now}, receiptsKept); err != nil {
			return Note{}, err
		}
	}
	if held.alive && held.Text == d.Text && held.Ends.IsZero() && d.Ends.IsZero() && held.Sealed == d.Sealed {
		return held, nil
	}
	if all >= mostNotes && held.id == "" {
		return Note{}, ErrFull
	}
	if p.Rec.ID != "" {
		if d.Note.Record, err = s.propose(w, c, p, now); err != nil {
			return Note{}, err
		}
	}
	if held.Record != "" && held.Record == d.Note.Record {
		held.Record = "" // it stays, under the new note
	}
	if err := s.drop(w, held, now); err != nil {
		return Note{}, err
	}
	d.Note.id, d.Note.At = rand.Text(), now
	a, err := s.attachment(c.Owner, d.Note)
	if err == nil {
		_, err = store.Attach(w, a)
	}
	return d.Note, err
}

// receiptSpace begins the idempotency keys of notes.
const receiptSpace = "aaif note "

// held returns the note that has a name, and how many notes its space has.
func (s *Service) held(r store.Reader, name Name, now time.Time) (held Note, all int, err error) {
	_, err = s.matching(r, []string{name.space()}, now, func(n Note) bool {
		if all++; n.Name == name {
			held = n
		}
		return false
	})
	return held, all, err
}

// seeded reports whether a seed is not to be written, and remembers that it was.
func (s *Service) seeded(w store.Writer, d Draft, held bool) (bool, error) {
	_, err := store.Attach(w, store.Attachment{Space: d.space(), Key: d.seedKey(), Data: []byte("{}")})
	if errors.Is(err, store.ErrExists) {
		return true, nil
	}
	return held, err
}

// propose stores a record that waits for the owner, unless the owner rejected what it says, or
// the same one of the same agent is there.
func (s *Service) propose(w store.Writer, c memory.Caller, p vault.Prepared, now time.Time) (memory.ID, error) {
	same, err := w.Duplicates(ump.DuplicateKey(p.Rec), 0)
	if err != nil {
		return "", err
	}
	alive := slices.DeleteFunc(slices.Clone(same), func(r store.Row) bool { return r.Columns.Status == memory.Tombstoned })
	if len(same) > 0 && len(alive) == 0 {
		return "", ErrDeclined
	}
	for _, r := range alive {
		if !p.Rec.Time.ValidTo.IsZero() {
			break // its time begins anew
		}
		if rec, err := vault.Decoded(r); err == nil && rec.Time.ValidTo.IsZero() && rec.Provenance != nil && rec.Provenance.Actor == p.Rec.Provenance.Actor {
			return rec.ID, nil
		}
	}
	if _, err := s.kernel.Insert(w, p, false); err != nil {
		return "", err
	}
	if _, err := w.Record(store.Change{At: now, Type: store.Created, ID: p.Rec.ID}); err != nil {
		return "", err
	}
	return p.Rec.ID, s.kernel.Note(w, c, audit.Entry{Act: audit.Propose, Format: "aaif"}, p.Rec.ID)
}

// drop removes a note, and its record if that waits for the owner. A record that the owner
// confirmed or rejected stays as it is.
func (s *Service) drop(w store.Writer, n Note, now time.Time) error {
	switch {
	case n.id == "":
		return nil
	case n.Record != "" && n.row.Columns.Status == memory.Candidate:
		if err := vault.Withdraw(s.kernel, w, n.row, now); err != nil {
			return err
		}
	}
	return vault.NotFoundIsNone(w.Detach(n.space(), n.id))
}

// Drop removes the notes of an agent that match, and returns how many: notes that last, and those
// of a run if run is not empty. It also erases them from the journals of the runs that wrote them,
// except notes that the owner confirmed. pending: the files still hold removed content.
func (s *Service) Drop(ctx context.Context, c memory.Caller, agent, run string, match func(Note) bool) (n int, pending bool, err error) {
	const op = "notes remove"
	if err := s.may(op, c, true); err != nil {
		return 0, false, err
	}
	now := vault.Instant(s.kernel.Now())
	err = s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		gone, err := s.matching(w, spacesOf(agent, run), now, func(n Note) bool { return n.Agent == agent && match(n) })
		if err != nil {
			return err
		}
		n = len(gone)
		for _, one := range gone {
			if !one.Confirmed {
				if err := vault.EraseFromRun(w, s.kernel.Holder(c.Owner), one.By, one.Text); err != nil {
					return err
				}
			}
			if err := s.drop(w, one, now); err != nil {
				return err
			}
		}
		if n == 0 {
			return nil
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Remove, Format: "aaif", Agent: s.kernel.Ledger(c.Owner).Mark(agent), Count: n})
	})
	if err != nil || n == 0 {
		return 0, false, s.kernel.Refusal(c, op, "", err)
	}
	cleared, err := s.kernel.Cleared(ctx)
	return n, err == nil && !cleared, s.kernel.Refusal(c, op, "", err)
}

// SealAll seals the notes of an agent that are not sealed yet: its definition asks for that now. A
// note that waits for the owner is no record afterwards. A note that the owner confirmed stays one.
func (s *Service) SealAll(ctx context.Context, c memory.Caller, agent string) error {
	const op = "notes seal"
	if err := s.may(op, c, true); err != nil {
		return err
	}
	all, err := s.List(ctx, c, agent, "")
	open := func(n Note) bool { return !n.Sealed && !n.Confirmed }
	if err != nil || !slices.ContainsFunc(all, open) {
		return err
	}
	now := vault.Instant(s.kernel.Now())
	err = s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		todo, err := s.matching(w, spacesOf(agent, ""), now, func(n Note) bool { return n.alive && open(n) })
		for _, n := range todo {
			if err == nil {
				err = s.drop(w, n, now)
			}
			n.Record, n.Sealed = "", true
			var a store.Attachment
			if err == nil {
				a, err = s.attachment(c.Owner, n)
			}
			if err == nil {
				_, err = store.Attach(w, a)
			}
		}
		return err
	})
	s.kernel.ClearSealed(ctx)
	return s.kernel.Refusal(c, op, "", err)
}

// Sweep removes the expired notes of all agents of an owner. Reads leave them out from the moment
// that they expire.
func (s *Service) Sweep(ctx context.Context, c memory.Caller) (swept int, err error) {
	const op = "notes sweep"
	if err := s.may(op, c, true); err != nil {
		return 0, err
	}
	now := vault.Instant(s.kernel.Now())
	var gone []Note
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		spaces, err := r.Spaces()
		if err != nil {
			return err
		}
		spaces = slices.DeleteFunc(spaces, func(space string) bool { return !strings.HasPrefix(space, vault.NoteSpace) })
		gone, err = s.matching(r, spaces, now, func(n Note) bool { return n.expired(now) })
		return err
	})
	if err != nil || len(gone) == 0 {
		return 0, s.kernel.Refusal(c, op, "", err)
	}
	err = s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		for _, n := range gone {
			a, err := w.Attached(n.space(), n.id, 0)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err == nil {
				if n, err = s.note(w, a, now); err == nil {
					err = s.drop(w, n, now)
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return len(gone), s.kernel.Refusal(c, op, "", err)
}
