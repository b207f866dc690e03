package service

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/operate"
)

// UpgradeCmd is the command satchel service upgrade.
type UpgradeCmd struct {
	Name
	Waiting
}

// Run takes the service to the release of this program, or goes on with an upgrade that was
// cut off.
func (c *UpgradeCmd) Run(a *cli.App) error {
	s, err := c.installed(a)
	if err != nil {
		return err
	}
	next, err := s.replan()
	if err != nil {
		return err
	}
	if s.rec.Upgrade == nil && s.rec.Sum == next.Sum {
		a.Say("the service runs this release already")
		return s.report()
	}
	return s.upgrade(next, c.Waiting)
}

// replan plans the service anew, for this program over the same store.
func (s *service) replan() (record, error) {
	b := s.on(s.rec)
	h, conf, err := b.ExistingStore()
	if u := s.rec.Upgrade; err != nil && u != nil && u.Back { // storeBack was cut off between its two renames
		return u.Next, nil
	}
	if err != nil {
		return record{}, err
	}
	next, err := s.plan(h, conf, s.rec.Flags)
	if len(next.Env) == 0 {
		next.Env = s.rec.Env
	}
	return next, err
}

// cutOff is the error for an upgrade that did not come to its end.
func (s *service) cutOff() error {
	u := s.rec.Upgrade
	return cli.Refusedf("an upgrade of the service from %s to %s was cut off: %s service upgrade goes on with it", s.rec.Release, u.Next.Release, u.Next.Program)
}

// upgrade takes the service to another release: it stops the server, makes a backup, brings
// the store up to date, and starts the new release. If the new release does not answer, back
// undoes these steps. The record names each step before upgrade takes it, and upgrade can
// repeat each.
func (s *service) upgrade(next record, w Waiting) error {
	a := s.app
	switch u := s.rec.Upgrade; {
	case u != nil && u.Back:
		return s.back(w, errors.New(u.Why))
	case u != nil:
		u.Next = next
	default:
		if err := s.suits(next); err != nil {
			return err
		}
		s.rec.Upgrade = &upgrade{Next: next, Began: a.Now().UTC(), Kept: s.copyName(s.rec.Sum)}
	}
	if err := s.save(); err != nil {
		return err
	}
	a.Say("upgrade of the service %s: from %s to %s", s.name, s.rec.Release, next.Release)
	if err := s.manager.Stop(a.Ctx, s.name); err != nil {
		return err
	}
	if err := s.backup(); err != nil {
		return fmt.Errorf("the backup before the upgrade: %w; nothing was changed, and the service is stopped", err)
	}
	err := s.advance(next, w)
	switch {
	case err != nil && a.Ctx.Err() != nil:
		return errors.Join(a.Ctx.Err(), s.cutOff())
	case err != nil:
		return s.back(w, err)
	}
	backup := s.rec.Upgrade.Backup
	s.rec = next
	if err := s.save(); err != nil {
		return err
	}
	s.tidy("satchel-*", s.copyName(next.Sum))
	s.tidy(backupPattern, backup)
	if backup != "" {
		a.Say("the backup from before is %s; it holds your memory and keys: remove it once you are content", backup)
	}
	return s.report()
}

// suits refuses an upgrade that this program cannot make. It runs before the server stops.
func (s *service) suits(next record) error {
	h := next.homeOf()
	if h.InDatabase() {
		o, err := s.on(next).Open(cli.Looking)
		if err != nil {
			return err
		}
		return o.Close()
	}
	_, _, err := operate.Schemas(s.app, h)
	return err
}

// The names of backups.
const (
	backupBegins  = "before-"
	backupPattern = backupBegins + "*"
)

func isBackup(name string) bool { return strings.HasPrefix(name, backupBegins) }

// backup makes the backup of an upgrade, unless there is one. The operator of a database makes
// its backups.
func (s *service) backup() error {
	u, h := s.rec.Upgrade, s.rec.homeOf()
	if h.InDatabase() {
		s.app.Warn("the store is in a database, which is backed up by its own means: see docs/operate.md")
		return nil
	}
	if u.Backup != "" && cli.Exists(u.Backup) {
		return nil
	}
	conf, err := h.ReadConfig()
	if err != nil {
		return err
	}
	if u.Schema, _, err = operate.Schemas(s.app, h); err != nil {
		return err
	}
	path := s.in(backupBegins + strings.Map(fileLetter, u.Next.Release) + "-" + u.Began.Format("20060102-150405") + ".tar")
	if err := operate.BackupAsIs(s.app, h, conf, path); err != nil {
		return err
	}
	u.Backup = path
	return s.save()
}

