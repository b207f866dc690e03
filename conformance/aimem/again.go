package aimemsuite

import (
	"errors"
	"fmt"
	"sync"

	"github.com/satchel-memory/satchel/canon"
)

func againChecks() []check {
	return []check{
		{"AIMEM-2.9-1", nothingChanges},
		{"AIMEM-2.9-2", func(r *run) error {
			s := r.single()
			return first(r.counts(s, "inserted", 1), r.counts(s, "skipped", 1))
		}},
		{"AIMEM-2.9-3", func(r *run) error {
			s := r.single()
			changed := s.edit(chunks, `content="Other `+r.nonce+fmt.Sprint(r.serial)+`"`)
			return first(r.counts(s, "inserted", 1), r.rejects(changed), r.outside("", changed.content(0)))
		}},
		{"AIMEM-2.9-4", func(r *run) error {
			s := r.single()
			newer := s.edit(chunks, `content="Newer `+r.nonce+fmt.Sprint(r.serial)+`"`, `created_at="2026-04-02T09:30:00Z"`)
			if err := r.counts(s, "inserted", 1); err != nil {
				return err
			}
			a, err := r.imported(newer.sealed())
			if err != nil {
				return err
			}
			if len(a.Value.Get("rejected").Items())+int(a.Value.Get("updated").Float()) != 1 {
				return errors.New("a newer chunk is neither rejected nor an update")
			}
			return nil
		}},
		{"AIMEM-2.9-6", func(r *run) error {
			s := r.single()
			return first(r.counts(s, "inserted", 1), r.counts(s.edit(chunks, `created_at="2026-04-01T09:30:00.000Z"`), "skipped", 1))
		}},
		{"AIMEM-2.9-7", func(r *run) error {
			s := r.single()
			older := s.edit(chunks, `content="Older `+r.nonce+fmt.Sprint(r.serial)+`"`, `created_at="2026-03-01T09:30:00Z"`)
			if err := r.counts(s, "inserted", 1); err != nil {
				return err
			}
			_, err := r.imported(older.sealed())
			return first(err, r.outside("", older.content(0)))
		}},
		{"AIMEM-2.9-9", func(r *run) error {
			s := r.single()
			if err := r.counts(s, "inserted", 1); err != nil {
				return err
			}
			more := s.edit(chunks, `content="Clash `+r.nonce+fmt.Sprint(r.serial)+`"`).put(chunks, 1, r.chunk(r.urn("n"))).put(chunks, 2, r.chunk(r.urn("n")))
			return r.counts(more, "inserted", 2)
		}},
		{"AIMEM-5.4-1", func(r *run) error {
			s := r.sample()
			return first(r.counts(s, "inserted", 2), r.counts(s, "inserted", 0), r.counts(s, "skipped", 2))
		}},
		{"AIMEM-5.4-2", func(r *run) error {
			s := r.single()
			if err := r.counts(s, "inserted", 1); err != nil {
				return err
			}
			for _, e := range []string{`memory_type="identity"`, `zone="critical"`, `is_pinned=true`, `tags=["other"]`} {
				if err := r.rejects(s.edit(chunks, e)); err != nil {
					return fmt.Errorf("%s: %w", e, err)
				}
			}
			return r.survivesStill(s, "memory_type", "zone", "is_pinned", "tags")
		}},
		{"AIMEM-5.4-4", manyAtOnce},
	}
}

// nothingChanges compares the exports before and after a second import.
func nothingChanges(r *run) error {
	s := r.sample()
	before, err := r.taken(s)
	if err != nil {
		return err
	}
	after, err := r.taken(s)
	if err != nil {
		return err
	}
	for _, array := range arrays() {
		if len(before.Get(array).Items()) == 0 {
			return fmt.Errorf("an export has no %s after some were imported", array)
		}
		if !canon.Equal(before.Get(array), after.Get(array)) {
			return fmt.Errorf("%s of an export differ after the same bundle was imported again", array)
		}
	}
	return nil
}

// rejects imports a bundle with a conflicting first chunk.
func (r *run) rejects(s sample) error {
	a, err := r.imported(s.sealed())
	if err != nil {
		return err
	}
	for _, c := range a.Value.Get("rejected").Items() {
		if c.Get("id").Text() == s.at(chunks, 0).Get("id").Text() && c.Get("code").Text() != "" {
			return nil
		}
	}
	return errors.New("a chunk that conflicts is not among the rejected, with its code")
}

// survivesStill compares members of a chunk that an earlier import brought.
func (r *run) survivesStill(s sample, members ...string) error {
	v, err := r.export("")
	if err != nil {
		return err
	}
	for _, m := range members {
		if got := found(v, s.content(0)).Get(m); !canon.Equal(got, s.at(chunks, 0).Get(m)) {
			return fmt.Errorf("%s of a chunk was overwritten", m)
		}
	}
	return nil
}

// senders is the number of simultaneous senders.
const senders = 16

func manyAtOnce(r *run) error {
	s := r.single()
	body := s.sealed().Append(nil)
	answers := make([]answer, senders)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = r.client.Once(r.ctx, request(r.Token, "POST", importPath, body)) })
	}
	wg.Wait()
	inserted := 0
	for _, a := range answers {
		if err := a.Is(200, 429); err != nil {
			return err
		}
		inserted += int(a.Value.Get("inserted").Float())
	}
	r.wrote += inserted
	if inserted != 1 {
		return fmt.Errorf("of %d imports at once of one chunk, %d inserted it", senders, inserted)
	}
	return nil
}
