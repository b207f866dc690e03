package pages

import "net/http"

// contextPage is what a new session starts from.
type contextPage struct {
	frame
	Briefing
	Project  string
	Projects []choice
	Parts    []toldSection
	Command  string
}

// toldSection is a part of what a new session is told.
type toldSection struct {
	Title string
	Texts []namedLink
}

func sectionsOf(told []Section) (all []toldSection) {
	for _, s := range told {
		one := toldSection{Title: s.Title}
		for _, rec := range s.Memories {
			one.Texts = append(one.Texts, namedLink{Name: cut(oneLine(rec.Body.Text), 200), Path: memoryPath(rec.ID)})
		}
		all = append(all, one)
	}
	return all
}

// context shows what a new session starts from.
func (h *Handler) context(w http.ResponseWriter, r *http.Request, v visitor) {
	p := contextPage{frame: h.frame(r, v, "What a new session is told", "home"), Project: r.URL.Query().Get("project")}
	projects, err := h.backend.Projects(r.Context(), v.caller)
	if err == nil {
		p.Briefing, err = h.backend.Briefing(r.Context(), v.caller, p.Project)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p.Projects, p.Parts, p.Command = projectChoices(projects, p.Project), sectionsOf(p.Sections), command("brief")
	p.Projects[0].Word = "No project"
	if p.Project != "" {
		p.Command = command("brief", "--project", quoted(p.Project))
	}
	h.show(w, r, http.StatusOK, "context", p)
}
