package pages

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// timelinePage shows what was true when.
type timelinePage struct {
	frame
	Subject string // as asked
	On      string // the day at which the facts are true, as 2006-01-02
	Months  []month
	First   string // the ends of the time that the bars span
	Last    string
	One     string // the text of the one memory whose versions these are
	Path    string // its page
	Older   string
	Newer   string
	Command string
	Any     bool // something was asked for
}

// month is the part of a timeline that began in one month.
type month struct {
	Name  string
	Facts []dated
}

// dated is a memory on a timeline, with a bar from the beginning of its truth to the end.
type dated struct {
	row
	Since    moment
	Until    moment
	X, Width int // of the bar, of 1000
	Changed  []piece
	By       string // the short id of what replaced it
	ByPath   string
}

// timelineHandler answers requests about timelines and graphs.
type timelineHandler struct{ *Handler }

// timeline shows facts by month: all of them, those that a search finds, or the versions of
// one.
func (h timelineHandler) timeline(w http.ResponseWriter, r *http.Request, v visitor) {
	p := timelinePage{frame: h.frame(r, v, "Timeline", "timeline"), Subject: strings.TrimSpace(r.URL.Query().Get("subject")), On: r.URL.Query().Get("at")}
	p.Any = p.Subject != "" || p.On != ""
	at, err := dayAt(p.On, p.Now.Location())
	var found []memory.Record
	if err == nil {
		found, err = p.find(r.Context(), h.backend, v.caller, at, r.URL.Query().Get("after"), r.URL.Query().Get("before"))
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p.fill(found)
	h.show(w, r, http.StatusOK, "timeline", p)
}

// dayAt returns the last minute of a day; the zero time for no day.
func dayAt(day string, here *time.Location) (time.Time, error) {
	if day == "" {
		return time.Time{}, nil
	}
	at, err := time.ParseInLocation(time.DateOnly, day, here)
	if err != nil {
		return at, invalid("the address names a day that is none; write it as 2026-05-03")
	}
	return at.Add(lastMinute), nil
}

// find returns the memories of the timeline.
func (p *timelinePage) find(ctx context.Context, b Backend, c memory.Caller, at time.Time, after, before string) ([]memory.Record, error) {
	if p.Subject == "" {
		list, err := b.List(ctx, c, ListQuery{ValidAt: at, After: after, Before: before})
		if p.Command = command("list", "--all"); list.Older != "" {
			p.Older = pathWith(Root+"timeline", "at", p.On, "after", list.Older)
		}
		if list.Newer != "" {
			p.Newer = pathWith(Root+"timeline", "at", p.On, "before", list.Newer)
		}
		return list.Memories, err
	}
	if id, err := b.Find(ctx, c, p.Subject); err == nil {
		m, err := b.Memory(ctx, c, id)
		p.One, p.Path, p.Command = cut(oneLine(m.Body.Text), 120), memoryPath(id), command("history", m.Short)
		versions := m.Versions
		if !at.IsZero() {
			versions = slices.DeleteFunc(slices.Clone(versions), func(rec memory.Record) bool { return !trueAt(rec, at) })
		}
		return versions, err
	}
	p.Command = command("recall", quoted(cut(p.Subject, 200)))
	hits, _, err := b.Search(ctx, c, memory.Query{Text: p.Subject, Limit: mostHits, Filter: memory.Filter{ValidAt: at}})
	if err != nil {
		return nil, err
	}
	return withVersions(ctx, b, c, hits, at)
}

// mostTraced is for how many hits of a search the timeline shows earlier versions.
const mostTraced = 20

// withVersions returns what a search found, and earlier versions of it unless they are
// forgotten. A search as of a day finds what was true then by itself.
func withVersions(ctx context.Context, b Backend, c memory.Caller, hits []memory.Hit, at time.Time) (found []memory.Record, err error) {
	known := map[memory.ID]bool{}
	add := func(rec memory.Record) {
		if !known[rec.ID] && rec.Lifecycle.Status.Or() == memory.Active {
			known[rec.ID], found = true, append(found, rec)
		}
	}
	for i, hit := range hits {
		add(hit.Record)
		if i >= mostTraced || !at.IsZero() || len(hit.Record.Supersedes) == 0 {
			continue
		}
		m, err := b.Memory(ctx, c, hit.Record.ID)
		if err != nil {
			return nil, err
		}
		for _, rec := range m.Versions {
			add(rec)
		}
	}
	return found, nil
}

// trueAt reports whether a memory is true at an instant.
func trueAt(rec memory.Record, at time.Time) bool {
	return !rec.Time.From().After(at) && (rec.Time.ValidTo.IsZero() || rec.Time.ValidTo.After(at))
}

// fill puts the memories in months, the latest first.
func (p *timelinePage) fill(found []memory.Record) {
	if len(found) == 0 {
		return
	}
	all := slices.Clone(found)
	slices.SortStableFunc(all, func(a, b memory.Record) int { return b.Time.From().Compare(a.Time.From()) })
	first, last := all[len(all)-1].Time.From(), p.Now
	for _, rec := range all {
		if rec.Time.ValidTo.After(last) {
			last = rec.Time.ValidTo
		}
	}
	here := p.Now.Location()
	p.First, p.Last = first.In(here).Format("January 2006"), last.In(here).Format("January 2006")
	span := max(last.Sub(first), time.Second)
	place := func(at time.Time) int { return int(1000 * float64(at.Sub(first)) / float64(span)) }
	for i, rec := range all {
		d := dated{row: rowOf(rec, p.Now), Since: momentOf(rec.Time.From(), p.Now), Until: momentOf(rec.Time.ValidTo, p.Now)}
		end := last
		if !rec.Time.ValidTo.IsZero() {
			end = rec.Time.ValidTo
		}
		d.X = min(max(0, place(rec.Time.From())), 990)
		d.Width = min(max(10, place(end)-d.X), 1000-d.X)
		if p.One != "" && i+1 < len(all) {
			d.Changed = difference(cut(all[i+1].Body.Text, rowText), d.Text)
		} else {
			d.Changed = []piece{{Text: d.Text}}
		}
		if len(rec.SupersededBy) > 0 {
			d.By, d.ByPath = shortID(rec.SupersededBy[0]), memoryPath(rec.SupersededBy[0])
		}
		name := rec.Time.From().In(here).Format("January 2006")
		if n := len(p.Months); n == 0 || p.Months[n-1].Name != name {
			p.Months = append(p.Months, month{Name: name})
		}
		at := &p.Months[len(p.Months)-1]
		at.Facts = append(at.Facts, d)
	}
}

// Count says how many memories began in the month.
func (m month) Count() string { return counted(len(m.Facts), "memory", "memories") }

// Bar describes the bar in words.
func (d dated) Bar() string {
	if d.Until.ISO == "" {
		return "true since " + d.Since.Exact
	}
	return "true from " + d.Since.Exact + " until " + d.Until.Exact
}

// depthOf reads how far a graph reaches.
func depthOf(asked string) (int, error) {
	if asked == "" {
		return 1, nil
	}
	depth, err := strconv.Atoi(asked)
	if err != nil || depth < 1 || depth > 2 {
		return 0, invalid("a graph reaches 1 or 2 steps")
	}
	return depth, nil
}
