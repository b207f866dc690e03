package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

const (
	LeastPrefix = vault.LeastName       // the shortest prefix of an ID that is looked up
	wholeID     = 52                    // characters of an ID that satchel makes
	MostShown   = memory.MostCandidates // of the records that a prefix matches
)

// FindID finds a record by its ID, with or without "urn:ump:", or by a prefix of the ID.
// With the error about a damaged record it returns that record's ID, so that a command can
// erase the record.
func (o *Session) FindID(ctx context.Context, arg string) (memory.ID, error) {
	id, err := o.Find(ctx, o.Caller(), arg)
	rest := strings.TrimPrefix(strings.TrimSpace(arg), memory.IDPrefix)
	several, ambiguous := errors.AsType[*memory.AmbiguousID](err)
	switch {
	case ambiguous:
		return "", candidates(several)
	case memory.KindOf(err) == memory.InvalidRecord:
		e, _ := errors.AsType[*memory.Error](err) // KindOf found one
		return "", Usagef("%s", e.Message)
	case memory.KindOf(err) == memory.NotFound && len(rest) >= wholeID:
		id = memory.ID(memory.IDPrefix + rest)
		return "", &memory.Error{Kind: memory.NotFound, ID: id,
			Message: fmt.Sprintf("no such memory; it may have been erased: satchel audit show --id %s", Clean(string(id)))}
	}
	if err != nil {
		id = memory.ID(memory.IDPrefix + rest)
	}
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Kind == memory.NotFound {
		return id, &memory.Error{Kind: e.Kind, Op: e.Op, ID: e.ID,
			Message: fmt.Sprintf("%s; to find the id by words: satchel recall %q", e.Message, Clean(strings.TrimSpace(arg)))}
	}
	return id, err
}

// candidates lists the memories that a prefix matches.
func candidates(several *memory.AmbiguousID) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q is the beginning of several IDs; give more of the one you mean:", several.Name)
	for _, rec := range several.Candidates {
		fmt.Fprintf(&b, "\n  %s  %s", rec.ID, OneLine(rec.Body.Text, 50))
	}
	if several.More {
		b.WriteString("\n  …")
	}
	return &Failure{ExitFailed, errors.New(b.String())}
}

// SpellingSlips is how many letters of a word may be wrong.
func SpellingSlips(word string) int {
	switch n := len([]rune(word)); {
	case n < 3:
		return 0
	case n < 5:
		return 1
	}
	return 2
}

// ClosestName returns the name among names that differs from name only in case, hyphens,
// dots, spaces and underscores: people spell hosts and formats of the same program
// differently. A name without a match stays as it is.
func ClosestName(name string, names []string) string {
	for _, known := range names {
		if fold(known) == fold(name) {
			return known
		}
	}
	return name
}

// fold removes the differences that [ClosestName] ignores.
func fold(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(strings.ToLower(name))
}
