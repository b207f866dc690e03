package vault

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Recall returns the records that answer a question, best first (UMP 3.2). It filters
// out what the caller may not have before it ranks anything.
func (v *Vault) Recall(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, error) {
	found, err := v.recall(ctx, c, q)
	return found.hits, err
}

// RecallNoting is Recall, and also returns what the answer lacks, in words for the owner's
// side.
func (v *Vault) RecallNoting(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	found, err := v.recall(ctx, c, q)
	return found.hits, found.warnings(), err
}

// recalled is what a search found.
type recalled struct {
	hits    []memory.Hit
	unsound []memory.DroppedRecord // answers left out because somebody tampered with them
	notice  string                 // what the search lacked; empty: nothing
}

func (r recalled) warnings() []memory.Warning {
	if r.notice == "" {
		return nil
	}
	return []memory.Warning{{Path: "/query", Message: r.notice}}
}

// recall is Recall, and says more about the answer.
func (v *Vault) recall(ctx context.Context, c memory.Caller, q memory.Query) (recalled, error) {
	const op = "recall"
	own := q.Scope.Owner != "" // which leaves out what other owners shared (decision UD-16)
	c, q, err := v.asked(op, c, q)
	if err != nil {
		return recalled{}, err
	}
	found, err := v.look(ctx, op, c, q, own)
	if err == nil {
		v.noteGiven(c, inquiry{op, q.Scope.Project, q.Text}, answered(found.hits)...)
	}
	return found, v.refusal(c, op, "", err)
}

// look is recall of a question that is allowed. It notes nothing.
func (v *Vault) look(ctx context.Context, op string, c memory.Caller, q memory.Query, own bool) (found recalled, err error) {
	meaning, asked := v.askMeaning(ctx, c, q), v.recalls.asked()
	err = v.store.View(ctx, c.Owner, func(r store.Reader) error {
		names, err := projectNames(r)
		if err != nil {
			return err
		}
		if q.Scope, err = names.narrowed(op, c, q.Scope); err != nil {
			return err
		}
		if q.Scope.Project, err = names.meant(r, op, c, q.Scope.Project); err != nil {
			return err
		}
		q.Scope.Project = names.canonical(q.Scope.Project)
		s := search{gate: Gate{vault: v.verifier, Caller: c, Now: v.now(), rows: r, names: names}, query: q, own: own, names: names, found: map[memory.ID]foundRow{}, meaning: meaning, asked: asked}
		found.hits, err = s.answer(ctx, r)
		if err = errors.Join(err, s.failed); err != nil {
			return err
		}
		found.unsound, found.notice = s.unsound, s.notice
		return s.emit(r, found.hits)
	})
	if !c.Speaks() {
		found.unsound, found.notice = nil, "" // their owner is not certain, and the rest concerns the owner's side
	}
	return found, err
}

func answered(hits []memory.Hit) []memory.ID {
	ids := make([]memory.ID, len(hits))
	for i, h := range hits {
		ids[i] = h.Record.ID
	}
	return ids
}

// sound verifies a record before it becomes an answer. A failing one takes nobody's
// place.
func (s *search) sound(rec memory.Record) (bool, error) {
	if s.gate.vault.unverified {
		return true, nil
	}
	found := s.found[rec.ID]
	var damage error
	if !found.verified {
		damage = s.gate.vault.sound(rec, s.gate.Caller.Owner)
	}
	if damage == nil {
		altered, err := s.gate.vault.alteredOf(s.gate.rows, []store.Row{found.Row})
		if err != nil {
			return false, err
		}
		if altered[found.Number] {
			damage = Altered(found.Row)
		}
	}
	if damage != nil {
		s.unsound = append(s.unsound, memory.DroppedRecord{ID: rec.ID, Reason: unsoundness(damage)})
		s.gate.vault.damaged(s.gate.Caller.Owner, rec.ID, damage)
	}
	return damage == nil, nil
}

// verifyAhead verifies the signatures of the records that nobody has verified before.
func (s *search) verifyAhead(records []memory.Record) {
	var unknown []memory.Record
	for _, rec := range records {
		if !s.found[rec.ID].verified {
			unknown = append(unknown, rec)
		}
	}
	s.gate.vault.verifyAhead(unknown)
}

// asked checks a question and who asks, and fills in what the question leaves open. A caller
// who asks for another owner's memory is a stranger there.
func (x *access) asked(op string, c memory.Caller, q memory.Query) (memory.Caller, memory.Query, error) {
	c, q, err := x.completed(op, c, q)
	if err == nil {
		err = x.may(op, c, memory.ReadVerb)
	}
	return c, q, err
}

