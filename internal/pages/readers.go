package pages

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

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

// readersPart is the part of a memory's page that says who read it. The page asks Path for a
// newer part.
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
