package main

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/memory"
)

type projectsCmd struct {
	List  projectsListCmd  `cmd:"" default:"1" help:"List projects and how many memories each has."`
	Alias projectsAliasCmd `cmd:"" help:"Make one name stand for another."`
}

type projectsListCmd struct{}

// Run lists the projects.
func (c *projectsListCmd) Run(a *app) error {
	type entry struct {
		Name    string   `json:"name"`
		Records int      `json:"records"`
		Aliases []string `json:"aliases"`
	}
	return a.with(reading, func(o *opened) error {
		projects, err := o.Projects(a.ctx, o.owner())
		if err != nil {
			return err
		}
		out := []entry{}
		w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
		for _, p := range projects {
			out = append(out, entry{p.Name, p.Records, append([]string{}, p.Aliases...)})
			name := clean(p.Name)
			if name == "" {
				name = "(no project)"
			}
			if len(p.Aliases) > 0 {
				name += " = " + clean(strings.Join(p.Aliases, ", "))
			}
			if !a.json {
				fmt.Fprintf(w, "%d\t%s\n", p.Records, name)
			}
		}
		if a.json {
			return a.emit(map[string]any{"projects": out})
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
func (c *projectsAliasCmd) Run(a *app) error {
	if c.End == (c.Project != "") {
		return usagef("name the project that %s stands for, or say --end", c.Alias)
	}
	return a.with(signing, func(o *opened) error {
		if err := c.known(a, o); err != nil {
			return err
		}
		err := o.AliasProject(a.ctx, o.owner(), c.Alias, c.Project)
		if memory.KindOf(err) == memory.InvalidRecord {
			return as(exitUsage, err) // all of it came from the command line
		}
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{"alias": c.Alias, "project": c.Project})
		}
		if c.End {
			a.say("%s stands for itself again", c.Alias)
			return nil
		}
		a.say("%s now stands for %s", c.Alias, c.Project)
		return nil
	})
}

// known warns when neither name is that of a project, as after a slip.
func (c *projectsAliasCmd) known(a *app, o *opened) error {
	projects, err := o.Projects(a.ctx, o.owner())
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
	a.warn("no memory has the project %s yet; satchel projects lists those there are", clean(cmp.Or(c.Project, c.Alias)))
	return nil
}
