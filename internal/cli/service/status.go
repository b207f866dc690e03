package service

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

// shown is what satchel service says about a service, for machines.
type shown struct {
	Name      string    `json:"name"`
	Installed bool      `json:"installed"`
	Running   bool      `json:"running"`
	Ready     bool      `json:"ready"` // the server answers
	PID       int       `json:"pid,omitempty"`
	Since     time.Time `json:"since,omitzero"`
	Ended     string    `json:"ended,omitempty"` // how the last process ended
	Address   string    `json:"address,omitempty"`
	Pages     string    `json:"pages,omitempty"`
	Store     string    `json:"store,omitempty"`
	Program   string    `json:"program,omitempty"`
	Release   string    `json:"release,omitempty"`
	Manager   string    `json:"manager"`
	File      string    `json:"file"` // from which the system starts it
	Log       string    `json:"log"`
	Advice    string    `json:"advice,omitempty"` // what to do next
}

// look finds out how a service is.
func (s *service) look() (shown, error) {
	state, err := s.manager.State(s.app.Ctx, s.name)
	if err != nil {
		return shown{}, err
	}
	r := s.rec
	out := shown{Name: s.name, Installed: state.Installed, Running: state.Running, PID: state.PID, Since: state.Since, Ended: state.Ended,
		Store: r.Store, Program: r.Program, Release: r.Release, Manager: s.manager.Kind(), File: s.manager.File(s.name), Log: s.manager.Log(s.name)}
	if s.known {
		if out.Address, err = r.address(); err != nil {
			out.Advice = cli.Describe(err)
		} else if out.Running {
			out.Ready = ready(s.app.Ctx, out.Address)
			out.Pages = cli.RunningPages(r.homeOf())
		}
	}
	if out.Advice == "" {
		out.Advice = s.advice(out)
	}
	return out, nil
}

// advice says what to do next; "": nothing.
func (s *service) advice(is shown) string {
	sum, err := sumOf(s.rec.Program)
	switch {
	case !is.Installed && !s.known:
		return "satchel service install installs it"
	case !is.Installed:
		return "the system does not know it any more: satchel service install puts it back"
	case !s.known:
		return "" // that of a package, say
	case s.rec.Upgrade != nil:
		return cli.Describe(s.cutOff())
	case err != nil:
		return "its program is gone: satchel service install lets it run this one"
	case sum != s.rec.Sum:
		return fmt.Sprintf("another release is in the place of its program: %s service upgrade takes the service there, after a backup", s.rec.Program)
	case !is.Running && is.Ended != "":
		return "see its log, then: satchel service start"
	case !is.Running:
		return "satchel service start starts it"
	case !is.Ready:
		return "it runs and does not answer: see its log; satchel service stop and start start it again"
	}
	return ""
}

// report shows how a service is, after a command changed it.
func (s *service) report() error {
	is, err := s.look()
	if err != nil {
		return err
	}
	return s.show(is)
}

func (s *service) show(is shown) error {
	a := s.app
	if a.JSON {
		return a.Emit(is)
	}
	how := "not installed"
	switch {
	case is.Ready:
		how = "running"
	case is.Running:
		how = "running, and does not answer"
	case is.Installed && is.Ended != "":
		how = "stopped: " + is.Ended
	case is.Installed:
		how = "stopped"
	}
	if is.Running && !is.Since.IsZero() {
		how += " since " + is.Since.Local().Format("2006-01-02 15:04:05")
	}
	if is.PID > 0 {
		how += fmt.Sprintf(" (process %d)", is.PID)
	}
	for _, line := range [][2]string{
		{"service", is.Name + ": " + how}, {"address", is.Address}, {"pages", is.Pages}, {"store", is.Store},
		{"program", strings.TrimSpace(is.Program + "  " + is.Release)}, {"starts by", is.Manager + ": " + is.File}, {"log", is.Log}, {"next", is.Advice},
	} {
		if line[1] != "" {
			a.Print("%-10s %s", line[0], cli.Clean(line[1]))
		}
	}
	return nil
}

// StatusCmd is the command satchel service status.
type StatusCmd struct{ Name }

// Run shows the service, and ends with status 1 if no server answers.
func (c *StatusCmd) Run(a *cli.App) error {
	s, err := c.open(a)
	if err != nil {
		return err
	}
	is, err := s.look()
	if err != nil {
		return err
	}
	if err := s.show(is); err != nil {
		return err
	}
	if !is.Ready && (s.known || !is.Running) {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}
