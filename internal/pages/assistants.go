package pages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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
}

// ReadingQuery selects readings.
type ReadingQuery struct {
	Assistant string    // its name; empty: any
	Memory    memory.ID // empty: of any memory
	After     string    // Older of the page before
	Since     time.Time // zero: since the journal began
	Limit     int
}

// ReadingList is one page of readings.
type ReadingList struct {
	Readings []Reading
	Older    string // for After; empty: there are none
}

// Reading says that an assistant was given memories.
type Reading struct {
	At        time.Time
	Place     string // differs from that of every other reading
	Way       string // how: recall, get, brief, list, history or context
	Assistant string // its name in addresses; empty: it has none
	Title     string // its name for people
	Token     bool   // it showed a token
	Project   string
	Times     int
	Given     int
	Memories  []ReadMemory // those that exist still, the first few of them
	Question  string
}

// ReadMemory is a memory that was given.
type ReadMemory struct {
	ID   memory.ID
	Text string
}

// watchHandler answers requests about assistants.
type watchHandler struct{ *Handler }

// watching adds the pages about assistants.
func (all *Handler) watching() {
	h := watchHandler{all}
	h.mux.Handle("/me/assistants", h.reads(h.assistants))
	h.mux.Handle("/me/assistants/{name}", h.reads(h.assistant))
	h.mux.Handle("/me/assistants/{name}/pause", h.writes(h.pause))
	h.mux.Handle("/me/assistants/{name}/resume", h.writes(h.resume))
	h.mux.Handle("/me/memories/{id}/readers", h.reads(h.readers))
}

// watchRoutes lists the paths of these pages.
func watchRoutes() []string {
	return []string{"/me/assistants", "/me/assistants/{name}", "/me/assistants/{name}/pause", "/me/assistants/{name}/resume", "/me/memories/{id}/readers"}
}

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
	p := assistantsPage{frame: f, Days: CountedDays}
	for _, a := range all {
		row := assistantRowOf(a, f.Now)
		if a.Connected || a.Times > 0 || !a.Paused.IsZero() || a.Token != "" {
			p.Rows = append(p.Rows, row)
		} else if a.Installed {
			p.Others = append(p.Others, row)
		}
	}
	h.show(w, r, http.StatusOK, "assistants", p)
}

// readingRow is a reading as pages show it.
type readingRow struct {
	Reading
	When  moment
	How   string
	Path  string // of the assistant
	Links []namedLink
	More  int // memories without a link
}

// ways are the ways of reading in an owner's words.
var ways = map[string]string{
	"recall": "searched", "get": "opened it", "brief": "began a session", "list": "listed", "history": "looked at versions", "context": "began a session", "find": "looked it up", "subscribe": "followed changes",
}

func readingRowOf(r Reading, now time.Time) readingRow {
	row := readingRow{Reading: r, When: momentOf(r.At, now), How: ways[r.Way]}
	if row.How == "" {
		row.How = r.Way
	}
	if r.Times > 1 {
		row.How += ", " + strconv.Itoa(r.Times) + " times"
	}
	row.Title = cut(r.Title, 60)
	row.Project, row.Question = cut(r.Project, 60), cut(r.Question, 300)
	if r.Assistant != "" {
		row.Path = assistantPath(r.Assistant)
	}
	for _, m := range r.Memories {
		row.Links = append(row.Links, namedLink{Name: cut(m.Text, 100), Path: memoryPath(m.ID)})
	}
	row.More = max(0, r.Given-len(row.Links))
	return row
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
	a, err := h.theAssistant(r, v)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := assistantPage{frame: h.frame(r, v, cut(a.Title, 60), "assistants"), Days: CountedDays}
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

// readersPart is the part of a memory's page that says who read it. While the page is open, it
// asks for a newer part, until Until.
type readersPart struct {
	Readings []readingRow
	More     bool
	Path     string // where it asks; empty: it does not
}

// How many readings the page of a memory shows, and for how long it asks for newer ones.
const (
	readersShown = 10
	watchedFor   = 10 * time.Minute
	// readingIsLate is more than what passes until a reading is written.
	readingIsLate = 10 * time.Second
)

// readersOf returns who read a memory. seen is the place of the latest reading.
func (h watchHandler) readersOf(r *http.Request, v visitor, id memory.ID, until time.Time) (p readersPart, seen string, err error) {
	now := h.options.Now()
	list, err := h.backend.Readings(r.Context(), v.caller, ReadingQuery{Memory: id, Limit: readersShown})
	for _, reading := range list.Readings {
		p.Readings = append(p.Readings, readingRowOf(reading, now))
	}
	if p.More = list.Older != ""; len(list.Readings) > 0 {
		seen = list.Readings[0].Place
	}
	if now.Before(until) {
		at := strconv.FormatInt(now.Add(-readingIsLate).Unix(), 10)
		p.Path = memoryPath(id) + "/readers?" + url.Values{"seen": {seen}, "at": {at}, "until": {strconv.FormatInt(until.Unix(), 10)}}.Encode()
	}
	return p, seen, err
}

// readers answers with the part of a memory's page that says who read it, if that changed.
func (h watchHandler) readers(w http.ResponseWriter, r *http.Request, v visitor) {
	id, err := h.backend.Find(r.Context(), v.caller, r.PathValue("id"))
	var p readersPart
	var seen string
	if err == nil {
		seconds, failed := strconv.ParseInt(r.URL.Query().Get("until"), 10, 64)
		until := time.Unix(seconds, 0)
		if most := h.options.Now().Add(watchedFor); failed != nil || until.After(most) {
			until = most
		}
		if quiet, failed := h.quiet(r, v, id); quiet && h.options.Now().Before(until) {
			w.WriteHeader(http.StatusNoContent)
			return
		} else if err = failed; err == nil {
			p, seen, err = h.readersOf(r, v, id, until)
		}
	}
	switch {
	case err != nil:
		h.fail(w, r, v, err)
	case p.Path != "" && seen == r.URL.Query().Get("seen"):
		w.WriteHeader(http.StatusNoContent)
	default:
		h.show(w, r, http.StatusOK, "readers", p)
	}
}

// quiet reports whether nobody was given a memory since the part that asks was made. It looks
// at the latest readings only.
func (h watchHandler) quiet(r *http.Request, v visitor, id memory.ID) (bool, error) {
	at, err := strconv.ParseInt(r.URL.Query().Get("at"), 10, 64)
	if err != nil {
		return false, nil
	}
	list, err := h.backend.Readings(r.Context(), v.caller, ReadingQuery{Memory: id, Since: time.Unix(at, 0), Limit: 1})
	return err == nil && (len(list.Readings) == 0 || list.Readings[0].Place == r.URL.Query().Get("seen")), err
}
