package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Assistants tells which assistants there are and what they read.
type Assistants interface {
	// Assistants lists the assistants that are connected, installed, paused or have read in
	// the days before now.
	Assistants(ctx context.Context, c memory.Caller, now time.Time) ([]Assistant, error)
	// Readings returns one page of what assistants read, latest first.
	Readings(ctx context.Context, c memory.Caller, q ReadingQuery) (ReadingList, error)
	// PauseAssistant keeps an assistant of this name out.
	PauseAssistant(ctx context.Context, c memory.Caller, name string) error
	// ResumeAssistant lets it in again. It fails with kind NotFound if it is not paused.
	ResumeAssistant(ctx context.Context, c memory.Caller, name string) error
}

// CountedDays is over how many days the readings and writings of an [Assistant] are counted.
const CountedDays = 30

// Assistant is a program that a model speaks through, or the holder of a token.
type Assistant struct {
	Name      string // in addresses and commands
	Title     string // for people
	Token     string // id of the token that it holds; empty: it is a program of the owner's
	Known     bool   // satchel connect knows it
	Installed bool
	Connected bool
	File      string // of its settings
	Notes     string // of its standing instructions; empty: it has none
	Paused    time.Time
	Last      time.Time // when it read last
	Times     int       // answers that it got
	Given     int       // memories in them
	Wrote     int       // memories that came from it
	From      []string  // names of it as an origin of memories
	After     string    // what to do in it once it is connected
	Elsewhere string    // the store that it uses; empty: this one
	Broken    string    // why File cannot be understood, with the line; empty: it can
	Backup    string    // of File, as it was before Satchel; empty: there is none
}

// watchHandler answers requests about assistants.
type watchHandler struct{ *Handler }

// assistantRow is an assistant as pages show it.
type assistantRow struct {
	Assistant
	Path  string
	Marks []mark
	Last  moment
	Since moment // of the pause
	Reads string
	Wrote string
}

func assistantRowOf(a Assistant, now time.Time) assistantRow {
	r := assistantRow{Assistant: a, Path: assistantPath(a.Name), Last: momentOf(a.Last, now), Since: momentOf(a.Paused, now)}
	r.Title = cut(a.Title, 60)
	switch {
	case !a.Paused.IsZero():
		r.Marks = append(r.Marks, mark{"paused", "wait"})
	case a.Token != "":
		r.Marks = append(r.Marks, mark{"has a token", "open"})
	case a.Broken != "":
		r.Marks = append(r.Marks, mark{"settings are broken", "bad"})
	case a.Elsewhere != "":
		r.Marks = append(r.Marks, mark{"connected to another store", "wait"})
	case a.Connected:
		r.Marks = append(r.Marks, mark{"connected", "good"})
	case a.Known:
		r.Marks = append(r.Marks, mark{"not connected", "plain"})
	}
	switch {
	case a.Times == 0:
		r.Reads = "read nothing"
	case a.Given == 0:
		r.Reads = "asked " + counted(a.Times, "time", "times") + " and found nothing"
	default:
		r.Reads = "read " + counted(a.Given, "memory", "memories") + " in " + counted(a.Times, "answer", "answers")
	}
	if r.Wrote = "stored nothing"; a.Wrote > 0 {
		r.Wrote = "stored " + counted(a.Wrote, "memory", "memories")
	}
	return r
}

func assistantPath(name string) string { return Root + "assistants/" + url.PathEscape(name) }

// assistantsPage lists the assistants.
type assistantsPage struct {
	frame
	Rows   []assistantRow // those that are connected or have read
	Others []assistantRow // those that could be connected
	Absent []assistantRow // those that could be connected if they were here
	Clicks bool           // they can be connected from here
	Days   int
}

// assistants answers who reads.
func (h watchHandler) assistants(w http.ResponseWriter, r *http.Request, v visitor) {
	f := h.frame(r, v, "Assistants", "assistants")
	all, err := h.backend.Assistants(r.Context(), v.caller, f.Now)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := assistantsPage{frame: f, Days: CountedDays, Clicks: h.connects(r, v)}
	for _, a := range all {
		row := assistantRowOf(a, f.Now)
		if a.Connected || a.Times > 0 || !a.Paused.IsZero() || a.Token != "" || a.Broken != "" {
			p.Rows = append(p.Rows, row)
		} else if a.Installed {
			p.Others = append(p.Others, row)
		} else if a.Known {
			p.Absent = append(p.Absent, row)
		}
	}
	h.show(w, r, http.StatusOK, "assistants", p)
}

