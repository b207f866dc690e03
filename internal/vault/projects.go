package vault

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ProjectInfo is a project, how many records of it count, when the latest of them was made,
// and the names that stand for it.
type ProjectInfo struct {
	Name    string
	Records int
	Last    time.Time
	Aliases []string
}

// Projects lists the projects the owner's active records belong to, most records first.
// Records without a project come under the empty name. Only records that are valid at the
// instant count, and not the versions that they have replaced; the zero time: all count, which
// is quick for any number of records.
func (v *Vault) Projects(ctx context.Context, c memory.Caller, validAt time.Time) ([]ProjectInfo, error) {
	const op = "projects"
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return nil, err
	}
	if !c.Speaks() {
		return nil, Forbidden(op, "only the owner and the owner's agents may see the projects")
	}
	var out []ProjectInfo
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		counted, err := r.Projects(validAt)
		if err != nil {
			return err
		}
		n, err := projectNames(r)
		if err != nil {
			return err
		}
		out = n.joined(counted)
		return nil
	})
	return out, v.refusal(c, op, "", err)
}

// joined adds up the records of projects that are the same by their aliases.
func (n ProjectNames) joined(counted []store.Project) []ProjectInfo {
	byName := map[string]*ProjectInfo{}
	at := func(name string) *ProjectInfo {
		if byName[name] == nil {
			byName[name] = &ProjectInfo{Name: name}
		}
		return byName[name]
	}
	for _, p := range counted {
		info := at(n.canonical(p.Name))
		info.Records += p.Records
		if p.Last.After(info.Last) {
			info.Last = p.Last
		}
	}
	for alias, project := range n {
		p := at(project)
		p.Aliases = append(p.Aliases, alias)
	}
	out := make([]ProjectInfo, 0, len(byName))
	for _, p := range byName {
		slices.Sort(p.Aliases)
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b ProjectInfo) int {
		if a.Records != b.Records {
			return b.Records - a.Records
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}

// meant returns the project that a name stands for: the project of that name, or else
// the only one that ends in it, as github.com/o/shop does in shop and in o/shop. Any
// other name is a new project. Peers do not learn which projects exist.
func (n ProjectNames) meant(r store.Reader, op string, c memory.Caller, name string) (string, error) {
	if _, alias := n[name]; alias || name == "" || path.IsAbs(name) || !c.Speaks() {
		return name, nil
	}
	counted, err := r.Projects(time.Time{})
	if err != nil {
		return "", err
	}
	var fitting []string
	for _, p := range n.joined(counted) {
		if p.Name == name {
			return name, nil
		}
		if endsIn(p.Name, name) {
			fitting = append(fitting, p.Name)
		}
	}
	switch len(fitting) {
	case 0:
		return name, nil
	case 1:
		return fitting[0], nil
	}
	slices.Sort(fitting)
	return "", Invalid(op, "/scope/project", "UMP-2.2-1", "could be any of several projects; send one of "+strings.Join(fitting, ", "))
}

// endsIn reports whether the last parts of a project's name are a shorter name.
func endsIn(project, name string) bool {
	rest := len(project) - len(name)
	return rest > 0 && project[rest-1] == '/' && strings.EqualFold(project[rest:], name)
}

// inProject gives a draft the project that its author means. A signed record keeps its own.
func (x *access) inProject(ctx context.Context, c memory.Caller, d memory.Draft) (memory.Draft, error) {
	if d.Complete || d.Record.Scope.Project == "" {
		return d, nil
	}
	err := x.store.View(ctx, c.Owner, func(r store.Reader) error {
		n, err := projectNames(r)
		if err != nil {
			return err
		}
		d.Record.Scope.Project, err = n.meant(r, "remember", c, d.Record.Scope.Project)
		return err
	})
	return d, err
}

// patchInProject gives a patch the project that its author means.
func (x *access) patchInProject(ctx context.Context, c memory.Caller, patch canon.Value) (canon.Value, error) {
	scope := patch.Get("scope")
	said := scope.Get("project")
	if said.Type() != canon.TypeString || said.Text() == "" {
		return patch, nil
	}
	err := x.store.View(ctx, c.Owner, func(r store.Reader) error {
		n, err := projectNames(r)
		if err != nil {
			return err
		}
		meant, err := n.meant(r, "revise", c, said.Text())
		if err == nil {
			patch = patch.With("scope", scope.With("project", canon.String(meant)))
		}
		return err
	})
	return patch, err
}

// AliasProject lets alias stand for project in every question; an empty project
// ends that. Records keep the name they were signed with.
func (v *Vault) AliasProject(ctx context.Context, c memory.Caller, alias, project string) error {
	const op = "projects"
	if err := v.mayWrite(op, c); err != nil {
		return err
	}
	if err := v.mayOwn(op, c); err != nil {
		return err
	}
	if alias == "" || alias == project {
		return Invalid(op, "/alias", "", "name two different projects: the alias and what it stands for")
	}
	err := v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		n, err := projectNames(w)
		if err != nil {
			return err
		}
		if project != "" {
			project = n.canonical(project)
			if project == alias {
				return Invalid(op, "/project", "", "these two already stand for one another")
			}
			for other, p := range n { // what stood for the alias stands for the project now
				if p == alias {
					if err := w.SetProjectAlias(other, project); err != nil {
						return err
					}
				}
			}
		}
		return w.SetProjectAlias(alias, project)
	})
	return v.refusal(c, op, "", err)
}
