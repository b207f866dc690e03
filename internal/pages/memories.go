package pages

import (
	"net/http"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// memoriesPage is what the list of memories shows.
type memoriesPage struct {
	frame
	Filter   filter
	List     List
	Rows     []row
	Projects []choice
	Kinds    []choice
	States   []choice
	Seen     []choice // by whom
	Times    []choice
	Without  []namedLink // the list without one of the filters
	Older    string
	Newer    string
	Newest   string
	Command  string
	Query    string // of the address, for the form that forgets
}

// filter is what a list is narrowed to, as its address says.
type filter struct {
	Project, Kind, State, Visibility, From, Since, Import string
}

func filterOf(r *http.Request) filter {
	q := r.URL.Query()
	return filter{q.Get("project"), q.Get("kind"), q.Get("state"), q.Get("visibility"), q.Get("from"), q.Get("since"), q.Get("import")}
}

// pairs are the names and values of the address.
func (f filter) pairs() []string {
	return []string{"project", f.Project, "kind", f.Kind, "state", f.State, "visibility", f.Visibility, "from", f.From, "since", f.Since, "import", f.Import}
}

// choice is an entry of a list from which one is chosen.
type choice struct {
	Value, Word string
	Chosen      bool
}

func choices(chosen string, pairs ...string) []choice {
	all := make([]choice, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, choice{pairs[i], pairs[i+1], pairs[i] == chosen})
	}
	return all
}

// memories lists memories.
func (h *Handler) memories(w http.ResponseWriter, r *http.Request, v visitor) {
	f := h.frame(r, v, "Memories", "memories")
	p := memoriesPage{frame: f, Filter: filterOf(r)}
	q, err := p.Filter.query(f.Now)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	q.After, q.Before = r.URL.Query().Get("after"), r.URL.Query().Get("before")
	if p.List, err = h.backend.List(r.Context(), v.caller, q); err == nil {
		err = p.fill(h, r, v)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.show(w, r, http.StatusOK, "memories", p)
}

// fill adds what stands around the rows.
func (p *memoriesPage) fill(h *Handler, r *http.Request, v visitor) error {
	projects, err := h.backend.ProjectNames(r.Context(), v.caller)
	if err != nil {
		return err
	}
	p.Rows = rowsOf(p.List.Memories, p.Now)
	p.Projects = projectChoices(projects, p.Filter.Project)
	p.Kinds = choices(p.Filter.Kind, "", "All kinds", "semantic", "Facts", "episodic", "Events", "procedural", "Rules", "working", "Tasks", "identity", "About you")
	p.States = choices(p.Filter.State, "", "True now", "all", "Also replaced and ended", "candidate", "Waiting for you", "tombstoned", "Forgotten")
	p.Seen = choices(p.Filter.Visibility, "", "Anybody", "private", "Private", "shared", "Shared", "public", "Public")
	p.Times = choices(p.Filter.Since, "", "At any time", "1d", "Since yesterday", "7d", "In the last week", "30d", "In the last month", "365d", "In the last year")
	if p.List.Older != "" {
		p.Older = listPath(append(p.Filter.pairs(), "after", p.List.Older)...)
	}
	if p.List.Newer != "" {
		p.Newer = listPath(append(p.Filter.pairs(), "before", p.List.Newer)...)
		p.Newest = listPath(p.Filter.pairs()...)
	}
	p.Query = r.URL.Query().Encode()
	p.Without, p.Command = p.Filter.without(), p.Filter.command(p.Now)
	return nil
}

// mostProjects is how many projects the list of choices names.
const mostProjects = 200

func projectChoices(projects []string, chosen string) []choice {
	all, found := choices(chosen, "", "All projects"), chosen == ""
	for _, p := range projects {
		if p == "" || len(all) > mostProjects {
			continue
		}
		all = append(all, choice{p, cut(p, 50), p == chosen})
		found = found || p == chosen
	}
	if !found {
		all = append(all, choice{chosen, cut(chosen, 50), true})
	}
	return all
}

// query is the question for a list that a filter means.
func (f filter) query(now time.Time) (ListQuery, error) {
	q := ListQuery{Project: f.Project, Kind: memory.Kind(f.Kind), Visibility: memory.Visibility(f.Visibility), From: f.From}
	switch f.State {
	case "":
		q.ValidAt = now
	case "all":
	default:
		q.Status = memory.Status(f.State)
	}
	if f.Kind != "" && !q.Kind.Valid() || f.Visibility != "" && !q.Visibility.Valid() || q.Status != "" && !q.Status.Valid() {
		return q, invalid("the address names a filter that does not exist")
	}
	if f.Since != "" {
		days, err := strconv.Atoi(f.Since[:len(f.Since)-1])
		if err != nil || days < 1 || days > 36500 || f.Since[len(f.Since)-1] != 'd' {
			return q, invalid("the address names a time that is none; 7d means seven days")
		}
		q.Since = now.Add(-time.Duration(days) * 24 * time.Hour)
	}
	if f.Import != "" {
		number, err := strconv.ParseInt(f.Import, 10, 64)
		if err != nil || number < 1 {
			return q, invalid("the address names an import that is none")
		}
		q.Import = number
	}
	return q, nil
}

func invalid(message string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: "page", Message: message}
}

// without returns the lists that lack one of the filters each.
func (f filter) without() (all []namedLink) {
	names := map[string]string{"project": f.Project, "kind": kindWord(memory.Kind(f.Kind)), "state": f.State, "visibility": f.Visibility, "from": f.From, "since": f.Since, "import": f.Import}
	pairs := f.pairs()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			continue
		}
		fewer := append(append([]string{}, pairs[:i]...), pairs[i+2:]...)
		all = append(all, namedLink{Name: pairs[i] + ": " + cut(names[pairs[i]], 40), Path: listPath(fewer...)})
	}
	return all
}

// command is the command line for the same list.
func (f filter) command(now time.Time) string {
	words, since := []string{"list"}, ""
	if q, err := f.query(now); err == nil && !q.Since.IsZero() {
		since = q.Since.Format("2006-01-02T15:04")
	}
	for _, pair := range [][2]string{{"--project", f.Project}, {"--kind", f.Kind}, {"--visibility", f.Visibility}, {"--since", since}, {"--import", f.Import}} {
		if pair[1] != "" {
			words = append(words, pair[0], quoted(pair[1]))
		}
	}
	switch f.State {
	case "":
	case "all":
		words = append(words, "--all")
	default:
		words = append(words, "--status", quoted(f.State))
	}
	return command(words...)
}
