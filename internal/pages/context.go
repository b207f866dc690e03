package pages

import (
	"net/http"
	"strconv"
)

// contextPage is what a new session starts from.
type contextPage struct {
	frame
	Briefing
	Project  string
	Projects []choice
	Budgets  []choice
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

// mostBudget is the longest text that the page shows, in tokens.
const mostBudget = 20_000

// budgetOf reads a number of tokens from the address; 0: as many as usual.
func budgetOf(asked string) (int, error) {
	if asked == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 1 || n > mostBudget {
		return 0, invalid("a budget is a number of tokens from 1 to " + grouped(mostBudget))
	}
	return n, nil
}

// context shows what a new session starts from.
func (h *Handler) context(w http.ResponseWriter, r *http.Request, v visitor) {
	p := contextPage{frame: h.frame(r, v, "What a new session is told", "home"), Project: r.URL.Query().Get("project")}
	asked := r.URL.Query().Get("budget")
	budget, err := budgetOf(asked)
	var projects []string
	if err == nil {
		projects, err = h.backend.ProjectNames(r.Context(), v.caller)
	}
	if err == nil {
		p.Briefing, err = h.backend.Briefing(r.Context(), v.caller, p.Project, budget)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p.Projects, p.Parts, p.Command = projectChoices(projects, p.Project), sectionsOf(p.Sections), command("brief")
	p.Projects[0].Word = "No project"
	if p.Project != "" {
		p.Command += " --project " + quoted(p.Project)
	}
	if budget != 0 {
		p.Command += " --budget " + strconv.Itoa(budget)
	}
	p.Budgets = choices(asked, "", "As usual: "+grouped(p.Usual)+" tokens", "400", "400 tokens", "800", "800 tokens", "3200", "3,200 tokens", "6400", "6,400 tokens")
	h.show(w, r, http.StatusOK, "context", p)
}
