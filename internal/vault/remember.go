package vault

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Remember stores a draft, or returns the record that says the same already (UMP 3.3,
// decision UD-19).
func (v *Vault) Remember(ctx context.Context, c memory.Caller, d memory.Draft) (memory.RememberResult, error) {
	const op = "remember"
	if err := v.mayWrite(op, c); err != nil {
		return memory.RememberResult{}, err
	}
	now := Instant(v.now())
	d, warnings, err := withoutSecrets(c, d)
	if err != nil {
		return memory.RememberResult{}, v.refusal(c, op, d.Record.ID, err)
	}
	if d, err = v.inProject(ctx, c, d); err != nil {
		return memory.RememberResult{}, v.refusal(c, op, d.Record.ID, err)
	}
	d, names, err := v.offered(ctx, c, d)
	if err != nil {
		return memory.RememberResult{}, v.refusal(c, op, d.Record.ID, err)
	}
	if d, err = v.withoutHidden(ctx, c, d, names); err != nil {
		return memory.RememberResult{}, v.refusal(c, op, d.Record.ID, err)
	}
	was, err := v.beliefs.ReplacedCategory(ctx, c, d.Record)
	if err != nil {
		return memory.RememberResult{}, v.refusal(c, op, d.Record.ID, err)
	}
	p, err := v.prepare(op, c, d, was, now)
	if err == nil && d.Complete && c.Role == memory.Peer {
		err = Forbidden(op, broughtByOwner(v.holds(c.Owner)))
	}
	if err != nil {
		return memory.RememberResult{}, v.refusal(c, op, d.Record.ID, err)
	}
	p.gate = Gate{vault: v.verifier, Caller: c, Now: now, names: names}
	var done memory.RememberResult
	request := v.requestDigest(c.Owner, op, d.Key, p.said())
	err = v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		p.gate.rows = w
		if err := mayDerive(c, citations(p.Rec)); err != nil {
			return err
		}
		return once(w, d.Key, request, now, &done, func() error {
			done, err = v.admit(w, p, now)
			return err
		})
	})
	if err == nil {
		done.Warnings = warnings
	}
	return done, v.refusal(c, op, d.Record.ID, err)
}

// broughtByOwner says why a token's bearer may not import a signed record.
func broughtByOwner(held bool) string {
	if held {
		return "only the owner brings in records that are signed already: leave id and integrity out"
	}
	return "only the owner brings in records that are signed already: use a token that makes its bearer the owner"
}

// keyOf puts the idempotency keys of each token's bearer into a space of their own, so
// that nobody learns of requests under other tokens.
func keyOf(c memory.Caller, key string) string {
	if key == "" || !strings.HasPrefix(c.Session, TokenSession) {
		return key
	}
	return c.Session + "\x00" + key
}

// offered applies the limits of a token to its bearer's draft.
func (x *access) offered(ctx context.Context, c memory.Caller, d memory.Draft) (memory.Draft, ProjectNames, error) {
	d.Key = keyOf(c, d.Key)
	if c.Role != memory.Peer {
		return d, nil, nil
	}
	if !d.Complete {
		d.Record.ID = "" // peers must not learn whether an id is taken
	}
	var n ProjectNames
	err := x.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		n, err = projectNames(r)
		return err
	})
	if err != nil {
		return d, n, err
	}
	asked := d.Record.Scope
	asked.Visibility = "" // a statement may be for the owner alone
	within, err := n.narrowed("remember", c, asked)
	if err == nil && !d.Complete {
		within.Visibility = d.Record.Scope.Visibility
		d.Record.Scope = within
	}
	if err == nil && !n.covers(c.Grant, d.Record.Scope) {
		err = &memory.Error{Kind: memory.ForbiddenScope, Op: "remember", Path: "/scope", Rule: "UMP-5.2-1", Message: "the record goes beyond the token's scope"}
		if c.Grant != nil && len(c.Grant.Projects) > 0 {
			err = &memory.Error{Kind: memory.ForbiddenScope, Op: "remember", Path: "/scope/project", Rule: "UMP-5.2-1",
				Message: "the token is for some projects; send one of " + strings.Join(c.Grant.Projects, ", ")}
		}
	}
	return d, n, err
}

