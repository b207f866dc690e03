package vault

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// may refuses a caller who names no owner, or lacks the verb. The owner's side may do
// everything; a stranger may read.
func (x *access) may(op string, c memory.Caller, verb memory.Verb) error {
	return x.notRefused(op, c, allows(op, c, verb))
}

// notRefused notes a refusal in the log of the owner whose memory is meant.
func (x *access) notRefused(op string, c memory.Caller, err error) error {
	if c.Owner == "" {
		return err
	}
	return x.refusal(c, op, "", err)
}

// allows is may without a note of the refusal.
func allows(op string, c memory.Caller, verb memory.Verb) error {
	if c.Grant != nil && c.Grant.Runtime != nil {
		return &memory.Error{Kind: memory.ForbiddenScope, Op: op, Rule: "ENGRAM-3.9-AUTH-5",
			Message: "the token is for the context that an assistant starts from, at /v1/context, and for nothing else: ask the owner for one without --runtime"}
	}
	return allowsContext(op, c, verb)
}

// mayContext is may for the context that assistants start from (Engram 3.9), the only
// thing that a runtime's token opens.
func (x *access) mayContext(op string, c memory.Caller, verb memory.Verb) error {
	return x.notRefused(op, c, allowsContext(op, c, verb))
}

func allowsContext(op string, c memory.Caller, verb memory.Verb) error {
	switch {
	case c.Owner == "":
		return &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "say whose memory is meant"}
	case c.Speaks(), c.Role == memory.Stranger && verb == memory.ReadVerb:
		return nil
	case c.Role == memory.Stranger || c.Grant == nil && verb != memory.ReadVerb:
		return Forbidden(op, "only the owner, the owner's agents and whom they granted it may do this")
	case c.Grant == nil || c.Grant.Allows(verb):
		return nil
	}
	return &memory.Error{Kind: memory.ForbiddenScope, Op: op, Rule: "UMP-5.2-2",
		Message: "the token does not grant " + string(verb) + ": ask the owner for one that does"}
}

// mayWrite refuses callers who may not write, and every caller of a read-only vault.
func (x *access) mayWrite(op string, c memory.Caller) error {
	if x.readOnly {
		return ReadOnly(op)
	}
	return x.may(op, c, memory.WriteVerb)
}

// mayPropose is mayWrite for the corrections that assistants propose (Engram 3.9).
func (x *access) mayPropose(op string, c memory.Caller) error {
	if x.readOnly {
		return ReadOnly(op)
	}
	return x.mayContext(op, c, memory.WriteVerb)
}

// ReadOnly is the refusal of a write to a read-only vault.
func ReadOnly(op string) error {
	return &memory.Error{Kind: memory.Unsupported, Op: op, Rule: "UMP-3.1-7", Message: "this server is read-only"}
}

// mayOwn refuses everybody but the owner in person (UMP-5.2-7).
func (x *access) mayOwn(op string, c memory.Caller) error {
	if c.Role != memory.Owner {
		return x.refusal(c, op, "", Forbidden(op, "only the owner may do this: use the command line"))
	}
	return nil
}

// reaches refuses a caller who may not know of the record, or whose token is for another
// part of the memory. The answer does not reveal whether a hidden record exists
// (decision UD-25).
func (g Gate) reaches(rec memory.Record) error {
	if sees, err := g.Sees(rec); sees || err != nil {
		return err
	}
	if g.Caller.Role != memory.Peer || g.Caller.Grant == nil || rec.Scope.Owner != g.Caller.Owner {
		return store.ErrNotFound
	}
	unhidden, err := g.unhidden(rec)
	switch {
	case err != nil:
		return err
	case unhidden:
		return &memory.Error{Kind: memory.ForbiddenScope, ID: rec.ID, Rule: "UMP-5.2-1", Message: "the token is for another project or agent"}
	}
	return store.ErrNotFound
}

