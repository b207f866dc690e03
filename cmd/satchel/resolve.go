package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// leastPrefix is the shortest beginning of an ID that is looked for.
const leastPrefix = 4

// resolve finds the record meant by an ID, with or without "urn:ump:", or by
// the beginning of one.
func (o *opened) resolve(ctx context.Context, arg string) (memory.ID, error) {
	rest := strings.TrimPrefix(strings.TrimSpace(arg), "urn:ump:")
	if rest == "" {
		return "", usagef("name a memory by its ID or the beginning of it")
	}
	id := memory.ID("urn:ump:" + rest)
	_, err := o.Get(ctx, o.owner(), id, memory.CurrentView)
	if err == nil || memory.KindOf(err) != memory.NotFound {
		return id, err
	}
	if len(rest) < leastPrefix {
		return "", usagef("%q is too short to mean one memory; give at least %d characters of its ID", arg, leastPrefix)
	}
	found, err := o.beginning(ctx, id)
	switch {
	case err != nil:
		return "", err
	case len(found) == 1:
		return found[0].ID, nil
	case len(found) == 0:
		return "", &memory.Error{Kind: memory.NotFound, Message: fmt.Sprintf("no memory has an ID that begins with %q", rest)}
	}
	return "", ambiguous(rest, found)
}

// beginning finds the records whose IDs begin like id, in whatever state.
func (o *opened) beginning(ctx context.Context, id memory.ID) ([]memory.Record, error) {
	q := vault.ListQuery{Statuses: []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}, Limit: 1000}
	var found []memory.Record
	for {
		page, err := o.List(ctx, o.owner(), q)
		if err != nil {
			return nil, err
		}
		for _, rec := range page.Records {
			if strings.HasPrefix(string(rec.ID), string(id)) {
				found = append(found, rec)
			}
		}
		if page.Next == "" {
			return found, nil
		}
		q.After = page.Next
	}
}

// ambiguous lists what a beginning might mean.
func ambiguous(prefix string, found []memory.Record) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q is the beginning of %d IDs; give more of the one you mean:", prefix, len(found))
	for i, rec := range found {
		if i == 10 {
			b.WriteString("\n  …")
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", rec.ID, oneLine(rec.Body.Text, 50))
	}
	return &failure{exitFailed, errors.New(b.String())}
}
