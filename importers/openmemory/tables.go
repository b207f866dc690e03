package openmemory

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// names holds the other tables' data about the memories.
type names struct {
	apps       map[string]string
	categories map[string]string
	filed      map[string][]string // ids of categories, by memory
	history    map[string][]change // by memory
}

// change is a change of state.
type change struct {
	row canon.Value
	to  string
	at  time.Time
}

func newNames() names {
	return names{apps: map[string]string{}, categories: map[string]string{}, filed: map[string][]string{}, history: map[string][]change{}}
}

// outline finds the tables.
func (d *document) outline() error {
	parts, err := d.Members(ruleJSON)
	if err != nil {
		return err
	}
	for _, p := range parts {
		pointer := canon.Pointer(p.Name)
		switch p.Name {
		case "memories", "apps", "categories", "memory_categories", "status_history", "access_controls":
			some, err := d.List(ruleJSON, pointer, p.At)
			if err != nil {
				return err
			}
			if some && p.Name == "memories" {
				d.memories = &p.At
			} else if some {
				d.tables = append(d.tables, p)
			}
		default:
			d.Lose(pointer, lossMember)
		}
	}
	if d.memories == nil {
		return rules.Violation(ruleJSON, "", errors.New(`has no list called "memories"`))
	}
	return nil
}

// readTables reads the tables beside the memories; false: the caller wants no more.
func (d *document) readTables(yield func(memory.Record, error) bool) bool {
	for _, p := range d.tables {
		pointer := canon.Pointer(p.Name)
		row, rows := d.row(p.Name), 0
		if !d.Each(d.Items(p.At, pointer), func(c *codec.Checker) []memory.Record {
			if rows++; rows > d.Options.Limits.Records {
				c.Fault(ruleLimit, "", errors.New("more rows than there may be records; raise the limit"))
			} else if c.IsObject(ruleTable) {
				row(c)
			}
			return nil
		}, yield) {
			return false
		}
		if rows == 0 {
			continue
		}
		switch p.Name {
		case "access_controls":
			d.Lose(pointer, lossMember)
		case "apps", "categories":
			d.Lose(pointer, lossNames)
		}
	}
	return true
}

// row returns the function that reads a row of a table (OPENMEM-5).
func (d *document) row(table string) func(*codec.Checker) {
	switch table {
	case "apps":
		return func(c *codec.Checker) { d.known.apps[c.Required(ruleTable, "id")] = c.Required(ruleTable, "name") }
	case "categories":
		return func(c *codec.Checker) {
			d.known.categories[c.Required(ruleTable, "id")] = c.Required(ruleTable, "name")
		}
	case "memory_categories":
		return func(c *codec.Checker) {
			of := c.Required(ruleTable, "memory_id")
			d.known.filed[of] = append(d.known.filed[of], c.Required(ruleTable, "category_id"))
		}
	case "status_history":
		return func(c *codec.Checker) {
			of := c.Required(ruleTable, "memory_id")
			d.known.history[of] = append(d.known.history[of], change{c.Value, c.Name(ruleTable, "new_state"), c.Instant(ruleDate, "changed_at")})
		}
	}
	return func(*codec.Checker) {}
}
