package vault

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// unforked refuses another successor for a record that was replaced already, and names
// the records that replaced it. A draft or a revision makes no fork: two current answers
// to one question help nobody. A fork that was imported or signed stays (decision
// UD-20).
//
// A record may be revised if its successors are all forgotten, or are not here. A peer
// that may read none of the successors is refused by what the record itself shows: the
// answer is the same whether there is a successor or not.
func (g Gate) unforked(verb, path string, rec memory.Record) error {
	last, err := g.lastVersions(rec.SupersededBy, map[memory.ID]bool{rec.ID: true})
	if err != nil {
		return err
	}
	cause := &memory.SupersededError{}
	var named []memory.Record
	for _, r := range last {
		knows, err := g.knows(r)
		if err != nil {
			return err
		}
		if knows {
			cause.Current, named = append(cause.Current, r.ID), append(named, r)
		}
	}
	refused := &memory.Error{Kind: memory.InvalidRecord, ID: rec.ID, Path: path, Rule: "UMP-3.5-10", Err: cause}
	switch {
	case len(named) > 0:
		refused.Message, cause.Holds, err = g.replacedBy(verb, rec, named)
		if err != nil {
			return err
		}
		return refused
	case g.Caller.Speaks() || rec.Time.ValidTo.IsZero():
		return nil
	}
	refused.Message, refused.Err = fmt.Sprintf("%s has an end, and only the owner may %s it; remember what holds now as a memory of its own", rec.ID, verb), nil
	return refused
}

// knows reports whether the caller may know that a record is there.
func (g Gate) knows(rec memory.Record) (bool, error) {
	sees, err := g.Sees(rec)
	return sees && (g.Caller.Speaks() || g.status(rec) == memory.Active), err
}

// WithoutHiddenVersions returns a record without the successors that the caller may not
// know of, signed again.
func (g Gate) WithoutHiddenVersions(rec memory.Record) (memory.Record, error) {
	if g.Caller.Speaks() || len(rec.SupersededBy) == 0 {
		return rec, nil
	}
	var shown []memory.ID
	for _, id := range rec.SupersededBy {
		row, err := g.rows.Row(id)
		if errors.Is(err, store.ErrNotFound) || err == nil && row.Columns.Staged {
			continue
		}
		if err != nil {
			return rec, err
		}
		next, damage, err := g.vault.read(g.rows, row)
		if err != nil {
			return rec, err
		}
		if damage != nil {
			continue
		}
		knows, err := g.knows(next)
		if err != nil {
			return rec, err
		}
		if knows {
			shown = append(shown, id)
		}
	}
	if len(shown) == len(rec.SupersededBy) {
		return rec, nil
	}
	rec.SupersededBy = shown
	return ump.Present(rec, g.key(rec))
}

// replacedBy says which records replaced rec, and what to do instead. Where they hold
// only later, it also returns the version that holds until then.
func (g Gate) replacedBy(verb string, rec memory.Record, last []memory.Record) (said string, until memory.ID, err error) {
	switch {
	case len(last) > 1:
		ids := make([]string, len(last))
		for i, r := range last {
			ids[i] = string(r.ID)
		}
		return fmt.Sprintf("%s was replaced by several versions, %s: %s the version that you mean", rec.ID, strings.Join(ids, " and "), verb), "", nil
	case last[0].Time.From().After(g.Now):
		next := last[0]
		holds, err := g.inForce(rec, next)
		return fmt.Sprintf("%s holds until %s, and %s replaces it then: %s that, or forget it first", holds.ID,
			next.Time.From().UTC().Format(time.RFC3339), next.ID, verb), holds.ID, err
	}
	return fmt.Sprintf("%s replaced %s; %s the new one", last[0].ID, rec.ID, verb), "", nil
}

// inForce returns the version between rec and its last version that holds now, or
// rec. Versions that name each other end the search.
func (g Gate) inForce(rec, last memory.Record) (memory.Record, error) {
	seen := map[memory.ID]bool{rec.ID: true, last.ID: true}
	for at := last; len(at.Supersedes) > 0 && len(seen) < ChainLimit; {
		id := at.Supersedes[0]
		if seen[id] {
			break
		}
		seen[id] = true
		row, err := g.rows.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return rec, err
		}
		before, damage, err := g.vault.read(g.rows, row)
		if err != nil {
			return rec, err
		}
		if damage != nil {
			break
		}
		sees, err := g.Sees(before)
		if err != nil || sees && before.Time.ValidAt(g.Now) {
			return before, err
		}
		at = before
	}
	return rec, nil
}

// errManyVersions refuses what would follow more versions than can be looked at.
var errManyVersions = &memory.Error{Kind: memory.Internal, Message: fmt.Sprintf("it has more than %d versions", ChainLimit)}

// lastVersions returns the records that the ids lead to by superseded_by and that
// no other record replaced. It leaves out what was forgotten, is damaged or is not
// here.
func (g Gate) lastVersions(ids []memory.ID, seen map[memory.ID]bool) (last []memory.Record, err error) {
	for _, id := range ids {
		if seen[id] {
			continue
		}
		if len(seen) > ChainLimit {
			return nil, errManyVersions
		}
		seen[id] = true
		row, err := g.rows.Row(id)
		if errors.Is(err, store.ErrNotFound) || err == nil && row.Columns.Staged {
			continue
		}
		if err != nil {
			return nil, err
		}
		rec, damage, err := g.vault.read(g.rows, row)
		if err != nil {
			return nil, err
		}
		if damage != nil {
			continue
		}
		after, err := g.lastVersions(rec.SupersededBy, seen)
		if err != nil {
			return nil, err
		}
		if len(after) == 0 && g.status(rec) != memory.Tombstoned {
			after = []memory.Record{rec}
		}
		last = append(last, after...)
	}
	return last, nil
}

// replacesCurrent refuses a draft that supersedes a record which was replaced
// already. What is signed is stored as it is.
func (p Prepared) replacesCurrent(r store.Reader) error {
	if p.asked.Integrity != nil {
		return nil
	}
	for _, id := range p.Rec.Supersedes {
		row, err := r.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		prior, damage, err := p.gate.vault.read(r, row)
		if err != nil {
			return err
		}
		if damage != nil {
			continue
		}
		if err := p.gate.unforked("supersede", "/supersedes", prior); err != nil {
			return err
		}
	}
	return nil
}
