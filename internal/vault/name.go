package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// LeastName is the fewest characters of an ID by which a record can be named.
const LeastName = 4

// Find returns the ID of the record that a caller names: by its ID, with or without
// "urn:ump:", or by the beginning of one. Only records count that the caller may read,
// so that nobody learns of another. A whole ID means that record, even where others
// begin with it. A name that is the beginning of several IDs is refused as
// InvalidRecord, with a [memory.AmbiguousID] as the cause.
func (v *Vault) Find(ctx context.Context, c memory.Caller, name string) (memory.ID, error) {
	const op = "find"
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return "", err
	}
	name = strings.TrimPrefix(strings.TrimSpace(name), memory.IDPrefix)
	if name == "" {
		return "", Invalid(op, "/id", "UMP-3.4-5", "name a memory by its ID or the beginning of it")
	}
	var found []memory.Record
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		found, err = v.meant(r, c, memory.ID(memory.IDPrefix+name))
		return err
	})
	switch {
	case err != nil:
		return "", v.refusal(c, op, "", err)
	case len(found) == 1:
		return found[0].ID, nil
	case len(found) == 0:
		return "", &memory.Error{Kind: memory.NotFound, Op: op, Path: "/id", Message: fmt.Sprintf(`no memory has an ID that begins with "%s"`, codec.Excerpt(name))}
	}
	v.noteGiven(c, inquiry{way: op}, idsOf(found)...)
	return "", ambiguous(op, name, found)
}

// meant returns the records that id or the beginning of an ID may mean.
func (v *verifier) meant(r store.Reader, c memory.Caller, id memory.ID) ([]memory.Record, error) {
	_, _, rec, err := v.reached(r, c, id)
	if !isNotFound(err) {
		return []memory.Record{rec}, err
	}
	if name := id[len(memory.IDPrefix):]; len(name) < LeastName {
		return nil, Invalid("find", "/id", "UMP-3.4-5", fmt.Sprintf("%q is too short to mean one memory; give at least %d characters of its ID", name, LeastName))
	}
	g, err := v.gate(r, c)
	if err != nil {
		return nil, err
	}
	return v.beginning(r, g, id, memory.MostCandidates+1, nil)
}

func isNotFound(err error) bool {
	return errors.Is(err, store.ErrNotFound) || memory.KindOf(err) == memory.NotFound
}

// ambiguous refuses a name that may mean any of the records found.
func ambiguous(op, name string, found []memory.Record) error {
	cause := &memory.AmbiguousID{Name: name, Candidates: found[:min(len(found), memory.MostCandidates)], More: len(found) > memory.MostCandidates}
	return &memory.Error{Kind: memory.InvalidRecord, Op: op, Path: "/id", Rule: "UMP-3.4-5", Message: cause.Error(), Err: cause}
}

// beginning returns records that the caller may read and whose IDs begin with prefix,
// at most a number of them, in the order of their IDs. It leaves out the IDs in except.
func (v *verifier) beginning(r store.Reader, g Gate, prefix memory.ID, most int, except map[memory.ID]bool) ([]memory.Record, error) {
	for rows := most; ; rows *= 4 {
		found, err := r.Beginning(prefix, rows)
		if err != nil {
			return nil, err
		}
		all := len(found) < rows
		found = slices.DeleteFunc(found, func(row store.Row) bool { return except[row.ID] })
		seen, err := v.shown(g, found, anyStatus)
		if err != nil || len(seen) >= most || all {
			return seen[:min(len(seen), most)], err
		}
	}
}

// ShortIDs returns the short form of each ID, see [memory.ShortIDs], which begins the ID
// of no other record that the caller may read. The lengths tell nothing of records that
// the caller may not read.
func (v *Vault) ShortIDs(ctx context.Context, c memory.Caller, ids []memory.ID) (map[memory.ID]string, error) {
	const op = "shorten"
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return nil, err
	}
	short := map[memory.ID]string{}
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		g, err := v.gate(r, c)
		if err != nil {
			return err
		}
		var beside []memory.ID
		given, asked := map[memory.ID]bool{}, map[memory.ID]int{}
		var prefixes []memory.ID
		for _, id := range ids {
			given[id] = true
			prefixes = append(prefixes, leastShort(id))
		}
		slices.Sort(prefixes)
		crowded, err := r.Crowded(slices.Compact(prefixes))
		if err != nil {
			return err
		}
		for _, id := range ids {
			if !slices.Contains(crowded, leastShort(id)) {
				continue // as nearly always
			}
			near, err := v.neighbours(r, g, id, given, asked)
			if err != nil {
				return err
			}
			beside = append(beside, near...)
		}
		short = memory.ShortIDs(ids, beside...)
		return nil
	})
	return short, v.refusal(c, op, "", err)
}

// leastShort returns the shortest beginning that an ID has as its short form.
func leastShort(id memory.ID) memory.ID {
	return id[:min(len(id), len(memory.IDPrefix)+memory.LeastShortID)]
}

// mostNeighbours is how many records with the same beginning of an ID are told apart
// by one look into the store.
const mostNeighbours = 16

// neighbours returns the IDs that a short form of id must differ from, beside those given
// with it. asked says how many other records have a beginning that was looked up. Where
// many share a beginning, a longer one is looked up, and stands for them all.
func (v *verifier) neighbours(r store.Reader, g Gate, id memory.ID, given map[memory.ID]bool, asked map[memory.ID]int) ([]memory.ID, error) {
	var beside []memory.ID
	for length := len(memory.IDPrefix) + memory.LeastShortID; length <= len(id); length += 4 {
		prefix := id[:length]
		near, known := asked[prefix]
		if !known {
			rows, err := r.Beginning(prefix, 2)
			if err != nil || len(rows) < 2 {
				return beside, err // nobody but the record itself
			}
			seen, err := v.beginning(r, g, prefix, mostNeighbours+1, given)
			if err != nil {
				return nil, err
			}
			near, beside = len(seen), append(beside, idsOf(seen)...)
			asked[prefix] = near
		}
		if near <= mostNeighbours {
			return beside, nil
		}
		beside = append(beside, id[:min(length+3, len(id))]+"!") // no ID has this character
	}
	return beside, nil
}
