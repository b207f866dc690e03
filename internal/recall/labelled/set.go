// Package labelled reads the labelled sets by which recall is measured, and measures it:
// records, and questions that name the records with their answers. It knows nothing of
// ranking. It measures a function from a question to records, and so judges an index in
// memory and a whole vault alike.
//
// The rules: one record for each turn of a conversation or fact, one store for each
// conversation or file of facts, records stored in the order of the file. A record has a
// session, a time or a project only where the file states one. Every question is asked
// verbatim. Figures are means over questions.
package labelled

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Set is a labelled set.
type Set struct {
	Name   string
	Stores []Store
}

// Store holds the records of one owner and the questions about them.
type Store struct {
	Name      string
	Records   []memory.Record // in the order of learning, with distinct ids
	Questions []Question
}

// Question is asked of a store.
type Question struct {
	Text     string
	Class    string
	Lang     string      // BCP 47; empty where the file states none
	Now      time.Time   // when it is asked; zero where the file states no time
	Evidence []memory.ID // the records that answer it, each once; none: the store has no answer
}

// Sets reads the four sets for development in folder shared.
func Sets(shared string) ([]Set, error) {
	data := filepath.Join(shared, "data")
	var sets []Set
	for _, source := range []struct {
		path string
		read func(path string) (Set, error)
	}{
		{filepath.Join(data, "locomo-dev.json"), LoCoMo},
		{filepath.Join(data, "recall", "realtalk-dev.json"), conversations},
		{filepath.Join(data, "recall", "beam-dev.json"), conversations},
		{filepath.Join(data, "recall", "facts-dev.jsonl"), Facts},
	} {
		set, err := source.read(source.path)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// WithoutSessions returns the set with records that state no session.
func (s Set) WithoutSessions() Set {
	return s.change(func(records []memory.Record) {
		for i := range records {
			records[i].Scope.Session = ""
		}
	})
}

// Shuffled returns the set with records in random order that state neither session nor
// time. The order is the same every time.
func (s Set) Shuffled() Set {
	dice := rand.New(rand.NewPCG(19, uint64(len(s.Stores))))
	return s.WithoutSessions().change(func(records []memory.Record) {
		dice.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		for i := range records {
			records[i].Time = memory.Times{}
		}
	})
}

// change returns the set with changed copies of the records of each store.
func (s Set) change(change func([]memory.Record)) Set {
	s.Stores = slices.Clone(s.Stores)
	for i := range s.Stores {
		s.Stores[i].Records = slices.Clone(s.Stores[i].Records)
		change(s.Stores[i].Records)
	}
	return s
}

// StatesSessions reports whether some record states a session.
func (s Set) StatesSessions() bool {
	return slices.ContainsFunc(s.Stores, func(store Store) bool {
		return slices.ContainsFunc(store.Records, func(r memory.Record) bool { return r.Scope.Session != "" })
	})
}

// check returns an error for a store that cannot be measured: without records or
// questions, with an id that two records have, or with evidence that is no record.
func (s Store) check() error {
	known := make(map[memory.ID]bool)
	for _, r := range s.Records {
		if known[r.ID] {
			return fmt.Errorf("store %s: two records have the id %s", s.Name, r.ID)
		}
		known[r.ID] = true
	}
	if len(s.Records) == 0 || len(s.Questions) == 0 {
		return fmt.Errorf("store %s: %d records and %d questions", s.Name, len(s.Records), len(s.Questions))
	}
	for _, q := range s.Questions {
		for _, id := range q.Evidence {
			if !known[id] {
				return fmt.Errorf("store %s: question %q: no record has the id %s", s.Name, q.Text, id)
			}
		}
	}
	return nil
}

const idPrefix = "urn:ump:"

var turnID = regexp.MustCompile(`D:?0*(\d+):0*(\d+)`)

// turn returns the record of a turn, without owner. An id such as D3:7 states the session
// D3.
func turn(id, text string, at time.Time) memory.Record {
	r := memory.Record{
		Version: "0.1", ID: memory.ID(idPrefix + id), Kind: memory.Episodic,
		Body: memory.Body{Text: text}, Scope: memory.Scope{Visibility: memory.Private},
		Time: memory.Times{Observed: at},
	}
	if m := turnID.FindStringSubmatch(id); m != nil {
		r.Scope.Session = "D" + m[1]
	}
	return r
}

// distinct returns ids in order, each once.
func distinct[ID cmp.Ordered](ids []ID) []ID {
	slices.Sort(ids)
	return slices.Compact(ids)
}
