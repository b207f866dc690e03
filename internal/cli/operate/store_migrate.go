package operate

import (
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// unfinished says what is left of an upgrade, by the earliest schema that still works.
const unfinished = "not finished: programs of schema %d may still work here; when all run this release: satchel store migrate --finish"

type storeMigrateCmd struct {
	Plan   bool `xor:"what" help:"Only list the steps: what each does, what it reads, and who waits meanwhile."`
	Finish bool `xor:"what" help:"With a database, after all servers run this release: refuse programs of earlier ones."`
}

// migrated is the result of a migration, for machines.
type migrated struct {
	Store string `json:"store"`
	From  int    `json:"from"`
	To    int    `json:"to"`
}

// Run updates the schema. A second run changes nothing.
func (c *storeMigrateCmd) Run(a *cli.App) error {
	h, _, err := a.ExistingStore()
	if err != nil {
		return err
	}
	if c.Plan || c.Finish {
		return c.besides(a, h)
	}
	m := migrated{Store: h.Name()}
	if h.InDatabase() {
		err = m.database(a, h)
	} else {
		err = m.file(a, h)
	}
	switch {
	case err != nil:
		return err
	case a.JSON:
		return a.Emit(m)
	case m.From == m.To:
		a.Print("the schema is up to date: %d", m.To)
	default:
		a.Print("the schema went from %d to %d", m.From, m.To)
		if m.From == 0 {
			a.Say("there was no store yet: satchel init takes it into use")
		} else if h.InDatabase() {
			a.Say("replace the servers one after the other; when all run this release: satchel store migrate --finish")
		}
	}
	return nil
}

func (m *migrated) database(a *cli.App, h cli.Home) error {
	var err error
	if m.From, m.To, err = postgres.Schema(a.Ctx, h.URL, postgres.Options{}); err != nil {
		return h.NameError(err)
	}
	err = migrate(h, a)
	if errors.Is(err, store.ErrOperator) && m.From == m.To && usable(h, a) {
		return nil // the user may not change it, and there is nothing to change
	}
	return err
}

// usable reports whether a database opens and separates its owners.
func usable(h cli.Home, a *cli.App) bool {
	s, err := h.OpenStore(a, func(memory.DID) []byte { return nil })
	return err == nil && s.Close() == nil
}

// file opens the store, which updates its schema after making a copy.
func (m *migrated) file(a *cli.App, h cli.Home) error {
	s, err := h.OpenStore(a, func(memory.DID) []byte { return nil })
	if err != nil {
		return err
	}
	if s, ok := s.(*sqlite.Store); ok {
		m.From, m.To = s.Schema(), s.Schema()
	}
	return s.Close()
}

// migrationPlan are the steps of a migration, for machines.
type migrationPlan struct {
	Store  string          `json:"store"`
	Steps  []migrationStep `json:"steps"`
	Beside int             `json:"beside,omitempty"` // see storeStatus
}

type migrationStep struct {
	Step   int      `json:"step"`
	Does   string   `json:"does"`
	Waits  bool     `json:"waits"` // servers wait while it runs
	Reads  []string `json:"reads"` // the tables that it reads as a whole
	Bytes  int64    `json:"bytes"` // their size
	Beside int      `json:"beside"`
}

// besides plans or finishes a migration.
func (c *storeMigrateCmd) besides(a *cli.App, h cli.Home) error {
	if !h.InDatabase() {
		return cli.Refusedf("the store in a file takes the form of this release at the first command, in one step, and keeps a copy of the form before beside it; " +
			"there is nothing to plan or to finish")
	}
	if c.Finish {
		if err := postgres.Finish(a.Ctx, h.URL, postgres.Options{}); err != nil {
			return h.NameError(err)
		}
		a.Say("the upgrade is finished: programs of earlier releases are refused from now on")
		return nil
	}
	steps, beside, err := postgres.Plan(a.Ctx, h.URL, postgres.Options{})
	if err != nil {
		return h.NameError(err)
	}
	p := migrationPlan{Store: h.Name(), Steps: []migrationStep{}, Beside: beside}
	for _, s := range steps {
		p.Steps = append(p.Steps, migrationStep{s.Number, s.Does, s.Waits, cli.OrEmpty(s.Reads), s.Bytes, s.Beside})
	}
	if a.JSON {
		return a.Emit(p)
	}
	p.print(a)
	return nil
}

func (p migrationPlan) print(a *cli.App) {
	if len(p.Steps) == 0 {
		a.Print("the schema is up to date")
	}
	for _, s := range p.Steps {
		a.Print("step %d %s", s.Step, s.Does)
		if s.Waits {
			a.Print("  waits: servers that use these tables, for a moment, or until what they do is done (at most 60 s)")
		} else {
			a.Print("  waits: nobody")
		}
		if len(s.Reads) > 0 {
			a.Print("  reads: %s, %s: about %s", strings.Join(s.Reads, ", "), size.Bytes(s.Bytes), readingTime(s.Bytes))
		}
		if s.Beside < s.Step {
			a.Print("  programs of schema %d and later work on", s.Beside)
		} else {
			a.Print("  programs of earlier releases are refused from then on")
		}
	}
	if p.Beside > 0 {
		a.Print("upgrade "+unfinished, p.Beside)
	}
}

// readingTime is about how long an index over so many bytes takes to make.
func readingTime(bytes int64) time.Duration {
	const bytesPerSecond = 50 << 20
	return time.Duration(float64(bytes)/bytesPerSecond+1) * time.Second
}
