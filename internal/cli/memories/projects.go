package memories

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// ProjectsCmd is the command satchel projects.
type ProjectsCmd struct {
	List  projectsListCmd  `cmd:"" default:"1" help:"List projects and how many memories each has."`
	Alias projectsAliasCmd `cmd:"" help:"Make one name stand for another."`
}

type projectsListCmd struct{}

// Run lists the projects.
func (c *projectsListCmd) Run(a *cli.App) error {
	type entry struct {
		Name    string   `json:"name"`
		Records int      `json:"records"`
		Aliases []string `json:"aliases"`
	}
	return a.With(cli.Reading, func(o *cli.Session) error {
		projects, err := o.Projects(a.Ctx, o.Caller(), a.Now())
		if err != nil {
			return err
		}
		out := []entry{}
		w := tabwriter.NewWriter(a.Out, 0, 4, 2, ' ', 0)
		for _, p := range projects {
			out = append(out, entry{p.Name, p.Records, append([]string{}, p.Aliases...)})
			name := cli.Clean(p.Name)
			if name == "" {
				name = "(no project)"
			}
			if len(p.Aliases) > 0 {
				name += " = " + cli.Clean(strings.Join(p.Aliases, ", "))
			}
			if !a.JSON {
				fmt.Fprintf(w, "%d\t%s\n", p.Records, name)
			}
		}
		if a.JSON {
			return a.Emit(map[string]any{"projects": out})
		}
		return w.Flush()
	})
}

type projectsAliasCmd struct {
	Alias   string `arg:"" help:"The old name."`
	Project string `arg:"" optional:"" help:"The project it stands for."`
	End     bool   `help:"Remove the alias."`
}

// Run sets or ends an alias.
func (c *projectsAliasCmd) Run(a *cli.App) error {
	if c.End == (c.Project != "") {
		return cli.Usagef("name the project that %s stands for, or say --end", c.Alias)
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		if err := c.known(a, o); err != nil {
			return err
		}
		err := o.AliasProject(a.Ctx, o.Caller(), c.Alias, c.Project)
		if memory.KindOf(err) == memory.InvalidRecord {
			return cli.WithStatus(cli.ExitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{"alias": c.Alias, "project": c.Project})
		}
		if c.End {
			a.Say("%s stands for itself again", c.Alias)
			return nil
		}
		a.Say("%s now stands for %s", c.Alias, c.Project)
		return nil
	})
}

// known warns if neither name is that of a project, as after a typing mistake.
func (c *projectsAliasCmd) known(a *cli.App, o *cli.Session) error {
	projects, err := o.Projects(a.Ctx, o.Caller(), time.Time{})
	if err != nil {
		return err
	}
	for _, p := range projects {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if name == c.Alias || name == c.Project && !c.End {
				return nil
			}
		}
	}
	a.Warn("no memory has the project %s yet; satchel projects lists those there are", cli.Clean(cmp.Or(c.Project, c.Alias)))
	return nil
}