// narrowed applies a token's limits where a peer leaves the scope open, and refuses a
// scope beyond them. Where the token is for several projects, the project stays open: the
// gate decides about each record.
func (n ProjectNames) narrowed(op string, c memory.Caller, s memory.Scope) (memory.Scope, error) {
	if c.Role != memory.Peer || c.Grant == nil {
		return s, nil
	}
	if s.Owner == "" {
		s.Owner = c.Owner
	}
	if s.Project == "" {
		s.Project = c.Grant.Scope.Project
	}
	if s.Agent == "" {
		s.Agent = c.Grant.Scope.Agent
	}
	reach := c.Grant.Scope.Visibility
	if reach == "" {
		reach = memory.Shared
	}
	within := s
	if within.Project == "" && len(c.Grant.Projects) > 0 {
		within.Project = c.Grant.Projects[0]
	}
	if s.Owner != c.Owner || !n.covers(c.Grant, within) || s.Visibility != "" && reach.WiderThan(s.Visibility) {
		return s, &memory.Error{Kind: memory.ForbiddenScope, Op: op, Path: "/scope", Rule: "UMP-5.2-1",
			Message: "this goes beyond the token's scope: leave the scope out, or ask the owner for another token"}
	}
	return s, nil
}

// mayDerive refuses a peer who builds on other memories without the verb for it.
func mayDerive(c memory.Caller, cited []memory.ID) error {
	if c.Role != memory.Peer || len(cited) == 0 || c.Grant.Allows(memory.DeriveVerb) {
		return nil
	}
	return &memory.Error{Kind: memory.ForbiddenScope, Rule: "UMP-5.2-4",
		Message: "the token does not grant derive, and this builds on other memories"}
}

// added returns the elements of next that prior lacks.
func added(prior, next []memory.ID) []memory.ID {
	return slices.DeleteFunc(slices.Clone(next), func(id memory.ID) bool { return slices.Contains(prior, id) })
}

// citations returns the records that a record says it was made from or replaces.
func citations(rec memory.Record) []memory.ID {
	cited := slices.Clone(rec.Supersedes)
	for _, r := range rec.Relations {
		if (r.Type == "derived_from" || r.Type == "supersedes") && IsRecord(r.Target) {
			cited = append(cited, memory.ID(r.Target))
		}
	}
	if rec.Provenance != nil {
		for _, e := range rec.Provenance.Evidence {
			if IsRecord(e.Ref) {
				cited = append(cited, memory.ID(e.Ref))
			}
		}
	}
	return cited
}

// IsRecord reports whether the target of a relation is a record.
func IsRecord(target string) bool { return strings.HasPrefix(target, "urn:ump:") }

// Marked adds the token with which a record came to its provenance. It informs the owner
// and decides nothing.
func Marked(rec memory.Record, c memory.Caller) memory.Record {
	mark := memory.Evidence{Ref: c.Session}
	if c.Role != memory.Peer || c.Session == "" || rec.Provenance.Source != nil && rec.Provenance.Source.Ref == c.Session ||
		slices.ContainsFunc(rec.Provenance.Evidence, func(e memory.Evidence) bool { return e.Ref == c.Session }) {
		return rec
	}
	p := *rec.Provenance
	p.Evidence = append(slices.Clone(p.Evidence), mark)
	rec.Provenance = &p
	return rec
}

// reached returns a record that the caller may work on, its row and the gate it passed.
// For callers who do not act for the owner, only active records exist.
func (v *verifier) reached(r store.Reader, c memory.Caller, id memory.ID) (g Gate, row store.Row, rec memory.Record, err error) {
	if row, err = r.Row(id); err != nil {
		return g, row, rec, err
	}
	if g, err = v.gate(r, c); err != nil {
		return g, row, rec, err
	}
	if rec, err = g.record(row); err != nil {
		return g, row, rec, err
	}
	switch back, err := v.overtaken(r, row); {
	case err != nil:
		return g, row, rec, err
	case back && c.Speaks():
		return g, row, rec, Altered(row)
	case back:
		return g, row, rec, store.ErrNotFound
	}
	if err = g.reaches(rec); err == nil && !c.Speaks() && g.status(rec) != memory.Active {
		err = store.ErrNotFound
	}
	return g, row, rec, err
}
