package peer

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// mostRows is how many runs of an agent are looked through, the newest first. A task that is
// older is found by its id.
const mostRows = 1000

// mine returns the newest runs of an agent that a caller began.
func (s *Service) mine(ctx context.Context, c memory.Caller, agent string) ([]runstore.Run, error) {
	rows, err := s.opt.Host.List(ctx, s.owner(), agent, runstore.Place{}, mostRows)
	if err != nil {
		return nil, err
	}
	mark := markOf(c)
	kept := rows[:0]
	for _, row := range rows {
		from, err := s.originOf(ctx, row.ID)
		if err != nil {
			return nil, err
		}
		if from.By == mark {
			kept = append(kept, row)
		}
	}
	return kept, nil
}

// originOf returns the origin of a run. It never changes, so it is kept in memory.
func (s *Service) originOf(ctx context.Context, id string) (origin, error) {
	s.mu.Lock()
	from, known := s.origins[id]
	s.mu.Unlock()
	if known {
		return from, nil
	}
	first, err := s.opt.Host.Page(ctx, s.owner(), id, 0, 1)
	if err != nil {
		return origin{}, err
	}
	if len(first) > 0 && first[0].Start != nil {
		from = readOrigin(run.Value(first[0].Start.Origin))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.origins) >= mostOrigins {
		clear(s.origins)
	}
	s.origins[id] = from
	return from, nil
}

// Tasks lists tasks of the caller, the ones that changed last first.
func (s *Service) Tasks(ctx context.Context, c memory.Caller, agent string, q a2a.Query) (a2a.Page, error) {
	id, err := s.served(agent)
	if err != nil {
		return a2a.Page{}, err
	}
	after, err := readToken(q.After)
	if err != nil {
		return a2a.Page{}, err
	}
	rows, err := s.mine(ctx, c, id)
	if err != nil {
		return a2a.Page{}, err
	}
	slices.SortFunc(rows, func(x, y runstore.Run) int { return placeOf(x).compare(placeOf(y)) })
	page, last, size := a2a.Page{Tasks: []a2a.Task{}}, place{}, 0
	for _, row := range rows {
		t, wanted, err := s.listed(ctx, c, id, row, q)
		if err != nil {
			return a2a.Page{}, err
		}
		if !wanted {
			continue
		}
		page.Total++
		switch {
		case q.After != "" && placeOf(row).compare(after) <= 0:
		case len(page.Tasks) == q.Size, size >= mostBytes:
			page.Next = last.token()
		default:
			if t.ID == "" {
				if t, err = s.Task(ctx, c, id, row.ID); err != nil {
					return a2a.Page{}, err
				}
			}
			if !q.Artifacts {
				t.Artifacts = nil
			}
			t = t.Short(q.History)
			page.Tasks, last, size = append(page.Tasks, t), placeOf(row), size+sizeOf(t)
		}
	}
	return page, nil
}

// mostBytes is how long the tasks of a page are together, but for the last of them: answers may be
// long.
const mostBytes = 1 << 20

// sizeOf returns how many bytes the parts of a task have.
func sizeOf(t a2a.Task) (n int) {
	parts := func(all []a2a.Part) {
		for _, p := range all {
			n += len(p.Text) + len(p.Data.Append(nil))
		}
	}
	for _, m := range t.History {
		parts(m.Parts)
	}
	for _, a := range t.Artifacts {
		parts(a.Parts)
	}
	return n
}

// listed reports whether a query wants a run. It returns the task only if it had to be read for
// that.
func (s *Service) listed(ctx context.Context, c memory.Caller, agent string, row runstore.Run, q a2a.Query) (a2a.Task, bool, error) {
	if row.Changed.Before(q.Since) {
		return a2a.Task{}, false, nil
	}
	from, err := s.originOf(ctx, row.ID)
	if err != nil || q.Context != "" && from.Context != q.Context {
		return a2a.Task{}, false, err
	}
	if q.State == "" {
		return a2a.Task{}, true, nil
	}
	t, err := s.Task(ctx, c, agent, row.ID)
	return t, t.Status.State == q.State, err
}

// place is the place of a task in lists: the ones that changed last come first.
type place struct {
	changed time.Time
	id      string
}

func placeOf(row runstore.Run) place { return place{row.Changed, row.ID} }

func (p place) compare(o place) int {
	return cmp.Or(o.changed.Compare(p.changed), cmp.Compare(p.id, o.id))
}

// token returns the place as clients get it.
func (p place) token() string {
	return base64.RawURLEncoding.EncodeToString([]byte(p.changed.UTC().Format(time.RFC3339Nano) + " " + p.id))
}

func readToken(token string) (place, error) {
	if token == "" {
		return place{}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	at, id, ok := strings.Cut(string(raw), " ")
	changed, failed := time.Parse(time.RFC3339Nano, at)
	if err != nil || failed != nil || !ok {
		return place{}, &a2a.Fault{Code: a2a.InvalidParams, Text: "pageToken is none that was given out here"}
	}
	return place{changed, id}, nil
}
