package service

import (
	"fmt"

	"github.com/satchel-memory/satchel/internal/cli"
)

// StartCmd is the command satchel service start.
type StartCmd struct {
	Name
	Waiting
}

// Run starts the service. If somebody put another release in the place of its program, it
// upgrades.
func (c *StartCmd) Run(a *cli.App) error {
	s, err := c.installed(a)
	if err != nil {
		return err
	}
	if s.rec.Upgrade != nil {
		return s.cutOff()
	}
	sum, err := sumOf(s.rec.Program)
	if err != nil {
		return fmt.Errorf("the program of the service is gone: %w; satchel service install lets it run this one", err)
	}
	if sum != s.rec.Sum {
		next, err := s.replan()
		if err != nil {
			return err
		}
		if next.Sum != sum {
			return cli.Refusedf("%s is another release than the one that the service ran: %s service upgrade takes the service there", s.rec.Program, s.rec.Program)
		}
		return s.upgrade(next, c.Waiting)
	}
	if err := s.launch(s.rec, c.Waiting); err != nil {
		return err
	}
	return s.report()
}

// StopCmd is the command satchel service stop.
type StopCmd struct{ Name }

// Run stops the service.
func (c *StopCmd) Run(a *cli.App) error {
	s, err := c.installed(a)
	if err != nil {
		return err
	}
	if err := s.manager.Stop(a.Ctx, s.name); err != nil {
		return err
	}
	return s.report()
}
