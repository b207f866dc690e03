package rekey

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// copyProjects copies the aliases of project names, except for names that the new owner
// uses for something else.
func (k *keyChange) copyProjects(ctx context.Context) error {
	var old vault.ProjectNames
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		old, err = r.ProjectAliases()
		return err
	})
	if err != nil || len(old) == 0 {
		return err
	}
	return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
		own, err := w.ProjectAliases()
		if err != nil {
			return err
		}
		for alias, project := range old {
			if _, taken := own[alias]; taken {
				continue
			}
			if err := w.SetProjectAlias(alias, project); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyImports copies the journal of imports, oldest first, each with its document's
// residue. It recognises copies of an earlier attempt.
func (k *keyChange) copyImports(ctx context.Context) error {
	var old, own []store.Import
	for _, of := range []struct {
		owner memory.DID
		list  *[]store.Import
	}{{k.from, &old}, {k.to.DID(), &own}} {
		err := k.kernel.Bare().View(ctx, of.owner, func(r store.Reader) (err error) {
			*of.list, err = r.Imports()
			return err
		})
		if err != nil {
			return err
		}
	}
	byNumber := func(x, y store.Import) int { return cmp.Compare(x.Number, y.Number) }
	slices.SortFunc(old, byNumber)
	slices.SortFunc(own, byNumber)
	k.imports = make(map[int64]int64, len(old))
	for _, i := range old {
		at := slices.IndexFunc(own, func(o store.Import) bool { return sameImport(o, i) })
		if at >= 0 {
			k.imports[i.Number] = own[at].Number
			own = slices.Delete(own, at, at+1) // two imports may look the same
			continue
		}
		if err := k.copyImport(ctx, i.Number); err != nil {
			return err
		}
	}
	k.report.Imports = len(old)
	return nil
}

func sameImport(x, y store.Import) bool {
	return x.Digest == y.Digest && x.Format == y.Format && x.Name == y.Name && x.At.Equal(y.At) &&
		x.State == y.State && x.Created == y.Created && x.Merged == y.Merged
}

func (k *keyChange) copyImport(ctx context.Context, number int64) error {
	var whole store.Import
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		whole, err = r.Import(number)
		return err
	})
	if err != nil {
		return err
	}
	return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
		i := whole
		i.Number = 0
		var err error
		k.imports[number], err = w.SetImport(i)
		return err
	})
}

// carried is a row ready for the new owner, with its attachments.
type carried struct {
	row    store.Row
	rec    memory.Record
	doc    store.Document
	lesson store.Lesson
	naming *vault.ForeignName // set where the record has a foreign name
	urns   []string           // its names in bundles
	told   []string           // its claimed origins
}

// copyRecords copies the records, batch by batch.
func (k *keyChange) copyRecords(ctx context.Context) error {
	k.report.Records, k.report.Already = 0, 0
	return k.each(ctx, func(r store.Reader, rows []store.Row) (func() error, error) {
		missing, err := k.missing(ctx, rows)
		if err != nil {
			return nil, err
		}
		k.report.Records += len(rows) - len(missing)
		k.report.Already += len(rows) - len(missing)
		ready, err := k.carry(r, missing)
		return func() error { return k.fileAll(ctx, ready) }, err
	})
}

