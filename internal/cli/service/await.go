package service

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

const (
	askTime     = 2 * time.Second        // for one question to the server
	askInterval = 200 * time.Millisecond // between two
	goneAfter   = 5                      // questions to the system that find no process
)

// await waits until the server of a record answers that it is ready. If the process ends
// first, await fails, and the error holds the last lines that the process wrote.
func (s *service) await(r record, w Waiting) error {
	if w.NoWait {
		return nil
	}
	at, err := r.address()
	if err != nil {
		return err
	}
	within, done := context.WithTimeout(s.app.Ctx, w.Wait)
	defer done()
	for gone := 0; ; {
		state, err := s.manager.State(within, s.name)
		switch {
		case s.app.Ctx.Err() != nil:
			return s.app.Ctx.Err()
		case within.Err() != nil:
			return s.silent(fmt.Sprintf("the server does not answer at %s after %s", at, w.Wait), "")
		case err != nil:
			return err
		case state.Running && ready(within, at):
			return nil
		case state.Running:
			gone = 0
		default:
			if gone++; gone >= goneAfter {
				return s.silent("the server ended", state.Ended)
			}
		}
		select {
		case <-within.Done():
		case <-time.After(askInterval):
		}
	}
}

// silent is the error of a server that does not answer.
func (s *service) silent(what, ended string) error {
	if ended != "" {
		what += " (" + ended + ")"
	}
	if said := s.manager.Said(s.app.Ctx, s.name); len(said) > 0 {
		what += "; it wrote:\n  " + strings.Join(said, "\n  ") + "\n"
	} else {
		what += "; "
	}
	return fmt.Errorf("%ssatchel service status says more, and its log is here: %s", what, s.manager.Log(s.name))
}

// address returns the address at which the server answers.
func (r record) address() (string, error) {
	conf, err := r.homeOf().ReadConfig()
	if err != nil {
		return "", err
	}
	return address(r.Flags, conf.Port)
}

// ready asks a server of this machine whether it is ready. The request holds no secret, so
// ready does not check the certificate, which names the server as others see it.
func ready(ctx context.Context, at string) bool {
	client := http.Client{Timeout: askTime, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/readyz", nil)
	if err != nil {
		return false
	}
	got, err := client.Do(r)
	if err != nil {
		return false
	}
	return got.Body.Close() == nil && got.StatusCode == http.StatusOK
}

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
