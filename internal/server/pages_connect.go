package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// Connector connects programs of this machine to the server's store, as the command connect
// does. Its errors of kind InvalidRecord are for people.
type Connector interface {
	// Preview returns the changes of files that connecting a program, or with remove
	// disconnecting it, would make. It changes nothing.
	Preview(ctx context.Context, name string, remove bool) ([]pages.FileChange, error)
	// Connect connects a program, or with remove disconnects it. It makes only the previewed
	// changes: it leaves a file alone that differs by now, and fails with kind InvalidRecord.
	Connect(ctx context.Context, name string, remove bool, previewed []pages.FileChange) error
	// Try starts satchel as the program would, and returns what satchel answers, in words for
	// the owner.
	Try(ctx context.Context, name string) (says string, err error)
}

// connectPages is the service behind the pages that connect assistants.
type connectPages struct {
	operator  memory.DID // whose machine this is
	connector Connector  // nil: nothing is connected here
}

// MayConnect reports whether this is the machine of the caller.
func (p connectPages) MayConnect(c memory.Caller) bool {
	return p.connector != nil && p.operator != "" && c.Owner == p.operator && c.Role == memory.Owner
}

func (p connectPages) may(c memory.Caller) error {
	if p.MayConnect(c) {
		return nil
	}
	return &memory.Error{Kind: memory.NotFound, Op: "connect"}
}

// PreviewConnection returns the changes of files, as a page may show them, and a digest of
// the changes as state.
func (p connectPages) PreviewConnection(ctx context.Context, c memory.Caller, name string, remove bool) (all []pages.FileChange, state string, err error) {
	if err := p.may(c); err != nil {
		return nil, "", err
	}
	changes, err := p.connector.Preview(ctx, name, remove)
	for _, f := range changes {
		all = append(all, shownChange(f))
	}
	return all, stateOf(changes), err
}

// stateOf returns a digest of changes.
func stateOf(changes []pages.FileChange) string {
	sum := sha256.New()
	for _, f := range changes {
		for _, part := range []string{f.File, f.Before, f.After} {
			fmt.Fprintf(sum, "%d:%s", len(part), part) //nolint:errcheck // a hash takes everything
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// ChangeConnection connects or disconnects an assistant if the changes are still those that
// PreviewConnection returned.
func (p connectPages) ChangeConnection(ctx context.Context, c memory.Caller, name string, remove bool, state string) error {
	if err := p.may(c); err != nil {
		return err
	}
	changes, err := p.connector.Preview(ctx, name, remove)
	switch {
	case err != nil:
		return err
	case stateOf(changes) != state:
		return &memory.Error{Kind: memory.InvalidRecord, Op: "connect", Message: "a file was changed since the page showed what would become of it; nothing was written: load the page again"}
	}
	return p.connector.Connect(ctx, name, remove, changes)
}

// TryConnection says what satchel answers an assistant.
func (p connectPages) TryConnection(ctx context.Context, c memory.Caller, name string) (string, error) {
	if err := p.may(c); err != nil {
		return "", err
	}
	return p.connector.Try(ctx, name)
}