// missing returns the rows that the new owner lacks. A later step verifies the others,
// once all are there.
func (k *keyChange) missing(ctx context.Context, rows []store.Row) ([]store.Row, error) {
	var out []store.Row
	err := k.kernel.Bare().View(ctx, k.to.DID(), func(r store.Reader) error {
		out = nil
		for _, row := range rows {
			_, err := r.Row(row.ID)
			if errors.Is(err, store.ErrNotFound) {
				out = append(out, row)
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

func (k *keyChange) fileAll(ctx context.Context, ready []carried) error {
	for len(ready) > 0 {
		n := bounded(ready)
		if err := k.file(ctx, ready[:n]); err != nil {
			return err
		}
		k.report.Records += n
		if ready = ready[n:]; k.progress != nil {
			k.progress(k.report.Records)
		}
	}
	return nil
}

// bounded returns how many of them one transaction takes.
func bounded(ready []carried) int {
	for n, size := 0, 0; n < len(ready); n++ {
		if size += len(ready[n].row.Origin) + len(ready[n].row.Current); size > vault.ImportBytes && n > 0 {
			return n
		}
	}
	return len(ready)
}

func (k *keyChange) carry(r store.Reader, rows []store.Row) ([]carried, error) {
	numbers := make([]int64, len(rows))
	for i, row := range rows {
		numbers[i] = row.Number
	}
	lessons, err := r.Lessons(numbers)
	if err != nil {
		return nil, err
	}
	out := make([]carried, len(rows))
	for i, row := range rows {
		c, err := k.one(row)
		if err != nil {
			return nil, err
		}
		c.lesson = lessons[i]
		if n, ok := vault.ForeignNameOf(c.rec); ok {
			id, err := r.Alias(n.Space, n.Name)
			if err == nil && id == row.ID {
				c.naming = &n
			} else if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
		}
		if c.urns, err = leading(r, vault.AliasSpace, k.kernel.NamesOf(k.from, c.rec), row.ID); err != nil {
			return nil, err
		}
		if c.told, err = leading(r, vault.OriginSpace, k.kernel.OriginNames(k.from, c.rec), row.ID); err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// leading returns those of a record's possible bundle names that lead to it, so that a
// bundle imported before is recognised again (decision AD-7).
func leading(r store.Reader, space string, names []string, id memory.ID) ([]string, error) {
	var all []string
	for _, name := range names {
		to, err := r.Alias(space, name)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err == nil && to == id {
			all = append(all, name)
		}
	}
	return all, nil
}

// file stores the missing rows in one transaction.
func (k *keyChange) file(ctx context.Context, ready []carried) error {
	already := 0
	err := k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
		already = 0
		for _, c := range ready {
			held, err := w.Holder(c.row.ID)
			if err == nil {
				already++
				err = holdsSame(held, c)
			} else if errors.Is(err, store.ErrNotFound) {
				err = k.insert(w, c)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	k.report.Already += already
	return err
}

func (k *keyChange) insert(w store.Writer, c carried) error {
	number, err := w.Insert(c.row, c.doc, vault.LinksOf(c.rec))
	if err != nil {
		return err
	}
	if c.lesson != (store.Lesson{}) {
		if err := w.SetLesson(number, c.lesson); err != nil {
			return err
		}
	}
	if c.naming != nil {
		if err := w.SetAlias(c.naming.Space, c.naming.Name, c.row.ID); err != nil {
			return err
		}
	}
	for _, urn := range c.urns {
		if err := w.SetAlias(vault.AliasSpace, urn, c.row.ID); err != nil {
			return err
		}
	}
	for _, name := range c.told {
		if err := w.SetAlias(vault.OriginSpace, name, c.row.ID); err != nil {
			return err
		}
	}
	_, err = w.Record(store.Change{At: k.now, Type: store.Created, ID: c.row.ID})
	return err
}

// holdsSame accepts a record that is there under the same id: from an earlier attempt,
// or because the same document was imported before.
func holdsSame(held store.Row, c carried) error {
	if bytes.Equal(held.Origin, c.row.Origin) && bytes.Equal(held.Current, c.row.Current) {
		return nil
	}
	rec, err := vault.Decoded(held)
	if err == nil && !held.Columns.Staged && ump.DuplicateKey(rec) == ump.DuplicateKey(c.rec) &&
		rec.Lifecycle.Status.Or() == c.rec.Lifecycle.Status.Or() {
		return nil
	}
	return &memory.Error{Kind: memory.InvalidRecord, ID: held.ID,
		Message: "the new owner has another record under this id; erase one of the two with satchel forget --hard"}
}
