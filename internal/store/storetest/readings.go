package storetest

import (
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/store"
)

var readingTests = []test{
	{"are listed, latest first, by whom and of what", readingsListed},
	{"are dropped by age and by number", readingsDropped},
	{"forget a record that is deleted, and the question", readingsForget},
	{"are one owner's", readingsOwned},
}

// given is a reading of some memories, so many minutes after birth.
func given(minutes int, host string, memories ...int64) store.Reading {
	return store.Reading{At: birth.Add(time.Duration(minutes) * time.Minute), Way: "recall", Host: host, Project: "p \xff\x00", Nonce: int64(len(host)),
		Times: 2, Given: len(memories) + 1, Memories: memories, Question: "why \xff\x00?"}
}

// readings lists what a filter finds.
func (p *place) readings(r store.Reader, f store.ReadingFilter) []store.Reading {
	p.t.Helper()
	return value(r.Readings().ReadingList(f))(p.t)
}

func (p *place) keep(w store.Writer, list ...store.Reading) {
	p.t.Helper()
	must(p.t, w.ReadingKeeper().PutReadings(list))
}

func readingsListed(p *place) {
	all := store.ReadingFilter{Max: 9}
	a, b, c := given(1, "one", 1, 13), given(2, "two \xff\x00", 3), given(2, "one")
	b.Token = "jti"
	p.view(ada, func(r store.Reader) {
		same(p.t, "before", len(p.readings(r, all)), 0)
		same(p.t, "first before", value(r.Readings().FirstReading())(p.t), time.Time{})
	})
	p.update(ada, func(w store.Writer) {
		p.keep(w, a)
		p.keep(w, b, c)
		same(p.t, "its own write", len(p.readings(w, all)), 3)
	})
	p.view(ada, func(r store.Reader) {
		same(p.t, "the earliest", p.readings(r, all)[2], a)
		same(p.t, "few", len(p.readings(r, store.ReadingFilter{Max: 1})), 1)
		same(p.t, "by a token", p.readings(r, store.ReadingFilter{Token: "jti", Max: 9}), []store.Reading{b})
		same(p.t, "of a memory", p.readings(r, store.ReadingFilter{Memory: 3, Max: 9}), []store.Reading{b})
		same(p.t, "of another", p.readings(r, store.ReadingFilter{Memory: 13, Max: 9}), []store.Reading{a})
		same(p.t, "since", len(p.readings(r, store.ReadingFilter{Since: b.At, Max: 9})), 2)
		same(p.t, "first", value(r.Readings().FirstReading())(p.t), a.At)
		last := value(r.Readings().ReadingList(store.ReadingFilter{Max: 1}))(p.t)
		rest := value(r.Readings().ReadingList(store.ReadingFilter{Before: last[0], Max: 9}))(p.t)
		same(p.t, "the rest", cmp.Diff(append(last, rest...), value(r.Readings().ReadingList(all))(p.t)), "")
	})
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func readingsDropped(p *place) {
	const many = 700 // more than one statement reads
	p.update(ada, func(w store.Writer) {
		var list []store.Reading
		for n := range many {
			r := given(n, "host")
			if n%100 == 7 {
				r.Token = "jti"
			}
			list = append(list, r)
		}
		p.keep(w, list...)
	})
	count := func(r store.Reader) int { return len(p.readings(r, store.ReadingFilter{Max: many + 1})) }
	p.update(ada, func(w store.Writer) {
		same(p.t, "by one of many", len(p.readings(w, store.ReadingFilter{Token: "jti", Max: 99})), many/100)
		must(p.t, w.ReadingKeeper().DropReadings(birth.Add(9*time.Minute), many))
		same(p.t, "after ten minutes", count(w), many-10)
		must(p.t, w.ReadingKeeper().DropReadings(time.Time{}, 20))
		same(p.t, "the latest", count(w), 20)
		same(p.t, "first", value(w.Readings().FirstReading())(p.t), birth.Add((many-20)*time.Minute))
		must(p.t, w.ReadingKeeper().DropReadings(time.Time{}, 0))
		same(p.t, "none", count(w), 0)
	})
}

func readingsForget(p *place) {
	p.insert(ada, row(1), row(2), row(3))
	p.update(ada, func(w store.Writer) {
		p.keep(w, given(1, "one", 1, 2), given(2, "two", 2, 3), given(3, "three", 3), given(4, "four"))
	})
	without := func(r store.Reading, memories ...int64) store.Reading {
		r.Memories, r.Question = memories, ""
		return r
	}
	want := []store.Reading{given(4, "four"), given(3, "three", 3), without(given(2, "two", 2, 3), 3), without(given(1, "one", 1, 2), 1)}
	p.update(ada, func(w store.Writer) { must(p.t, w.Delete(id(2))) })
	p.view(ada, func(r store.Reader) { same(p.t, "one record less", p.readings(r, store.ReadingFilter{Max: 9}), want) })
	p.update(ada, func(w store.Writer) {
		must(p.t, w.Delete(id(1)))
		must(p.t, w.Delete(id(3)))
	})
	p.view(ada, func(r store.Reader) {
		for i, reading := range p.readings(r, store.ReadingFilter{Max: 9}) {
			same(p.t, "memories", len(reading.Memories), 0)
			same(p.t, "question", reading.Question != "", i == 0)
		}
	})
	same(p.t, "findings", len(value(p.store.Check(p.t.Context()))(p.t)), 0)
}

func readingsOwned(p *place) {
	all := store.ReadingFilter{Max: 9}
	p.update(ada, func(w store.Writer) { p.keep(w, given(1, "one", 1)) })
	p.update(bob, func(w store.Writer) {
		same(p.t, "of another", len(p.readings(w, all)), 0)
		must(p.t, w.ReadingKeeper().DropReadings(birth.Add(time.Hour), 0))
		p.keep(w, given(2, "two", 1))
	})
	p.view(ada, func(r store.Reader) { same(p.t, "ada's", p.readings(r, all), []store.Reading{given(1, "one", 1)}) })
	p.update(ada, func(w store.Writer) { must(p.t, w.EraseOwner()) })
	p.view(ada, func(r store.Reader) { same(p.t, "erased", len(p.readings(r, all)), 0) })
	p.view(bob, func(r store.Reader) { same(p.t, "bob's", p.readings(r, all), []store.Reading{given(2, "two", 1)}) })
}