// withoutHidden removes from a peer's draft the superseded records that the peer cannot
// see, whether they exist or not. A peer can neither close such a record nor find out
// that it exists.
func (v *verifier) withoutHidden(ctx context.Context, c memory.Caller, d memory.Draft, n ProjectNames) (memory.Draft, error) {
	if c.Role != memory.Peer || len(d.Record.Supersedes) == 0 {
		return d, nil
	}
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		g := Gate{vault: v, Caller: c, Now: v.now(), rows: r, names: n}
		seen := make([]memory.ID, 0, len(d.Record.Supersedes))
		for _, id := range d.Record.Supersedes {
			row, err := r.Row(id)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			old, damage, err := v.read(r, row)
			if err != nil {
				return err
			}
			sees, err := g.Sees(old)
			if err != nil {
				return err
			}
			if damage == nil && sees && old.Scope.Visibility != memory.Public {
				seen = append(seen, id)
			}
		}
		d.Record.Supersedes = slices.Clip(seen)
		return nil
	})
	return d, err
}

// Prepared is a draft ready to store: complete, checked, signed and tokenised, so that
// little is left to do while others wait for the store.
type Prepared struct {
	Rec      memory.Record
	Indexed  store.Document
	digest   string        // of its content, see ump.DuplicateKey; empty: not known yet
	mergeKey string        // that, if it may merge; empty: never
	asked    memory.Record // as the author gave it: what merging must not lose
	Imp      int64         // the import that brings it; 0: none
	Restores bool          // the import restores records that were erased here
	denies   bool          // something of the owner was erased, see deny
	raised   bool          // to the later edition, by the hint of lastEdition
	narrowed bool          // the document marks it as shared, but the owner's signature is missing
	place    string        // where the import comes from, see ImportOptions
	gate     Gate          // of the caller; imports use the owner's
}

// said is the author's statement, for telling a retry from another request: the original
// draft, or its text if there is no draft.
func (p Prepared) said() []byte {
	if p.asked.Origin != nil {
		return p.asked.Origin
	}
	return []byte(ump.DuplicateKey(p.Rec))
}

// prepare checks, completes and signs a draft. was is the category of the record it
// replaces.
func (e *editor) prepare(op string, c memory.Caller, d memory.Draft, was engram.Category, now time.Time) (Prepared, error) {
	rec := d.Record
	if !d.Complete {
		rec = e.beliefs.ByChoice(Marked(fill(rec, c, now, op), c), c, was)
	}
	if err := Admissible(op, c, rec); err != nil {
		return Prepared{}, err
	}
	if err := Unexpired(op, rec, now); err != nil {
		return Prepared{}, err
	}
	if !d.Complete && !rec.Time.ValidTo.IsZero() && rec.Time.ValidTo.Before(rec.Time.From()) {
		return Prepared{}, Invalid(op, "/time/valid_from", "UMP-2-16", "the fact ended before it was learnt: say since when it was true")
	}
	return e.signed(rec, d, Document)
}

// Admissible refuses a record that breaks level 2, belongs to somebody else, says more
// than the caller may say, or has a contradictory policy.
func Admissible(op string, c memory.Caller, rec memory.Record) error {
	if err := ump.CheckLevel2(rec); err != nil {
		return err
	}
	switch {
	case rec.Scope.Owner != c.Owner:
		return another(op, rec.ID, "leave scope.owner out to use your own")
	case rec.Scope.Visibility.WiderThan(memory.Private) && c.Role != memory.Owner:
		return Forbidden(op, "only the owner may share or publish a record: leave scope.visibility out")
	}
	return coherent(op, rec)
}

func another(op string, id memory.ID, advice string) error {
	return &memory.Error{Kind: memory.ForbiddenScope, Op: op, ID: id, Path: "/scope/owner", Rule: "UMP-3.3-10",
		Message: "the record belongs to another owner; " + advice}
}

