package service

import (
	"github.com/satchel-memory/satchel/internal/cli"
)

// InstallCmd is the command satchel service install.
type InstallCmd struct {
	Name
	Waiting
	NoStart bool     `help:"Only install it: it starts at the next login."`
	Serve   []string `arg:"" optional:"" passthrough:"" help:"After --: flags of satchel serve. Default: those of the last installation." placeholder:"FLAGS"`
}

// Run installs the service, or changes the installed one.
func (c *InstallCmd) Run(a *cli.App) error {
	s, err := c.open(a)
	if err != nil {
		return err
	}
	h, conf, err := a.ExistingStore()
	if err != nil {
		return err
	}
	flags := c.Serve
	if len(flags) > 0 && flags[0] == "--" {
		flags = flags[1:]
	}
	if len(flags) == 0 && s.known {
		flags = s.rec.Flags
	}
	next, err := s.plan(h, conf, flags)
	if err != nil {
		return err
	}
	if s.known && (s.rec.Upgrade != nil || s.rec.Sum != next.Sum) && s.rec.Store == next.Store {
		return s.upgrade(next, c.Waiting)
	}
	if err := s.put(next, !c.NoStart, c.Waiting); err != nil {
		return err
	}
	return s.report()
}

// put installs the service that r describes. It starts the service if start is set.
func (s *service) put(r record, start bool, w Waiting) error {
	if _, err := s.manager.State(s.app.Ctx, s.name); err != nil { // the system has no manager, as in a container
		return err
	}
	s.rec, s.known = r, true
	if err := s.save(); err != nil {
		return err
	}
	if err := s.keep(r); err != nil {
		return err
	}
	s.tidy("satchel-*", s.copyName(r.Sum))
	if start {
		if err := s.manager.Stop(s.app.Ctx, s.name); err != nil {
			return err
		}
	}
	if err := s.manager.Install(s.app.Ctx, s.job(r)); err != nil {
		return err
	}
	if !start {
		return nil
	}
	return s.launch(r, w)
}

// launch starts the service, which r describes, and waits until its server answers.
func (s *service) launch(r record, w Waiting) error {
	if err := s.manager.Start(s.app.Ctx, s.name); err != nil {
		return err
	}
	return s.await(r, w)
}
