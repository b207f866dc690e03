package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

type storeCmd struct {
	Status  storeStatusCmd  `cmd:"" default:"1" help:"Show the kind of store, its size and its owners."`
	Migrate storeMigrateCmd `cmd:"" help:"Update the schema of the store."`
	Scrub   storeScrubCmd   `cmd:"" help:"Clear erased content from the files of the store."`
	Edition storeEditionCmd `cmd:"" help:"Show or change the edition of UMP."`
	Move    storeMoveCmd    `cmd:"" help:"Move everything to another store: a folder or a database."`
}

type storeStatusCmd struct{}

// storeStatus is what is said of a store, for machines.
type storeStatus struct {
	Store       string `json:"store"`
	Home        string `json:"home"`
	Kind        string `json:"kind"` // sqlite or postgresql
	Schema      int    `json:"schema"`
	Owners      int    `json:"owners"`
	Records     int64  `json:"records"`
	Bytes       int64  `json:"bytes"`            // that the store takes up
	PerRecord   int64  `json:"bytes_per_record"` // 0: there are no records
	Distributed bool   `json:"distributed,omitempty"`
	Uncleared   bool   `json:"uncleared"` // what was erased may still be in the files
}

// Run looks at the store and prints what it is.
func (c *storeStatusCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		s := storeStatus{Store: o.name(), Home: o.dir}
		if err := errors.Join(s.engine(a.ctx, o), s.owners(a.ctx, o)); err != nil {
			return err
		}
		var err error
		if s.Uncleared, err = o.store.Owed(a.ctx); err != nil {
			return err
		}
		if a.json {
			return a.emit(s)
		}
		s.print(a)
		return nil
	})
}

// engine asks the store what only its kind knows.
func (s *storeStatus) engine(ctx context.Context, o *opened) error {
	switch e := o.store.(type) {
	case *postgres.Store:
		said, err := e.Status(ctx)
		s.Kind, s.Schema, s.Bytes, s.Distributed = "postgresql", said.Schema, said.Bytes, said.Distributed
		return err
	case *sqlite.Store:
		s.Kind, s.Schema = "sqlite", e.Schema()
		for _, name := range []string{"", "-wal"} {
			if info, err := os.Stat(o.database() + name); err == nil {
				s.Bytes += info.Size()
			}
		}
	}
	return nil
}

// owners counts what all owners keep.
func (s *storeStatus) owners(ctx context.Context, o *opened) error {
	owners, err := o.Owners(ctx, o.operator())
	if err != nil {
		return err
	}
	for _, w := range owners {
		s.Records += int64(w.Records)
		if !o.removed(w) {
			s.Owners++
		}
	}
	if s.Records > 0 {
		s.PerRecord = s.Bytes / s.Records
	}
	return nil
}

func (s *storeStatus) print(a *app) {
	line := func(name, format string, args ...any) { a.print("%-8s %s", name, fmt.Sprintf(format, args...)) }
	line("store", "%s", s.Store)
	line("home", "%s", s.Home)
	kind := map[string]string{"sqlite": "SQLite", "postgresql": "PostgreSQL"}[s.Kind]
	if s.Distributed {
		kind += ", distributed by Citus"
	}
	line("kind", "%s, schema %d", kind, s.Schema)
	line("owners", "%d", s.Owners)
	line("records", "%d", s.Records)
	per := ""
	if s.Records > 0 {
		per = ", " + size(s.PerRecord).String() + " for each record"
	}
	line("size", "%s%s", size(s.Bytes), per)
	if s.Uncleared {
		line("erased", "some of it may still be in the files: satchel store scrub clears it away")
	}
}

type storeMigrateCmd struct{}

// migrated is what came of a migration, for machines.
type migrated struct {
	Store string `json:"store"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// Run brings the schema up to date. To do so twice changes nothing.
func (c *storeMigrateCmd) Run(a *app) error {
	h, _, err := a.existing()
	if err != nil {
		return err
	}
	m := migrated{Store: h.name()}
	if h.remote() {
		err = m.database(a, h)
	} else {
		err = m.file(a, h)
	}
	switch {
	case err != nil:
		return err
	case a.json:
		return a.emit(m)
	case m.From == m.To:
		a.print("the schema is up to date: %d", m.To)
	default:
		a.print("the schema went from %d to %d", m.From, m.To)
		if m.From == 0 {
			a.say("there was no store yet: satchel init takes it into use")
		}
	}
	return nil
}

func (m *migrated) database(a *app, h home) error {
	var err error
	if m.From, m.To, err = postgres.Schema(a.ctx, h.url, postgres.Options{}); err != nil {
		return h.named(err)
	}
	err = h.migrate(a)
	if errors.Is(err, store.ErrOperator) && m.From == m.To && h.usable(a) {
		return nil // by who may not change it: there is nothing to change
	}
	return err
}

// usable reports whether a database opens, and the wall between owners stands in it.
func (h home) usable(a *app) bool {
	s, err := h.openStore(a, func(memory.DID) []byte { return nil })
	return err == nil && s.Close() == nil
}

// file opens the store, which brings its schema up to date after a copy of it was
// made.
func (m *migrated) file(a *app, h home) error {
	s, err := h.openStore(a, func(memory.DID) []byte { return nil })
	if err != nil {
		return err
	}
	if s, ok := s.(*sqlite.Store); ok {
		m.From, m.To = s.Schema(), s.Schema()
	}
	return s.Close()
}

type storeScrubCmd struct {
	Yes bool `short:"y" help:"Do not ask."`
}

// Run clears the files of what was erased.
func (c *storeScrubCmd) Run(a *app) error {
	return a.with(signing, func(o *opened) error {
		left := []string{}
		var err error
		if o.remote() {
			left, err = c.database(a, o)
		} else {
			err = o.store.Compact(a.ctx)
		}
		switch {
		case err != nil:
			return o.named(err)
		case a.json:
			return a.emit(map[string]any{"store": o.name(), "result": "scrubbed", "left": orEmpty(left)})
		}
		a.print("what was erased is gone from the files of %s", o.name())
		for _, where := range left {
			a.warn("%s", clean(where))
		}
		return nil
	})
}

// database has every table written anew. It returns where copies may remain.
func (c *storeScrubCmd) database(a *app, o *opened) ([]string, error) {
	if err := c.ask(a); err != nil {
		return nil, err
	}
	if err := o.openAll(a.ctx); err != nil {
		return nil, err
	}
	if err := postgres.Scrub(a.ctx, o.url, postgres.Options{Seal: o.seal}); err != nil {
		return nil, err
	}
	return postgres.Copies(a.ctx, o.url, postgres.Options{})
}

// ask makes sure that it is meant: nobody can use a table while it is rewritten.
func (c *storeScrubCmd) ask(a *app) error {
	switch {
	case c.Yes:
		return nil
	case !a.interactive():
		return usagef("every table is written anew, and servers wait meanwhile; say --yes when there is no terminal to ask on")
	}
	yes, err := a.confirm("Every table is written anew, and servers wait meanwhile. Go on?")
	if err == nil && !yes {
		err = refusedf("nothing was done")
	}
	return err
}
