package operate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/text/size"
)

// StoreCmd is the command satchel store.
type StoreCmd struct {
	Status  storeStatusCmd  `cmd:"" default:"1" help:"Show the kind of store, its size and its owners."`
	Migrate storeMigrateCmd `cmd:"" help:"Update the schema of the store."`
	Scrub   storeScrubCmd   `cmd:"" help:"Clear erased content from the files of the store."`
	Reindex storeReindexCmd `cmd:"" help:"Index anew what an older release indexed."`
	Edition storeEditionCmd `cmd:"" help:"Show or change the edition of UMP."`
	Move    storeMoveCmd    `cmd:"" help:"Move everything to another store: a folder or a database."`
}

type storeReindexCmd struct{}

// Run indexes anew what an older release indexed.
func (c *storeReindexCmd) Run(a *cli.App) error {
	return a.With(cli.Writing, func(o *cli.Session) error {
		shown := a.ProgressIn("indexed", "memories")
		done, err := o.ReindexAll(a.Ctx, shown.Reached)
		shown.End()
		switch {
		case err != nil && done > 0:
			return fmt.Errorf("%w; %s indexed anew, and a second run goes on from there", err, cli.Plural(done, "memory is", "memories are"))
		case err != nil:
			return err
		case a.JSON:
			return a.Emit(map[string]int{"indexed": done})
		}
		a.Print("%s indexed anew", cli.Plural(done, "memory was", "memories were"))
		return nil
	})
}

type storeStatusCmd struct{}

// storeStatus is a store's status for machines.
type storeStatus struct {
	Store       string `json:"store"`
	Home        string `json:"home"`
	Kind        string `json:"kind"` // sqlite or postgresql
	Schema      int    `json:"schema"`
	Owners      int    `json:"owners"`
	Records     int64  `json:"records"`
	Bytes       int64  `json:"bytes"`            // the size of the store
	PerRecord   int64  `json:"bytes_per_record"` // 0: there are no records
	Distributed bool   `json:"distributed,omitempty"`
	Uncleared   bool   `json:"uncleared"` // the files may still hold erased content
	// Beside is the earliest schema whose programs may still work here, if an upgrade is not
	// finished.
	Beside int `json:"beside,omitempty"`
}

// Run prints the store's status.
func (c *storeStatusCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		s := storeStatus{Store: o.Name(), Home: o.Dir}
		if err := errors.Join(s.engine(a.Ctx, o), s.owners(a.Ctx, o)); err != nil {
			return err
		}
		var err error
		if s.Uncleared, err = o.Store.Owed(a.Ctx); err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(s)
		}
		s.print(a)
		return nil
	})
}

// engine adds what only this kind of store knows.
func (s *storeStatus) engine(ctx context.Context, o *cli.Session) error {
	switch e := o.Store.(type) {
	case *postgres.Store:
		said, err := e.Status(ctx)
		s.Kind, s.Schema, s.Bytes, s.Distributed = "postgresql", said.Schema, said.Bytes, said.Distributed
		if said.Beside < said.Schema {
			s.Beside = said.Beside
		}
		return err
	case *sqlite.Store:
		s.Kind, s.Schema = "sqlite", e.Schema()
		for _, name := range []string{"", "-wal"} {
			if info, err := os.Stat(o.Database() + name); err == nil {
				s.Bytes += info.Size()
			}
		}
	}
	return nil
}

// owners counts the memories of all owners.
func (s *storeStatus) owners(ctx context.Context, o *cli.Session) error {
	owners, err := o.Owners(ctx, o.Operator(), "")
	if err != nil {
		return err
	}
	for _, w := range owners {
		s.Records += int64(w.Records)
		if !o.IsRemoved(w) {
			s.Owners++
		}
	}
	if s.Records > 0 {
		s.PerRecord = s.Bytes / s.Records
	}
	return nil
}

func (s *storeStatus) print(a *cli.App) {
	line := func(name, format string, args ...any) { a.Print("%-8s %s", name, fmt.Sprintf(format, args...)) }
	line("store", "%s", s.Store)
	line("home", "%s", s.Home)
	kind := map[string]string{"sqlite": "SQLite", "postgresql": "PostgreSQL"}[s.Kind]
	if s.Distributed {
		kind += ", distributed by Citus"
	}
	line("kind", "%s, schema %d", kind, s.Schema)
	if s.Beside > 0 {
		line("upgrade", unfinished, s.Beside)
	}
	line("owners", "%d", s.Owners)
	line("records", "%d", s.Records)
	per := ""
	if s.Records > 0 {
		per = ", " + size.Bytes(s.PerRecord).String() + " for each record"
	}
	line("size", "%s%s", size.Bytes(s.Bytes), per)
	if s.Uncleared {
		line("erased", "some of it may still be in the files: satchel store scrub clears it away")
	}
}

type storeScrubCmd struct {
	Yes bool `short:"y" help:"Do not ask."`
}

// Run clears erased content out of the files.
func (c *storeScrubCmd) Run(a *cli.App) error {
	return a.With(cli.Signing, func(o *cli.Session) error {
		left := []string{}
		var err error
		if o.InDatabase() {
			left, err = c.database(a, o)
		} else {
			err = o.Store.Compact(a.Ctx)
		}
		switch {
		case err != nil:
			return o.NameError(err)
		case a.JSON:
			return a.Emit(map[string]any{"store": o.Name(), "result": "scrubbed", "left": cli.OrEmpty(left)})
		}
		a.Print("what was erased is gone from the files of %s", o.Name())
		for _, where := range left {
			a.Warn("%s", cli.Clean(where))
		}
		return nil
	})
}

// database rewrites every table. It returns where copies may remain.
func (c *storeScrubCmd) database(a *cli.App, o *cli.Session) ([]string, error) {
	if err := c.ask(a); err != nil {
		return nil, err
	}
	if err := openAll(o, a.Ctx); err != nil {
		return nil, err
	}
	if err := postgres.Scrub(a.Ctx, o.URL, postgres.Options{Seal: o.Seal}); err != nil {
		return nil, err
	}
	return postgres.Copies(a.Ctx, o.URL, postgres.Options{})
}

// ask asks for confirmation: nobody can use a table while it is rewritten.
func (c *storeScrubCmd) ask(a *cli.App) error {
	switch {
	case c.Yes:
		return nil
	case !a.Interactive():
		return cli.Usagef("every table is written anew, and servers wait meanwhile; say --yes when there is no terminal to ask on")
	}
	yes, err := a.Confirm("Every table is written anew, and servers wait meanwhile. Go on?")
	if err == nil && !yes {
		err = cli.Refusedf("nothing was done")
	}
	return err
}
