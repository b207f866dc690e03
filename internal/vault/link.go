package vault

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Link closes what the published records supersede, and what was superseded
// before it came, and files each with the belief it belongs to, in whatever
// order the document had them.
func (m *ImportRun) Link(w store.Writer) error {
	c := chains{rows: w, prior: make(map[memory.ID]memory.ID, len(m.chained)), roots: map[memory.ID]memory.ID{}}
	for _, id := range m.chained {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		rec, err := m.Vault.record(w, r)
		if err != nil {
			return err
		}
		prior, _, err := priorOf(rec, w.Row)
		if err != nil {
			return err
		}
		if prior != "" {
			c.prior[id] = prior
		}
		if err := m.Vault.closePriors(w, rec); err != nil {
			return err
		}
	}
	for _, id := range m.chained {
		if err := c.file(w, id); err != nil {
			return err
		}
	}
	for _, id := range m.Awaited {
		if err := m.Vault.closeBySuccessors(w, id); err != nil {
			return err
		}
	}
	return nil
}

// chains finds the first record of each chain of successors.
type chains struct {
	rows  store.Reader
	prior map[memory.ID]memory.ID // new record -> the first it supersedes that is here
	roots map[memory.ID]memory.ID // found so far
}

// file gives a record the lineage of its chain.
func (c chains) file(w store.Writer, id memory.ID) error {
	root, err := c.root(id)
	if err != nil {
		return err
	}
	r, err := w.Row(id)
	if err != nil || r.Columns.Lineage == root {
		return err
	}
	return refile(w, r, root)
}

// root walks back from a record to the oldest that is here. A chain that bites
// its own tail begins where the walk came around.
func (c chains) root(id memory.ID) (memory.ID, error) {
	var walked []memory.ID
	on := map[memory.ID]bool{}
	root := id
	for at := id; ; at = c.prior[at] {
		if known, ok := c.roots[at]; ok {
			root = known
			break
		}
		if on[at] {
			root = at
			break
		}
		if _, ok := c.prior[at]; !ok {
			r, err := c.rows.Row(at)
			if err == nil {
				root = r.Columns.Lineage
			} else if !errors.Is(err, store.ErrNotFound) {
				return "", err
			}
			break
		}
		on[at], root = true, at
		walked = append(walked, at)
	}
	for _, w := range walked {
		c.roots[w] = root
	}
	return root, nil
}
