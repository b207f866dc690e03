package agent

import (
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/remote"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// Elsewhere returns what gives tasks to agents on other platforms: those that the owner's table
// of tools lists, as it is when a task is given.
func Elsewhere(o *cli.Session, a *cli.App) host.Remote {
	return elsewhere(a, func() (host.Settings, error) { return RunSettings(o, a, RunFiles{}) })
}

func elsewhere(a *cli.App, settings func() (host.Settings, error)) host.Remote {
	return remote.New(remote.Options{Now: a.Now, Trace: trace.Tell, Settings: func() (tool.Operator, func(string) (string, bool), error) {
		s, err := settings()
		return s.Tools, s.Env, err
	}})
}