// completed is asked without a look at who asks.
func (x *access) completed(op string, c memory.Caller, q memory.Query) (memory.Caller, memory.Query, error) {
	if strings.TrimSpace(q.Text) == "" {
		return c, q, Invalid(op, "/query", "UMP-3.2-2", "ask something: the query is empty")
	}
	if len(q.Also) > memory.MaxAlso {
		return c, q, Invalid(op, "/also/"+strconv.Itoa(memory.MaxAlso), "UMP-3.2-1",
			"ask in at most "+strconv.Itoa(memory.MaxAlso)+" other wordings")
	}
	for _, k := range q.Filter.Kinds {
		if !k.Valid() {
			return c, q, Invalid(op, "/filter/kind", "UMP-3.2-6",
				"a kind is semantic, episodic, procedural, working or identity")
		}
	}
	switch {
	case q.Limit < 0:
		return c, q, Invalid(op, "/limit", "UMP-3.2-10", "the limit must be a positive whole number")
	case q.Limit == 0:
		q.Limit = defaultRecall
	case q.Limit > MaxRecall:
		q.Limit = MaxRecall
	}
	if q.Scope.Owner != "" && q.Scope.Owner != c.Owner && c.Role != memory.Peer {
		c = memory.Caller{Owner: q.Scope.Owner}
	}
	if q.Filter.ValidAt.IsZero() {
		q.Filter.ValidAt = x.now()
	}
	if q.Scope.Owner == "" {
		q.Scope.Owner = c.Owner
	}
	return c, q, nil
}

// defaultRecall is the number of results unless the question asks for another.
const defaultRecall = 8

// search is one recall in progress.
type search struct {
	gate  Gate
	query memory.Query
	own   bool // only records of the owner asked for
	names ProjectNames
	found map[memory.ID]foundRow // rows of the candidates

	asked   int                    // see recallCache
	meaning MeaningSearch          // nil: by words alone
	notice  string                 // why it found nothing
	unsound []memory.DroppedRecord // that somebody tampered with
	failed  error                  // of the store, on a check of who may see a record
}

// unsoundness returns the reason to keep a record out of a frame, in the frame's words.
func unsoundness(err error) string {
	for cause, reason := range map[error]string{
		ump.ErrHash: "hash", ump.ErrSignature: "signature", ump.ErrSigner: "signer", ump.ErrUnsigned: "unsigned", ump.ErrUnresolvable: "unresolvable",
	} {
		if errors.Is(err, cause) {
			return reason
		}
	}
	return "altered"
}

// allows is the filter before ranking: owner, visibility, retention, status,
// kind, validity and the hard keys of scope (decision UD-16).
func (s *search) allows(rec memory.Record) bool {
	f, want := s.query.Filter, s.query.Scope
	if s.gate.isOver(&rec) { // expired words answer no question (UMP-2.7-7)
		return false
	}
	admitted, err := s.gate.admits(&rec, f.Statuses)
	if err != nil {
		s.failed = err
	}
	if !admitted || s.own && Foreign(rec, want.Owner) {
		return false
	}
	if s.hides() {
		rec = s.view(rec)
	}
	if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, rec.Kind) {
		return false
	}
	if s.gate.statusOf(&rec) != memory.Tombstoned && !rec.Time.ValidAt(f.ValidAt) {
		return false
	}
	if want.Visibility != "" && want.Visibility != rec.Scope.Visibility {
		return false
	}
	return compatible(want.User, rec.Scope.User) &&
		compatible(want.Project, s.names.canonical(rec.Scope.Project))
}

// hides reports whether the caller sees only parts of some records.
func (s *search) hides() bool { return !s.gate.Caller.Speaks() }

// view keeps words that are hidden from the caller out of the search: nobody finds a
// record by guessing redacted words (UMP-2.7-7).
func (s *search) view(rec memory.Record) memory.Record {
	if rec.Consent == nil || len(rec.Consent.Redact) == 0 {
		return rec
	}
	seen, err := ump.Redact(rec, nil)
	if err != nil {
		return memory.Record{} // withheld: empty for this caller
	}
	return seen
}

// compatible reports whether a record with the key have may answer a question with the
// key want: they conflict only when both are given and differ.
func compatible(want, have string) bool { return want == "" || have == "" || want == have }

// emit passes the hits through the gate, in their stored form.
func (s *search) emit(r store.Reader, hits []memory.Hit) error {
	for i := range hits {
		rec := hits[i].Record
		if s.names.renames(rec.Scope.Project) {
			row, err := r.Row(rec.ID)
			if err != nil {
				return err
			}
			if rec, err = Decoded(row); err != nil { // verified as a candidate
				return err
			}
		}
		out, err := s.gate.emit(rec, false)
		if err != nil {
			return err
		}
		hits[i].Record = out
	}
	return nil
}

// ProjectNames knows which project names stand for which others.
type ProjectNames map[string]string

func projectNames(r store.Reader) (ProjectNames, error) {
	aliases, err := r.ProjectAliases()
	return ProjectNames(aliases), err
}

// canonical returns the project that name stands for.
func (n ProjectNames) canonical(name string) string {
	if p, ok := n[name]; ok {
		return p
	}
	return name
}

// renames reports whether a record may have been shown to the ranking under this
// project name instead of its own.
func (n ProjectNames) renames(project string) bool {
	for _, p := range n {
		if p == project {
			return true
		}
	}
	return false
}
