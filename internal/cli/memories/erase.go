package memories

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
	"github.com/satchel-memory/satchel/memory"
)

// EraseCmd is the command satchel erase.
type EraseCmd struct {
	Confirm memory.DID `required:"" help:"The owner's DID, as satchel owner list shows it, to confirm the erasure." placeholder:"DID"`
	Yes     bool       `short:"y" help:"Do not ask."`
}

// erasure is the result of a complete erasure, for machines.
type erasure struct {
	Owner   memory.DID `json:"owner"`
	Records int        `json:"records"`
	Chunks  int        `json:"chunks"`    // those in force
	Audit   int64      `json:"audit_seq"` // the audit log's entry for it
	Files   []string   `json:"files"`     // removed from the store's folder
	Left    []string   `json:"left"`      // in the folder, and not recognised as satchel's
	Pending bool       `json:"pending"`
	Behind  []string   `json:"behind,omitempty"` // machines and folders that do not know of it yet
}

// Run erases all data of the owner. The key, the configuration, the token and the audit log
// stay, so that the store remains usable.
func (c *EraseCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		if c.Confirm != o.Owner {
			return cli.Refusedf("the memories are those of %s; give that after --confirm if everything of theirs is to be erased", o.Owner)
		}
		done := erasure{Owner: o.Owner, Files: []string{}, Left: []string{}}
		n, err := o.CountMemories(a.Ctx)
		if err != nil {
			return err
		}
		if err := c.ask(a, n); err != nil {
			return err
		}
		erased, err := o.EraseBrain(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		done.Records, done.Chunks, done.Audit, done.Pending = erased.RecordsPurged, erased.ChunksPurged, erased.AuditSequence, erased.Pending
		if o.Owner == o.Config.Owner { // the folder holds no files of other owners
			err = done.clear(o.Home)
		}
		done.Behind = machines.WarnNotErased(a, o)
		return errors.Join(err, done.report(a, o))
	})
}

// ask asks for confirmation, if there is a person to ask.
func (c *EraseCmd) ask(a *cli.App, n int) error {
	if c.Yes || !a.Interactive() {
		return nil
	}
	yes, err := a.Confirm("Erase " + cli.Plural(n, "memory", "memories") + " and everything beside them, for good?")
	if err == nil && !yes {
		err = cli.Refusedf("nothing was erased")
	}
	return err
}

// clear removes the files with content anywhere in the store's folder. It follows no links.
func (e *erasure) clear(h cli.Home) error {
	err := filepath.WalkDir(h.Dir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		if err != nil || path == h.Dir {
			return err
		}
		name, err := filepath.Rel(h.Dir, path)
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

// stays reports whether a name in the store's folder belongs to the store. The database
// takes care of its own files, and of its copies from before a migration.
func stays(name string) bool {
	return slices.Contains([]string{"config.json", "token", "audit.head", "seen.json", "rekey.json", "serve.addr", "pair.addr", "sync.json", "syncing.lock"}, name) ||
		cli.IsLock(name) || strings.HasPrefix(name, cli.DatabaseName)
}

// holdsContent reports whether the program wrote a file of the store's folder: a spool or
// unfinished file, an export, a backup.
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
func (e *erasure) report(a *cli.App, o *cli.Session) error {
	if a.JSON {
		return a.Emit(e)
	}
	a.Print("erased %s of %s, %d of them in force, with every version, the index, imports, agents with their checkpoints, tokens and the list of changes",
		cli.Plural(e.Records, "memory", "memories"), e.Owner, e.Chunks)
	for _, name := range e.Files {
		a.Print("removed %s", cli.Clean(name))
	}
	if e.Pending {
		a.Warn("%s; satchel doctor says whether that has happened", o.TracesLeft())
	}
	for _, name := range e.Left {
		a.Warn("left %s in the store's folder: look yourself whether it holds memories", cli.Clean(name))
	}
	stays := "the owner's key, config.json, the token"
	if o.Owner != o.Config.Owner {
		stays = "the owner's account, which satchel owner remove ends"
	}
	a.Say("what stays: %s, and the audit log, which names no memory.\n"+
		"What satchel cannot reach: backups kept elsewhere, exports that were handed out, and what hosts wrote down themselves.", stays)
	return nil
}
