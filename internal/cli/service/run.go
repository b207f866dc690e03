package service

import (
	"os"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/operate"
	"github.com/satchel-memory/satchel/internal/startup"
)

// RunCmd is the command satchel service run, by which Windows runs the service: it has nobody
// who takes the output, starts a server again or asks it to end.
type RunCmd struct{ Name }

const (
	maxLog = 8 << 20         // of a log that a new start goes on with
	again  = 5 * time.Second // until a server that failed starts again
)

// Run serves until somebody stops the service. A server that fails starts again, unless
// something is refused.
func (c *RunCmd) Run(a *cli.App) error {
	s, err := c.installed(a)
	if err != nil {
		return err
	}
	stopped, release, err := startup.Hold(a.Ctx, s.dir, a.Now())
	if err != nil {
		return err
	}
	defer release()
	log, err := openLog(s.in(startup.LogName))
	if err != nil {
		return err
	}
	defer log.Close()
	b := s.on(s.rec)
	b.Ctx, b.Out, b.Err, b.JSON = stopped, log, log, false
	for {
		err := serve(b, s.rec)
		status := cli.StatusOf(err)
		if stopped.Err() != nil || status == cli.ExitDone {
			return nil
		}
		b.Fail(cli.Describe(err))
		if status == cli.ExitUsage || status == cli.ExitRefused {
			return cli.Silent(status)
		}
		select {
		case <-time.After(again):
		case <-stopped.Done():
			return nil
		}
	}
}

// serve runs the server of a service once.
func serve(a *cli.App, r record) error {
	var command operate.ServeCmd
	if err := cli.Flags(&command, r.Flags); err != nil {
		return err
	}
	return command.Run(a)
}

// openLog opens the log to go on with. A long one becomes the one before.
func openLog(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}
