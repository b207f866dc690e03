package pages

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Projects knows the projects by all their names.
type Projects interface {
	// Projects lists the projects, most memories first. The empty name stands for memories
	// of no project.
	Projects(ctx context.Context, c memory.Caller) ([]Project, error)
	// ProjectNames lists the names of the projects alone, most memories first. It counts all
	// active memories, which is quicker than to count those that are true now.
	ProjectNames(ctx context.Context, c memory.Caller) ([]string, error)
	// AliasProject lets a name stand for a project in every question; an empty project ends
	// that.
	AliasProject(ctx context.Context, c memory.Caller, alias, project string) error
}

// Project is a project, its number of memories that are true now, and the names that stand
// for it.
type Project struct {
	Name     string
	Memories int
	Aliases  []string
	Last     time.Time // when the latest of its memories was made; zero: it has none
}

// projectHandler answers requests about projects.
type projectHandler struct{ *Handler }

// projectsPage lists the projects.
type projectsPage struct {
	frame
	Rows    []projectRow
	Names   []choice
	None    string // how many memories have no project
	NoPath  string
	Command string
}

// projectRow is a project in a list.
type projectRow struct {
	Name, Path, Told string
	Whole            string // the name, uncut
	Memories         string
	Last             moment
	Aliases          []string
}

// projects lists the projects.
func (h projectHandler) projects(w http.ResponseWriter, r *http.Request, v visitor) {
	p := projectsPage{frame: h.frame(r, v, "Projects", "projects"), Command: command("projects")}
	all, err := h.backend.Projects(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	for _, one := range all {
		memories := counted(one.Memories, "memory", "memories")
		if one.Name == "" {
			p.None, p.NoPath = memories, Root+"memories"
			continue
		}
		p.Rows = append(p.Rows, projectRow{Name: cut(one.Name, 120), Whole: one.Name, Path: listPath("project", one.Name), Told: pathWith(Root+"context", "project", one.Name),
			Memories: memories, Last: momentOf(one.Last, p.Now), Aliases: one.Aliases})
		p.Names = append(p.Names, choice{Value: one.Name, Word: cut(one.Name, 60)})
	}
	h.show(w, r, http.StatusOK, "projects", p)
}

// joinPage asks before a project gets another name.
type joinPage struct {
	frame
	Alias, Project string
	Moving, There  int
	Known          bool // Project is one already: two are joined
	Command        string
}

// joinNames reads which name shall stand for which project.
func joinNames(get func(string) string) (alias, project string, err error) {
	alias, project = strings.TrimSpace(get("alias")), strings.TrimSpace(get("project"))
	switch {
	case alias == "" || project == "":
		err = invalid("say which project gets which name")
	case alias == project:
		err = invalid("the two names are the same")
	case len(alias) > 1000 || len(project) > 1000 || strings.ContainsFunc(project, func(c rune) bool { return c < ' ' }):
		err = invalid("this is no name of a project")
	}
	return alias, project, err
}

// joinOf says what joining two projects, or giving one another name, does, and asks.
func (h projectHandler) joinOf(w http.ResponseWriter, r *http.Request, v visitor) {
	alias, project, err := joinNames(r.URL.Query().Get)
	var all []Project
	if err == nil {
		all, err = h.backend.Projects(r.Context(), v.caller)
	}
	p := joinPage{frame: h.frame(r, v, "Join projects", "projects"), Alias: alias, Project: project, Command: command("projects", "alias", quoted(alias), quoted(project))}
	known := false
	for _, one := range all {
		if one.Name == alias {
			known, p.Moving = true, one.Memories
		}
		if one.Name == project {
			p.Known, p.There = true, one.Memories
		}
	}
	if err == nil && !known {
		err = &memory.Error{Kind: memory.NotFound}
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.show(w, r, http.StatusOK, "join", p)
}

// Total is how many memories the project has afterwards.
func (p joinPage) Total() int { return p.Moving + p.There }

// join lets one name stand for another.
func (h projectHandler) join(w http.ResponseWriter, r *http.Request, v visitor) {
	alias, project, err := joinNames(r.PostForm.Get)
	if err == nil {
		err = h.backend.AliasProject(r.Context(), v.caller, alias, project)
	}
	h.toProjects(w, r, v, err)
}

// part lets a name stand for itself again.
func (h projectHandler) part(w http.ResponseWriter, r *http.Request, v visitor) {
	alias := r.PostForm.Get("alias")
	if alias == "" {
		h.toProjects(w, r, v, invalid("say which name shall stand for itself"))
		return
	}
	h.toProjects(w, r, v, h.backend.AliasProject(r.Context(), v.caller, alias, ""))
}

func (h projectHandler) toProjects(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	http.Redirect(w, r, Root+"projects", http.StatusSeeOther)
}