// fileLetter replaces each letter that the name of a file should not hold.
func fileLetter(r rune) rune {
	if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}

// advance brings the store up to date, and starts the new release.
func (s *service) advance(next record, w Waiting) error {
	b := s.on(next)
	b.Quiet = true
	o, err := b.Open(cli.Preparing)
	if err != nil {
		return err
	}
	if err := o.Close(); err != nil {
		return err
	}
	if err := s.keep(next); err != nil {
		return err
	}
	if err := s.manager.Install(s.app.Ctx, s.job(next)); err != nil {
		return err
	}
	return s.launch(next, w)
}

// back undoes an upgrade. Afterwards the earlier release runs again, over the store as it was.
func (s *service) back(w Waiting, cause error) error {
	u := s.rec.Upgrade
	u.Back, u.Why = true, cli.Describe(cause)
	if err := s.save(); err != nil {
		return errors.Join(cause, err)
	}
	s.app.Warn("%s does not run here, and everything goes back to %s:\n%s", u.Next.Release, s.rec.Release, u.Why)
	fail := func(err error) error {
		return fmt.Errorf("the way back to %s failed: %w; the service is stopped, the backup is %s, the program from before is %s; satchel service upgrade tries again", s.rec.Release, err, u.Backup, u.Kept)
	}
	if err := s.manager.Stop(s.app.Ctx, s.name); err != nil {
		return fail(err)
	}
	if err := s.storeBack(); err != nil {
		return fail(err)
	}
	old := s.rec
	old.Upgrade = nil
	if sum, err := sumOf(old.Program); err != nil || sum != old.Sum { // the new release took its place
		old.Program = u.Kept
	}
	if err := s.manager.Install(s.app.Ctx, s.job(old)); err != nil {
		return fail(err)
	}
	if err := s.launch(old, Waiting{Wait: max(w.Wait, 1)}); err != nil {
		return fail(err)
	}
	was := s.rec
	s.rec = old
	if err := s.save(); err != nil {
		return fail(err)
	}
	return cli.WithStatus(cli.ExitFailed, errors.New(wentBack(was, old)))
}

// wentBack is the message about an upgrade that was undone. It names the files that the upgrade
// leaves behind.
func wentBack(was, now record) string {
	u := was.Upgrade
	text := fmt.Sprintf("the upgrade to %s was undone, and the service runs %s again: %s", u.Next.Release, now.Release, strings.TrimRight(u.Why, "\n"))
	if u.Aside != "" {
		text += fmt.Sprintf("\nthe store is as it was on %s; what %s made of it is in %s. "+
			"Assistants that still run use that folder, and what they remember goes there: end them, and start them again", u.Began.Local().Format("2006-01-02 15:04"), u.Next.Release, u.Aside)
	}
	if now.Program != was.Program {
		text += fmt.Sprintf("\nthe service runs a copy, %s: put it in the place of %s too, since that release changes the store again", now.Program, was.Program)
	}
	if u.Backup != "" {
		text += "\nthe backup from before is " + u.Backup
	}
	return text
}

// storeBack restores the store from the backup if the new release has changed its schema. The
// changed store goes to a folder beside it, u.Aside.
func (s *service) storeBack() error {
	u, h := s.rec.Upgrade, s.rec.homeOf()
	if h.InDatabase() || u.Backup == "" {
		return nil
	}
	fresh := h.Dir + ".before-upgrade"
	if u.Aside == "" {
		found, _, err := operate.Schemas(s.app, h)
		if err != nil {
			return err
		}
		if found == u.Schema {
			return nil
		}
		if err := os.RemoveAll(fresh); err != nil { // from an earlier attempt
			return err
		}
		if err := s.restored(u.Kept, u.Backup, fresh); err != nil {
			return err
		}
		u.Aside = freeName(h.Dir + ".of-" + strings.Map(fileLetter, u.Next.Release))
		if err := s.save(); err != nil {
			return err
		}
	}
	if !cli.Exists(u.Aside) {
		if err := os.Rename(h.Dir, u.Aside); err != nil {
			return fmt.Errorf("%w; end the programs that use the store", err)
		}
	}
	if cli.Exists(fresh) {
		return os.Rename(fresh, h.Dir)
	}
	return nil
}

// freeName returns path, or path with a number if a file has that name.
func freeName(path string) string {
	name := path
	for n := 2; cli.Exists(name); n++ {
		name = fmt.Sprintf("%s-%d", path, n)
	}
	return filepath.Clean(name)
}
