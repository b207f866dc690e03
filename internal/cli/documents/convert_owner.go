package documents

import (
	"encoding/hex"
	"fmt"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/source"
	"github.com/satchel-memory/satchel/memory"
)

// portable is the foreign format whose documents name the owner of their memories.
const portable = "pam"

// convertOwner is the owner of converted records that name none.
type convertOwner struct {
	owner    memory.DID
	producer string     // the producer's name for documents
	given    bool       // the command line names it
	madeUp   bool       // nobody said whose the records are, and the target names an owner
	used     bool       // a record got the owner that is made up
	unheeded memory.DID // the owner of a record that names one, where the command line has another
}

// whose returns the owner of records that name none: the one of the command line or of the
// store. Without either, it makes one up if the target names an owner.
func (c *ConvertCmd) whose(a *cli.App, d *document, to codec.Format) (*convertOwner, error) {
	by := &convertOwner{given: a.Owner != ""}
	by.owner, by.producer = whose(a)
	switch {
	case by.owner != "" || d.isBundle() || d.isExport(): // they name a tenant or a subject
		return by, nil
	case !to.Whole && to.Name != portable:
		by.owner = inspected
		return by, nil
	}
	digest, err := source.Digest(d.Source)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.Source.Name, err)
	}
	by.owner, by.madeUp = madeUpOwner(digest), true
	return by, nil
}

// madeUpOwner returns an owner for a document that names none: a UUID of version 8 (RFC
// 9562), the same for the same document.
func madeUpOwner(digest string) memory.DID {
	b, err := hex.DecodeString(digest)
	if err != nil || len(b) < 16 {
		return inspected
	}
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80
	return memory.DID(fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16]))
}

// ownerOf returns the owner of the target document. It is empty if no owner is known and the
// records may name theirs.
func (by *convertOwner) ownerOf(from, to codec.Format) memory.DID {
	if by.madeUp && from.Whole {
		return ""
	}
	return ownerTo(to, by.owner)
}

// saw notes a record that is written.
func (by *convertOwner) saw(rec memory.Record) {
	by.used = by.used || by.madeUp && rec.Scope.Owner == by.owner
	if by.given && rec.Scope.Owner != by.owner && by.unheeded == "" {
		by.unheeded = rec.Scope.Owner
	}
}

// show names the owner that was made up.
func (by *convertOwner) show(a *cli.App) {
	if by.unheeded != "" {
		a.Say("--owner %s is for memories that name no owner; this document names one, %s, and that stays", cli.Clean(string(by.owner)), cli.Clean(string(by.unheeded)))
	}
	if by.used {
		a.Say("nothing says whose memories these are, so their owner is made up: %s; --owner NAME names another", by.owner)
	}
}