// assistantPage shows one assistant.
type assistantPage struct {
	frame
	Row      assistantRow
	Days     int
	Readings []readingRow
	Older    string
	Stored   []row
	AllFrom  string
	Commands []string
	Clicks   bool // it can be connected from here, and disconnected
	Tried    string
	Failed   string // what a trial said that failed
}

// theAssistant returns the assistant that the path of a request names.
func (h watchHandler) theAssistant(r *http.Request, v visitor) (Assistant, error) {
	all, err := h.backend.Assistants(r.Context(), v.caller, h.options.Now())
	if err != nil {
		return Assistant{}, err
	}
	i := slices.IndexFunc(all, func(a Assistant) bool { return a.Name == r.PathValue("name") })
	if i < 0 {
		return Assistant{}, &memory.Error{Kind: memory.NotFound}
	}
	return all[i], nil
}

// assistant shows what one assistant read and stored.
func (h watchHandler) assistant(w http.ResponseWriter, r *http.Request, v visitor) {
	h.assistantSaying(w, r, v, "", "")
}

// assistantSaying is assistant with the result of a trial.
func (h watchHandler) assistantSaying(w http.ResponseWriter, r *http.Request, v visitor, tried, failed string) {
	a, err := h.theAssistant(r, v)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := assistantPage{frame: h.frame(r, v, cut(a.Title, 60), "assistants"), Days: CountedDays, Tried: tried, Failed: failed}
	p.Clicks = a.Known && h.connects(r, v)
	p.Row = assistantRowOf(a, p.Now)
	list, err := h.backend.Readings(r.Context(), v.caller, ReadingQuery{Assistant: a.Name, After: r.URL.Query().Get("after"), Limit: PageSize})
	if err == nil && a.Wrote > 0 && len(a.From) > 0 {
		var stored List
		stored, err = h.backend.List(r.Context(), v.caller, ListQuery{From: a.From[0]})
		p.Stored, p.AllFrom = rowsOf(stored.Memories[:min(len(stored.Memories), storedShown)], p.Now), listPath("from", a.From[0])
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	for _, reading := range list.Readings {
		p.Readings = append(p.Readings, readingRowOf(reading, p.Now))
	}
	if list.Older != "" {
		p.Older = pathWith(p.Row.Path, "after", list.Older)
	}
	p.Commands = []string{command("audit", "reads", "--host", quoted(a.Name))}
	switch {
	case a.Token != "":
		p.Commands = []string{command("audit", "show", "--token", quoted(a.Token)), command("token", "revoke", quoted(a.Token))}
	case a.Connected:
		p.Commands = append(p.Commands, command("connect", a.Name, "--remove"))
	case a.Known:
		p.Commands = append(p.Commands, command("connect", a.Name, "--print"), command("connect", a.Name))
	}
	h.show(w, r, http.StatusOK, "assistant", p)
}

// storedShown is how many memories of an assistant its page shows.
const storedShown = 5

// pause keeps an assistant out.
func (h watchHandler) pause(w http.ResponseWriter, r *http.Request, v visitor) {
	h.setPause(w, r, v, h.backend.PauseAssistant, "paused")
}

// resume lets an assistant in again.
func (h watchHandler) resume(w http.ResponseWriter, r *http.Request, v visitor) {
	h.setPause(w, r, v, h.backend.ResumeAssistant, "resumed")
}

func (h watchHandler) setPause(w http.ResponseWriter, r *http.Request, v visitor, set func(context.Context, memory.Caller, string) error, word string) {
	a, err := h.theAssistant(r, v)
	if err == nil && a.Token != "" {
		err = &memory.Error{Kind: memory.NotFound}
	}
	if err == nil {
		err = set(r.Context(), v.caller, a.Name)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, assistantPath(a.Name), word, "")
}