// signed verifies a complete draft, and authors any other with the owner's key. index
// makes the index entry of the result.
func (e *editor) signed(rec memory.Record, d memory.Draft, index func(memory.Record) store.Document) (Prepared, error) {
	if d.Complete {
		if err := ump.Verify(rec.Origin); err != nil {
			return Prepared{}, err
		}
		e.vouch(rec)
		return Prepared{Rec: rec, Indexed: index(rec), asked: d.Record, digest: ump.DuplicateKey(rec)}, nil
	}
	born, err := e.authored(rec)
	if err != nil {
		return Prepared{}, err
	}
	e.vouch(born)
	p := Prepared{Rec: born, Indexed: index(born), asked: d.Record, digest: ump.DuplicateKey(born),
		raised: born.Version == ump.LaterEdition && rec.Version != born.Version}
	if d.Record.ID == "" {
		p.mergeKey = p.digest
	}
	return p, nil
}

// authored creates a record, signed by its owner. Where all records are signed, it
// refuses one that only its owner can sign (decision UD-10).
func (e *editor) authored(rec memory.Record) (memory.Record, error) {
	key := e.holder(rec.Scope.Owner)
	if key == nil && e.accountOf(rec.Scope.Owner).signsAlone() {
		return memory.Record{}, unsignable(rec.ID)
	}
	edition, err := e.lastEdition(rec.Scope.Owner)
	if err != nil {
		return memory.Record{}, err
	}
	if edition == ump.LaterEdition {
		rec.Version = edition
	}
	return ump.Author(rec, key)
}

// authoredIn is authored within a transaction, which determines the edition.
func (e *editor) authoredIn(w store.Writer, rec memory.Record) (memory.Record, error) {
	if _, err := e.noteEdition(w); err != nil {
		return memory.Record{}, err
	}
	return e.authored(rec)
}

// admit stores p within a transaction, unless it is here already.
func (a *arbiter) admit(w store.Writer, p Prepared, now time.Time) (memory.RememberResult, error) {
	p, err := a.inEdition(w, p)
	if err != nil {
		return memory.RememberResult{}, err
	}
	judged, err := a.judge(w, p, now)
	if err != nil {
		return memory.RememberResult{}, err
	}
	if judged.Outcome == memory.Merged {
		return judged.remembered(), a.mergeNow(w, judged, now)
	}
	if err := p.replacesCurrent(w); err != nil {
		return memory.RememberResult{}, err
	}
	if _, err := a.insert(w, p, false); err != nil {
		return memory.RememberResult{}, err
	}
	if err := a.settleChain(w, p.Rec); err != nil {
		return memory.RememberResult{}, err
	}
	if err := BroughtIn(w, p.gate.Caller, p.Rec.ID); err != nil {
		return memory.RememberResult{}, err
	}
	_, err = w.Record(store.Change{At: now, Type: store.Created, ID: p.Rec.ID})
	return judged.remembered(), err
}

// insert writes a new row and returns its document number. A staged row is invisible,
// and its effects on others wait until it is published.
func (e *editor) insert(w store.Writer, p Prepared, staged bool) (int64, error) {
	id := p.Rec.ID
	p, err := e.inEdition(w, p)
	if err == nil && p.Rec.ID != id {
		err = errEdition
	}
	if err != nil {
		return 0, err
	}
	_, root, err := priorOf(p.Rec, func(id memory.ID) (store.Row, error) { return holder(w, id, p.Imp) })
	if err != nil {
		return 0, err
	}
	if p.digest == "" {
		p.digest = ump.DuplicateKey(p.Rec)
	}
	r := rowOf(p.Rec, root, p.digest)
	r.Columns.Import, r.Columns.Staged = p.Imp, staged
	number, err := w.Insert(r, p.Indexed, LinksOf(p.Rec))
	if errors.Is(err, store.ErrExists) {
		return 0, &memory.Error{Kind: memory.Internal, ID: p.Rec.ID,
			Message: "another import is bringing this record in, or was cut off within the last two minutes: try again after that"}
	}
	return number, err
}
