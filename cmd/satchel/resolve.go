package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

const (
	leastPrefix = 4  // the shortest beginning of an ID that is looked for
	wholeID     = 52 // characters of an ID that satchel gave
	mostShown   = 10 // of the records that a beginning might mean
)

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
	found, err := o.Beginning(ctx, o.owner(), id, mostShown+1)
	switch {
	case err != nil:
		return "", err
	case len(found) == 1:
		return found[0].ID, nil
	case len(found) == 0 && len(rest) >= wholeID:
		return "", &memory.Error{Kind: memory.NotFound, ID: id,
			Message: fmt.Sprintf("no such memory; it may have been erased: satchel audit show --id %s", clean(string(id)))}
	case len(found) == 0:
		return "", &memory.Error{Kind: memory.NotFound, Message: fmt.Sprintf("no memory has an ID that begins with %q", rest)}
	}
	return "", ambiguous(rest, found)
}

// ambiguous lists what a beginning might mean.
func ambiguous(prefix string, found []memory.Record) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q is the beginning of several IDs; give more of the one you mean:", prefix)
	for i, rec := range found {
		if i == mostShown {
			b.WriteString("\n  …")
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", rec.ID, oneLine(rec.Body.Text, 50))
	}
	return &failure{exitFailed, errors.New(b.String())}
}

// newest returns the latest version of a memory that is still remembered: id
// itself where there is no later one.
func (o *opened) newest(ctx context.Context, id memory.ID) (memory.ID, error) {
	versions, err := o.History(ctx, o.owner(), id)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(versions, func(rec memory.Record) bool { return rec.ID == id })
	for _, rec := range slices.Backward(versions[at+1:]) {
		if len(rec.SupersededBy) == 0 && rec.Lifecycle.Status.Or() == memory.Active {
			return rec.ID, nil
		}
	}
	return id, nil
}
