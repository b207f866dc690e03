package assistant

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Reading says which memories an assistant was given, see [store.Reading].
type Reading struct {
	store.Reading
	IDs []memory.ID // of the memories that exist still
}

// Query selects readings, latest first.
type Query struct {
	Hosts  []string  // the names of a host, which compare by [Fold]; empty: any
	Own    bool      // without those who showed a token
	NoName bool      // only those who have no name
	Token  string    // id of a token; empty: any
	Memory memory.ID // readings of it; empty: of any
	Since  time.Time
	After  string // Next of the page before; empty: the first page
	Limit  int    // at most 1000; 0: 50
}

// Page is one page of readings.
type Page struct {
	Readings []Reading
	Next     string // for After; empty: there is none
}

// mostListed is how many readings a page holds at most.
const mostListed = 1000

// Readings returns a page of the journal. It fails with kind NotFound if the memory does not
// exist. Only the owner in person may call it. Readings of the last second may be missing.
func (s *Service) Readings(ctx context.Context, c memory.Caller, q Query) (page Page, err error) {
	const op = "readings"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return page, err
	}
	before, err := parsePlace(q.After)
	if err != nil {
		return page, err
	}
	limit := min(cmp.Or(max(q.Limit, 0), 50), mostListed)
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		f := store.ReadingFilter{Token: q.Token, Since: q.Since, Before: before}
		if q.Memory != "" {
			row, err := r.Row(q.Memory)
			if err != nil {
				return err
			}
			f.Memory = row.Number
		}
		list, err := matching(r, f, q.wants(), limit+1)
		if err != nil {
			return err
		}
		if len(list) > limit {
			list = list[:limit]
			page.Next = placeOf(list[limit-1])
		}
		page.Readings, err = named(r, list)
		return err
	})
	return page, s.kernel.Refusal(c, op, q.Memory, err)
}

// wants returns what the store does not look for; nil: nothing.
func (q Query) wants() func(store.Reading) bool {
	var hosts []string
	for _, name := range q.Hosts {
		if folded := Fold(name); folded != "" {
			hosts = append(hosts, folded)
		}
	}
	if len(hosts) == 0 && !q.Own && !q.NoName {
		return nil
	}
	return func(r store.Reading) bool {
		return (len(hosts) == 0 || slices.Contains(hosts, Fold(r.Host))) && (!q.Own || r.Token == "") && (!q.NoName || Fold(r.Host) == "")
	}
}

// matching returns readings that are wanted.
func matching(r store.Reader, f store.ReadingFilter, wants func(store.Reading) bool, limit int) (list []store.Reading, err error) {
	f.Max = limit
	if wants != nil {
		f.Max = mostListed
	}
	for {
		some, err := r.Readings().ReadingList(f)
		if err != nil {
			return nil, err
		}
		for _, reading := range some {
			if len(list) < limit && (wants == nil || wants(reading)) {
				list = append(list, reading)
			}
		}
		if len(some) < f.Max || len(list) >= limit {
			return list, nil
		}
		f.Before = some[len(some)-1]
	}
}

// named finds the ids of the memories in readings.
func named(r store.Reader, list []store.Reading) ([]Reading, error) {
	var numbers []int64
	for _, reading := range list {
		numbers = append(numbers, reading.Memories...)
	}
	slices.Sort(numbers)
	rows, err := r.Numbered(slices.Compact(numbers))
	if err != nil {
		return nil, err
	}
	ids := make(map[int64]memory.ID, len(rows))
	for _, row := range rows {
		ids[row.Number] = row.ID
	}
	out := make([]Reading, len(list))
	for i, reading := range list {
		out[i].Reading = reading
		for _, n := range reading.Memories {
			if id, ok := ids[n]; ok {
				out[i].IDs = append(out[i].IDs, id)
			}
		}
	}
	return out, nil
}

// Place says where the reading stands among all others.
func (r Reading) Place() string { return placeOf(r.Reading) }

// placeOf writes where a reading stands.
func placeOf(r store.Reading) string {
	return strconv.FormatInt(r.At.UnixMicro(), 10) + "." + strconv.FormatInt(r.Nonce, 10)
}

func parsePlace(text string) (r store.Reading, err error) {
	if text == "" {
		return r, nil
	}
	at, nonce, _ := strings.Cut(text, ".")
	micros, err := strconv.ParseInt(at, 10, 64)
	n, err2 := strconv.ParseInt(nonce, 10, 64)
	if errors.Join(err, err2) != nil {
		return r, vault.Invalid("readings", "/after", "", "this is no place in the list; take the one that a page ended with")
	}
	return store.Reading{At: time.UnixMicro(micros).UTC(), Nonce: n}, nil
}

// Reader sums up what one assistant read.
type Reader struct {
	Host  string // as it names itself last; empty: it has no name
	Token string // id of the token that it showed; empty: it is the owner's own
	Times int    // answers
	Given int    // memories in them, each time counted
	Last  time.Time
}

// Readers sums up the readings since an instant, for each host and each token, who read last
// first. Only the owner in person may call it.
func (s *Service) Readers(ctx context.Context, c memory.Caller, since time.Time) (all []Reader, err error) {
	const op = "readers"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	type key struct{ host, token string }
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		all = nil
		places := map[key]int{}
		for f := (store.ReadingFilter{Since: since, Max: mostListed}); ; {
			some, err := r.Readings().ReadingList(f)
			if err != nil {
				return err
			}
			for _, reading := range some {
				k := key{Fold(reading.Host), reading.Token}
				i, ok := places[k]
				if !ok {
					i, places[k] = len(all), len(all)
					all = append(all, Reader{Host: reading.Host, Token: reading.Token, Last: reading.At})
				}
				all[i].Times += reading.Times
				all[i].Given += reading.Given
			}
			if len(some) < f.Max {
				return nil
			}
			f.Before = some[len(some)-1]
		}
	})
	return all, s.kernel.Refusal(c, op, "", err)
}

// EraseReadings empties the journal. Only the owner in person may call it.
func (s *Service) EraseReadings(ctx context.Context, c memory.Caller) error {
	const op = "erase readings"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	s.kernel.Flush(ctx)
	err := s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error { return w.ReadingKeeper().DropReadings(time.Time{}, 0) })
	return s.kernel.Refusal(c, op, "", err)
}

// KeepQuestions has the questions of assistants kept from now on, or no longer. Those that
// are kept stay until they are pruned or erased. Only the owner in person may call it.
func (s *Service) KeepQuestions(ctx context.Context, c memory.Caller, keep bool) error {
	const op = "keep questions"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	err := s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error { return vault.KeepQuestions(w, keep) })
	return s.kernel.Refusal(c, op, "", err)
}

// KeepsQuestions reports whether the questions of assistants are kept.
func (s *Service) KeepsQuestions(ctx context.Context, c memory.Caller) (keeps bool, err error) {
	const op = "keep questions"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return false, err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		keeps, err = vault.KeepsQuestions(r)
		return err
	})
	return keeps, s.kernel.Refusal(c, op, "", err)
}
