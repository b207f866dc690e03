package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

type eraseCmd struct {
	Confirm memory.DID `required:"" help:"The owner's DID, as satchel owner list shows it, to confirm the erasure." placeholder:"DID"`
	Yes     bool       `short:"y" help:"Do not ask."`
}

// erasure is what an erasure of everything did, for machines.
type erasure struct {
	Owner   memory.DID `json:"owner"`
	Records int        `json:"records"`
	Chunks  int        `json:"chunks"`    // of them: in force
	Audit   int64      `json:"audit_seq"` // the entry of the audit log that tells of it
	Files   []string   `json:"files"`     // of the store's folder that were removed
	Left    []string   `json:"left"`      // in the folder, and not known to be satchel's
	Pending bool       `json:"pending"`
}

// Run erases everything of the owner's. The key, the configuration, the token
// and the audit log stay, so that the store can be used again.
func (c *eraseCmd) Run(a *app) error {
	return a.with(signing, func(o *opened) error {
		if c.Confirm != o.Owner {
			return refusedf("the memories are those of %s; give that after --confirm if everything of theirs is to be erased", o.Owner)
		}
		done := erasure{Owner: o.Owner, Files: []string{}, Left: []string{}}
		n, err := o.remembered(a.ctx)
		if err != nil {
			return err
		}
		if err := c.ask(a, n); err != nil {
			return err
		}
		erased, err := o.EraseBrain(a.ctx, o.owner())
		if err != nil {
			return err
		}
		done.Records, done.Chunks, done.Audit, done.Pending = erased.RecordsPurged, erased.ChunksPurged, erased.AuditSequence, erased.Pending
		if o.Owner == o.config.Owner { // what others keep, the folder knows nothing of
			err = done.clear(o.home)
		}
		return errors.Join(err, done.report(a, o))
	})
}

// ask makes sure that it is meant, where there is somebody to ask.
func (c *eraseCmd) ask(a *app, n int) error {
	if c.Yes || !a.interactive() {
		return nil
	}
	yes, err := a.confirm("Erase " + plural(n, "memory", "memories") + " and everything beside them, for good?")
	if err == nil && !yes {
		err = refusedf("nothing was erased")
	}
	return err
}

// traces says what may remain of what was erased, and who clears it away.
func (o *opened) traces() string {
	if o.remote() {
		return "traces remain in the pages and logs of the database until its operator runs satchel store scrub"
	}
	return "traces may remain in the files until other processes finish reading; satchel clears them later"
}

// remembered counts the memories there are, in whatever state.
func (o *opened) remembered(ctx context.Context) (n int, err error) {
	err = o.store.View(ctx, o.Owner, func(r store.Reader) error {
		n, err = r.Count(store.Filter{})
		return err
	})
	return n, err
}

// clear removes the files in the store's folder that hold content, wherever in it
// they lie. Links are not followed.
func (e *erasure) clear(h home) error {
	err := filepath.WalkDir(h.dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		if err != nil || path == h.dir {
			return err
		}
		name, err := filepath.Rel(h.dir, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && name == "keys":
			return filepath.SkipDir
		case entry.IsDir() || stays(name):
			return nil
		case !entry.Type().IsRegular() || !holdsContent(entry.Name()):
			e.Left = append(e.Left, name)
			return nil
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		e.Files = append(e.Files, name)
		return atomicfile.SyncFolder(filepath.Dir(path))
	})
	if err != nil {
		return fmt.Errorf("clear the store's folder: %w", err)
	}
	return nil
}

// stays reports whether a name in the store's folder is that of a part of the
// store. What the database keeps beside itself, and of itself from before a
// migration, it sees to on its own.
func stays(name string) bool {
	return name == "config.json" || name == "token" || name == "audit.head" || name == "seen.json" || name == "rekey.json" || strings.HasPrefix(name, databaseName)
}

// holdsContent reports whether a file in the store's folder is one that the
// program wrote there: a spool or unfinished file, an export, a backup.
func holdsContent(name string) bool {
	for _, begins := range []string{".spool-", ".satchel-", "satchel-backup-"} {
		if strings.HasPrefix(name, begins) {
			return true
		}
	}
	return slices.ContainsFunc([]string{".ump.json", ".ump.md", ".ndjson", aimem.Extension, aimem.SignatureName(aimem.Extension), ".ndjson.sig"}, func(ending string) bool {
		return strings.HasSuffix(name, ending)
	})
}

// report says what was removed, and what no program can reach.
func (e *erasure) report(a *app, o *opened) error {
	if a.json {
		return a.emit(e)
	}
	a.print("erased %s of %s, %d of them in force, with every version, the index, imports, agents with their checkpoints, tokens and the list of changes",
		plural(e.Records, "memory", "memories"), e.Owner, e.Chunks)
	for _, name := range e.Files {
		a.print("removed %s", clean(name))
	}
	if e.Pending {
		a.warn("%s; satchel doctor says whether that has happened", o.traces())
	}
	for _, name := range e.Left {
		a.warn("left %s in the store's folder: look yourself whether it holds memories", clean(name))
	}
	stays := "the owner's key, config.json, the token"
	if o.Owner != o.config.Owner {
		stays = "the owner's account, which satchel owner remove ends"
	}
	a.say("what stays: %s, and the audit log, which names no memory.\n"+
		"What satchel cannot reach: backups kept elsewhere, exports that were handed out, and what hosts wrote down themselves.", stays)
	return nil
}
