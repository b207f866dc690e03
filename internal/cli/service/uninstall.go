package service

import (
	"errors"
	"os"

	"github.com/satchel-memory/satchel/internal/cli"
)

// UninstallCmd is the command satchel service uninstall.
type UninstallCmd struct{ Name }

// Run takes the service out of the system. What it served stays, and so do backups.
func (c *UninstallCmd) Run(a *cli.App) error {
	s, err := c.open(a)
	if err != nil {
		return err
	}
	if err := s.manager.Remove(a.Ctx, s.name); err != nil {
		return err
	}
	kept, err := s.clear()
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(map[string]any{"name": s.name, "installed": false, "store": s.rec.Store, "kept": kept})
	}
	if s.known {
		a.Print("the service %s is gone; your memory stays in %s, and satchel serve serves it", s.name, cli.Clean(s.rec.Store))
	} else {
		a.Print("there is no service %s", s.name)
	}
	for _, path := range kept {
		a.Print("kept: %s", cli.Clean(path))
	}
	return nil
}

// clear removes what satchel service wrote, except backups, which it returns.
func (s *service) clear() (kept []string, err error) {
	kept = []string{}
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, os.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		path := s.in(entry.Name())
		if isBackup(entry.Name()) {
			kept = append(kept, path)
			continue
		}
		err = errors.Join(err, os.Remove(path))
	}
	if err == nil && len(kept) == 0 {
		err = os.Remove(s.dir)
	}
	return kept, err
}
