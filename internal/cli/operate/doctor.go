package operate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/access"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
	"github.com/satchel-memory/satchel/internal/cli/sharing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/keys"
)

// DoctorCmd is the command satchel doctor.
type DoctorCmd struct {
	Mend  bool `help:"Mend permissions, a missing token, leftover files and expired content. Nothing is lost."`
	Clock bool `help:"Say that this machine's clock is right, and erase what it says has expired."`
	All   bool `help:"In a database: check the memories of every owner. Default: of the home folder's owner."`
}

// finding is one result of doctor.
type finding struct {
	Check   string `json:"check"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Mend    string `json:"mend,omitempty"` // what to do about it
	fix     func() error
}

// doctor collects findings.
type doctor struct {
	app      *cli.App
	home     cli.Home
	config   cli.Config
	clock    bool // the user vouches for the clock
	all      bool // check all owners of a database
	findings []finding
}

func (d *doctor) good(check, format string, args ...any) {
	d.findings = append(d.findings, finding{Check: check, OK: true, Message: fmt.Sprintf(format, args...)})
}

// bad notes a fault, its remedy, and how doctor itself can mend it, if it can.
func (d *doctor) bad(check, message, mend string, fix func() error) {
	d.findings = append(d.findings, finding{Check: check, Message: message, Mend: mend, fix: fix})
}

// Run checks everything and ends with status 1 if it finds a fault.
func (c *DoctorCmd) Run(a *cli.App) error {
	h, conf, err := a.ExistingStore()
	if err != nil {
		return err
	}
	d := &doctor{app: a, home: h, config: conf, all: c.All || !h.InDatabase(), clock: c.Clock}
	d.look()
	switch {
	case c.Mend:
		d.mend()
	case c.Clock:
		d.mendOnly("retention")
	}
	return d.report()
}

func (d *doctor) look() {
	d.permissions()
	d.keyFiles()
	d.unfinished()
	d.unfinishedOthers()
	moving := d.unfinishedMove()
	d.tokenFile()
	d.remains()
	if !d.home.InDatabase() {
		d.space()
	}
	d.storeFile(moving)
	d.hosts()
}

// mend mends what it can and checks again.
func (d *doctor) mend() { d.mendOnly("") }

// mendOnly mends one kind of finding; "": each.
func (d *doctor) mendOnly(check string) {
	found := d.findings
	d.findings = nil
	for _, f := range found {
		if f.OK || f.fix == nil || check != "" && f.Check != check {
			continue
		}
		if err := f.fix(); err != nil {
			d.bad(f.Check, fmt.Sprintf("mending failed: %s", cli.Describe(err)), f.Mend, nil)
			continue
		}
		d.good(f.Check, "mended: %s", f.Message)
	}
	d.look()
}

func (d *doctor) report() error {
	wrong := 0
	for _, f := range d.findings {
		mark := "ok   "
		if !f.OK {
			mark = "WRONG"
			wrong++
		}
		if d.app.JSON || f.OK && d.app.Quiet {
			continue
		}
		d.app.Print("%s  %-14s %s", mark, f.Check, cli.Clean(f.Message))
		if f.Mend != "" {
			d.app.Print("       %-14s -> %s", "", cli.Clean(f.Mend))
		}
	}
	if d.app.JSON {
		if err := d.app.Emit(map[string]any{"ok": wrong == 0, "findings": d.findings}); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// permissions checks who has access to the files.
func (d *doctor) permissions() {
	wrong := false
	paths := []string{d.home.Dir, d.home.Keys(), d.home.Config(), d.home.Database(), d.home.Token()}
	kept, err := filepath.Glob(filepath.Join(escapeGlob(d.home.Keys()), "*.key"))
	if err != nil {
		kept = nil // the pattern is ours
	}
	for _, path := range append(paths, kept...) {
		info, err := os.Stat(path)
		if err != nil || !access.OpenToOthers(path, info) {
			continue // another check reports missing files
		}
		wrong = true
		d.bad("permissions", fmt.Sprintf("others may use %s", path), access.Command(path), func() error { return access.Close(path) })
	}
	if !wrong {
		d.good("permissions", "%s is closed to others", d.home.Dir)
	}
}

// keyFiles checks that the keys exist, are the right ones, and open.
func (d *doctor) keyFiles() {
	for _, name := range keyNames() {
		d.keyFile(name)
	}
}

func (d *doctor) keyFile(name string) {
	path := d.home.Key(name)
	key, err := keys.ReadFile(path, nil)
	sealed := errors.Is(err, keys.ErrSealed)
	if sealed {
		key, _, err = cli.UnlockWith(path, d.app.Passphrases(d.config.Owner))
	}
	check := name + " key"
	switch {
	case errors.Is(err, fs.ErrNotExist) && name == cli.OwnerKey:
		d.bad(check, path+" is missing: nothing can be signed", "satchel init --recover, or bring it back from a backup", nil)
	case errors.Is(err, fs.ErrNotExist):
		d.storeKeyMissing(path)
	case errors.Is(err, keys.ErrPermissions):
		d.bad(check, "is not used while others may read it", "see permissions", nil)
	case sealed && err != nil:
		d.sealedKey(name, err)
	case err != nil:
		d.bad(check, cli.Describe(err), "bring the file back from a backup", nil)
	case name == cli.OwnerKey && key.DID() != d.config.Owner:
		d.bad(check, fmt.Sprintf("belongs to %s, the store to %s", key.DID(), d.config.Owner), "move it away and run satchel init --recover", nil)
	case name == cli.OwnerKey && d.config.KitUnseen:
		d.bad(check, "nobody has seen its recovery kit: the store was made when an assistant began to use it", "satchel keys kit", nil)
	case sealed:
		d.good(check, "%s, sealed", key.DID())
	default:
		d.good(check, "%s", key.DID())
	}
}

// sealedKey reports a key that hosts cannot open, if it is the owner's, which they need.
func (d *doctor) sealedKey(name string, err error) {
	check := name + " key"
	switch {
	case name != cli.OwnerKey:
		d.good(check, "sealed")
	case errors.Is(err, keys.ErrPassphrase):
		d.bad(check, "the passphrase that is kept does not open it", "satchel init --recover, or correct the passphrase", nil)
	default:
		d.bad(check, "is sealed, and hosts find no passphrase", "keep it in the keyring, or set SATCHEL_PASSPHRASE_FILE where hosts start satchel", nil)
	}
}

func (d *doctor) tokenFile() {
	path := d.home.Token()
	data, err := cli.ReadBounded(path, cli.MaxSmall)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.bad("token", path+" is missing: satchel serve cannot start", "satchel doctor --mend makes a new one",
			func() error { return newToken(path) })
	case err != nil:
		d.bad("token", cli.Describe(err), "see to the permissions of the file", nil)
	case len(data) < cli.LeastToken:
		d.bad("token", path+" is too short to be safe", "remove it and run satchel doctor --mend", nil)
	default:
		d.good("token", "%s", path)
	}
}

// leastSpace is how much free space a store should have.
const leastSpace = 100 << 20

func (d *doctor) space() {
	free, err := freeSpace(d.home.Dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		d.bad("disk", cli.Describe(err), "see to the disk", nil)
	case free < leastSpace:
		d.bad("disk", fmt.Sprintf("%d MiB are free", free>>20), "make room: writes fail when the disk is full", nil)
	default:
		d.good("disk", "%d MiB are free", free>>20)
	}
}

// storeFile opens the database, which reveals a wrong schema, and looks for damage and
// interrupted imports.
func (d *doctor) storeFile(moving bool) {
	o, err := d.app.Open(cli.Probing)
	if err != nil {
		d.unopened(err)
		return
	}
	defer o.Close()
	if e, ok := o.Store.(*postgres.Store); ok {
		d.database(e)
	}
	if info, err := o.Vault.Owner(d.app.Ctx, o.Operator(), o.Config.Owner); err == nil && info.Store != "" {
		if !moving {
			d.bad("store", "everything was moved to "+info.Store, "name that with --store, or bring it back with satchel store move", nil)
		}
		return
	}
	found, err := d.health(o)
	if err != nil {
		found = append(found, cli.Describe(err))
	}
	for _, what := range found {
		d.damage(what)
	}
	switch {
	case len(found) > 0:
	case d.all && o.InDatabase():
		d.good("store", "what every owner keeps is whole")
	case o.InDatabase():
		d.good("store", "what the home folder's owner keeps is whole; --all looks through what every owner keeps")
	default:
		d.good("store", "%s is whole", o.Database())
	}
	if o.Key.IsZero() {
		d.good("seals", "not looked at: the owner's key is closed: what was changed behind satchel's back was looked for in the memories alone")
	}
	d.wentBack(o)
	if o.ReadOnly {
		d.good("writing", "the store can only be read here: recall, list, get, export and serve --read-only work; to write, make %s and its files writable for you, or mount it for writing", cli.Clean(o.Dir))
	}
	d.checkRollback(o)
	d.leftOver(o)
	d.edition(o)
	d.expiry(o)
	for _, f := range machines.Examine(d.app, o) {
		if f.Mend == "" {
			d.good("sync", "%s", f.Message)
			continue
		}
		d.bad("sync", f.Message, f.Mend, nil)
	}
}

// checkRollback compares the audit log with the head kept beside the store.
func (d *doctor) checkRollback(o *cli.Session) {
	head, err := sharing.ReadAuditHead(sharing.AuditHead(o.Home))
	if err != nil || head == nil || head.Owner != o.Owner {
		return // audit verify says why
	}
	report, err := o.VerifyAudit(d.app.Ctx, o.Caller(), head)
	for _, f := range report.Findings {
		if err == nil && (f.Kind == audit.RolledBack || f.Kind == audit.Forked) {
			d.bad("audit log", f.Message, "satchel audit verify says more", nil)
		}
	}
}

// isIndexFault reports whether a finding concerns only the index of words, which satchel
// can rebuild from the memories.
func isIndexFault(what string) bool {
	for _, of := range []string{"indexed under other terms", "postings name documents", "terms occur in another number", "rows of the index", "table postings:"} {
		if strings.Contains(what, of) {
			return true
		}
	}
	return false
}

// damage reports a fault in the store and its remedy.
func (d *doctor) damage(what string) {
	restore := d.restoreAdvice()
	id, about, isRecord := strings.Cut(strings.TrimPrefix(what, "record "), ": ")
	token, again, isToken := strings.Cut(what, "; it opens nothing: ")
	switch {
	case isToken && strings.HasPrefix(what, "token "):
		d.bad("token", token+"; it opens nothing", again, nil)
	case strings.HasPrefix(what, "audit log: "):
		d.bad("audit log", strings.TrimPrefix(what, "audit log: "),
			"satchel audit verify says more; nothing mends a log: keep a copy of the store's folder, and find out who could write there", nil)
	case isIndexFault(what):
		d.bad("store", what, fmt.Sprintf("no memory is damaged by that: satchel store move %s to a new place builds the index anew, or %s", d.home.Name(), restore), nil)
	case !isRecord || !strings.HasPrefix(what, "record "):
		d.bad("store", what, restore, nil)
	case strings.Contains(about, "filed other"): // the row itself is sound
		d.bad("record", id+": "+about, "what it says is as its owner signed it: satchel export saves it; then "+restore, nil)
	default:
		about, _, _ = strings.Cut(about, ";") // doctor names the remedy here
		d.bad("record", id+": "+about+"; it is not served", fmt.Sprintf("satchel verify %[1]s says why; satchel forget --hard %[1]s erases it, "+
			"or %[2]s", id, restore), nil)
	}
}

func (d *doctor) leftOver(o *cli.Session) {
	imports, err := o.Imports(d.app.Ctx, o.Caller())
	if err != nil {
		d.bad("imports", cli.Describe(err), d.restoreAdvice(), nil)
		return
	}
	left, partial := 0, 0
	var undoing []string // numbers of imports
	for _, i := range imports {
		if i.State == store.Staging && i.Lease.Before(d.app.Now()) {
			left++
		} else if i.State == store.Staging {
			d.good("imports", "%s is at work, or was cut off just now: %s of it that nobody sees. If it was cut off, commands after %s remove some hundred of them each, and satchel doctor --mend removes all",
				cli.Clean(i.Name), cli.Plural(i.Created, "memory", "memories"), i.Lease.Local().Format(time.TimeOnly))
			return
		}
		switch {
		case i.State == store.Partial && i.Lease.IsZero():
			undoing = append(undoing, fmt.Sprint(i.Number))
		case i.State == store.Partial:
			partial++
		}
	}
	switch {
	case left > 0:
	case len(undoing) > 0:
		d.good("imports", "import %s is taken back in part: the undo is at work, or was cut off; satchel import --undo %s completes it", strings.Join(undoing, ", "), undoing[0])
		return
	case partial > 0:
		d.good("imports", "%s here in part: importing one again goes on, satchel import --list shows how far it is", cli.Plural(partial, "archive is", "archives are"))
		return
	default:
		d.good("imports", "none broke off")
		return
	}
	d.bad("imports", cli.Plural(left, "import", "imports")+" broke off and left records that nobody sees", "satchel doctor --mend removes them",
		func() error {
			return d.app.With(cli.Signing, func(o *cli.Session) error {
				_, err := o.Tidy(d.app.Ctx, o.Owner)
				if err == nil {
					_, err = o.SweepAgreed(d.app.Ctx, o.Owner) // clears the files of removed rows
				}
				return err
			})
		})
}
