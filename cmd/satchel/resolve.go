package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

const (
	leastPrefix = vault.LeastName       // the shortest beginning of an ID that is looked for
	wholeID     = 52                    // characters of an ID that satchel gave
	mostShown   = memory.MostCandidates // of the records that a beginning might mean
)

// resolve finds the record meant by an ID, with or without "urn:ump:", or by
// the beginning of one. With the error about a damaged record it returns that record's
// ID, so that the record can be erased.
func (o *opened) resolve(ctx context.Context, arg string) (memory.ID, error) {
	id, err := o.Find(ctx, o.owner(), arg)
	rest := strings.TrimPrefix(strings.TrimSpace(arg), memory.IDPrefix)
	several, ambiguous := errors.AsType[*memory.AmbiguousID](err)
	switch {
	case ambiguous:
		return "", candidates(several)
	case memory.KindOf(err) == memory.InvalidRecord:
		e, _ := errors.AsType[*memory.Error](err) // KindOf found one
		return "", usagef("%s", e.Message)
	case memory.KindOf(err) == memory.NotFound && len(rest) >= wholeID:
		id = memory.ID(memory.IDPrefix + rest)
		return "", &memory.Error{Kind: memory.NotFound, ID: id,
			Message: fmt.Sprintf("no such memory; it may have been erased: satchel audit show --id %s", clean(string(id)))}
	}
	if err != nil {
		id = memory.ID(memory.IDPrefix + rest)
	}
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Kind == memory.NotFound {
		return id, &memory.Error{Kind: e.Kind, Op: e.Op, ID: e.ID,
			Message: fmt.Sprintf("%s; to find the id by words: satchel recall %q", e.Message, clean(strings.TrimSpace(arg)))}
	}
	return id, err
}

// candidates lists the memories that a beginning might mean.
func candidates(several *memory.AmbiguousID) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q is the beginning of several IDs; give more of the one you mean:", several.Name)
	for _, rec := range several.Candidates {
		fmt.Fprintf(&b, "\n  %s  %s", rec.ID, oneLine(rec.Body.Text, 50))
	}
	if several.More {
		b.WriteString("\n  …")
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
