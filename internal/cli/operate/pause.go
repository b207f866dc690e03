package operate

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
)

// PauseCmd is the command satchel pause.
type PauseCmd struct {
	Host string `arg:"" help:"The host, by its name in satchel connect, or as it names itself in satchel audit reads."`
}

// Help says what a pause is.
func (c *PauseCmd) Help() string {
	return "Its entry stays. Until satchel resume, each of its calls over MCP is refused in words that the model can pass on, in programs that run already as well. " +
		"A host is known by the name that it gives itself. For a host that you do not trust use satchel connect HOST --remove, or revoke its token."
}

// Run pauses a host.
func (c *PauseCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		name, also := namesOf(c.Host)
		if err := o.Assistants().Pause(a.Ctx, o.Caller(), name, also...); err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"host": assistant.Fold(name), "paused": true})
		}
		a.Print("%s is paused", assistant.Fold(name))
		if len(also) == 0 {
			a.Say("satchel does not know this host; satchel audit reads shows the names that hosts give themselves")
		}
		return nil
	})
}

// ResumeCmd is the command satchel resume.
type ResumeCmd struct {
	Host string `arg:"" optional:"" help:"The host that was paused. Without one, the paused hosts are listed."`
}

// Run lets a paused host in again.
func (c *ResumeCmd) Run(a *cli.App) error {
	if c.Host == "" {
		return a.With(cli.Probing, func(o *cli.Session) error { return listPaused(a, o) })
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		name, _ := namesOf(c.Host)
		if err := o.Assistants().Resume(a.Ctx, o.Caller(), name); err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"host": assistant.Fold(name), "paused": false})
		}
		a.Print("%s may read and write again", assistant.Fold(name))
		return nil
	})
}

func listPaused(a *cli.App, o *cli.Session) error {
	paused, err := o.Assistants().Paused(a.Ctx, o.Caller())
	if err != nil {
		return err
	}
	if a.JSON {
		type row struct {
			Host  string   `json:"host"`
			Also  []string `json:"also"`
			Since string   `json:"since"`
		}
		rows := []row{}
		for _, p := range paused {
			rows = append(rows, row{p.Name, append([]string{}, p.Also...), cli.Local(p.Since)})
		}
		return a.Emit(map[string]any{"paused": rows})
	}
	for _, p := range paused {
		a.Print("%s  since %s", p.Name, cli.Local(p.Since))
	}
	if len(paused) == 0 {
		a.Say("no host is paused")
	}
	return nil
}

// namesOf returns the name of a host and the other names that it gives itself, for one that
// satchel knows by any name.
func namesOf(given string) (name string, also []string) {
	folded := assistant.Fold(given)
	for _, h := range Hosts() {
		names := slices.Concat([]string{h.Name}, h.aliases, h.ownNames())
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, given) || assistant.Fold(n) == folded }) {
			return h.Name, h.ownNames()
		}
	}
	return given, nil
}
