package vault

import (
	"context"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// ProjectInfo is a project, how many live records it has, and the names that
// stand for it.
type ProjectInfo struct {
	Name    string
	Records int
	Aliases []string
}

// Projects lists the projects the owner's live records belong to, most records
// first. Records without a project come under the empty name.
func (v *Vault) Projects(ctx context.Context, c memory.Caller) ([]ProjectInfo, error) {
	const op = "projects"
	if err := v.may(op, c, memory.ReadVerb); err != nil {
		return nil, err
	}
	if !c.Speaks() {
		return nil, forbidden(op, "only the owner and the owner's agents may see the projects")
	}
	var out []ProjectInfo
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		counted, err := r.Projects()
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

// joined adds up the projects that stand for the same one.
func (n names) joined(counted []store.Project) []ProjectInfo {
	byName := map[string]*ProjectInfo{}
	at := func(name string) *ProjectInfo {
		if byName[name] == nil {
			byName[name] = &ProjectInfo{Name: name}
		}
		return byName[name]
	}
	for _, p := range counted {
		at(n.canonical(p.Name)).Records += p.Records
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
		return invalid(op, "/alias", "", "name two different projects: the alias and what it stands for")
	}
	err := v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		n, err := projectNames(w)
		if err != nil {
			return err
		}
		if project != "" {
			project = n.canonical(project)
			if project == alias {
				return invalid(op, "/project", "", "these two already stand for one another")
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
