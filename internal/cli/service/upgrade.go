package service

import (
	"errors"
	"fmt"
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
