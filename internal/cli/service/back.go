package service

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/operate"
)

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
		if err := s.restore(u.Kept, u.Backup, fresh); err != nil {
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

// restore runs the earlier program to restore a backup into dir. This program cannot do that:
// it would bring the store up to date. The earlier program reads the passphrase of a sealed
// backup where the service finds it, or asks the person.
func (s *service) restore(program, backup, dir string) error {
	cmd := exec.CommandContext(s.app.Ctx, program, "restore", "--store", dir, backup)
	if in, ok := s.app.In.(*os.File); ok {
		cmd.Stdin = in
	}
	cmd.Env = append(cmd.Environ(), s.rec.Env...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s restore %s: %w: %s", program, backup, err, strings.TrimSpace(string(said)))
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
