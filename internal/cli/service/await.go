package service

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const (
	askTime     = 2 * time.Second        // for one question to the server
	askInterval = 200 * time.Millisecond // between two
	goneAfter   = 5                      // questions to the system that find no process
)

// Waiting says how long a command waits for the server.
type Waiting struct {
	Wait   time.Duration `default:"30s" help:"How long the server may take until it answers. Default: 30s." placeholder:"TIME"`
	NoWait bool          `help:"Do not wait for the server."`
}

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
